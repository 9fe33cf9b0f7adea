//===- Types.h - SPIR-V's types in MLIR -------------------------------------===//
#pragma once

#include "compiler/import/spirv/Source.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

#include <map>
#include <optional>

namespace mlir {
class FunctionType;
}

namespace pumice::spirv_import {

class Constants;

/// State that all parts of the reader share.
struct Reading {
  mlir::MLIRContext *context;
  const Source &source;
  std::string sourceName;
  std::string error;     // the first error
  std::string complaint; // the last message of MLIR

  mlir::LogicalResult fail(const Instruction &in, const llvm::Twine &what) {
    if (error.empty())
      error = describe(in, what);
    return mlir::failure();
  }
  /// Reports that an instruction is not supported, for example "images are not supported".
  mlir::LogicalResult refuse(const Instruction &in, const Row &row) {
    llvm::StringRef what = row.operands;
    return fail(in, what + (what.ends_with("s") ? " are" : " is") + " not supported");
  }
};

class Types {
public:
  Types(Reading &reading, Constants &constants, uint64_t identity)
      : reading(reading), source(reading.source), constants(constants), identity(identity) {}

  /// Returns the type with this id, or null after an error.
  mlir::Type get(uint32_t id, const Instruction &user);
  mlir::FunctionType function(uint32_t id, const Instruction &user);

private:
  /// The nesting depth of a type, and its number of scalars if each array counts as one element.
  /// Both are limited, because MLIR walks types recursively and prints them in full.
  struct Known {
    mlir::Type type;
    uint32_t depth = 1;
    uint64_t leaves = 1;
  };
  mlir::FailureOr<Known> make(uint32_t id, const Instruction &in);
  mlir::FailureOr<Known> makeVector(const Instruction &in);
  mlir::FailureOr<Known> makeArray(const Instruction &in);
  mlir::FailureOr<Known> makeStruct(uint32_t id, const Instruction &in);
  mlir::FailureOr<Known> makePointer(uint32_t id, const Instruction &in);
  mlir::FailureOr<Known> makeCooperativeMatrix(const Instruction &in);
  mlir::FailureOr<Known> known(uint32_t id, const Instruction &user);
  uint32_t strideOf(uint32_t id) const;

  Reading &reading;
  const Source &source;
  Constants &constants;
  uint64_t identity; // names this module's recursive structs in the context
  std::unordered_map<uint32_t, Known> types;
  std::unordered_map<uint32_t, mlir::Type> recursive; // structs to which forward pointers refer
  std::unordered_map<uint32_t, bool> making;
  uint32_t nesting = 0;
};

/// Returns the symbols of the module's variables.
class Variables {
public:
  /// Returns the symbol of a variable, which is added if it is missing. Returns null after an
  /// error.
  virtual mlir::FlatSymbolRefAttr variable(uint32_t id, const Instruction &user) = 0;

protected:
  ~Variables() = default;
};

/// The value of a constant, as an attribute that docs/cpu-compiler.md describes. Null means
/// undefined.
struct Constant {
  mlir::Type type;
  mlir::Attribute value;
};

class Constants {
public:
  Constants(Reading &reading, Types &types, const std::map<uint32_t, uint64_t> &specialization,
            Variables &variables)
      : reading(reading), source(reading.source), types(types), specialization(specialization),
        variables(variables) {}

  static bool isConstant(uint32_t opcode);
  /// Returns whether the instruction is a variable of the module. As a constant, it is its own
  /// address.
  static bool isModuleVariable(const Instruction &in);
  mlir::FailureOr<Constant> get(uint32_t id, const Instruction &user);
  /// Returns the bits of a scalar integer constant.
  mlir::FailureOr<uint64_t> integer(uint32_t id, const Instruction &user);

private:
  mlir::FailureOr<Constant> make(const Instruction &in);
  mlir::FailureOr<Constant> makeScalar(const Instruction &in, mlir::Type type);
  mlir::FailureOr<Constant> makeComposite(const Instruction &in, mlir::Type type);
  mlir::FailureOr<Constant> makeOperation(const Instruction &in, mlir::Type type);
  mlir::FailureOr<Constant> makeVariable(const Instruction &in, mlir::Type type);
  mlir::FailureOr<Constant> makeAddress(const Instruction &in, mlir::Type type);
  std::optional<uint64_t> specialized(uint32_t id) const;

  Reading &reading;
  const Source &source;
  Types &types;
  const std::map<uint32_t, uint64_t> &specialization;
  Variables &variables;
  struct Known {
    Constant constant;
    uint64_t leaves = 1;
  };
  std::unordered_map<uint32_t, Known> constants;
  uint32_t nesting = 0;
  uint64_t produced = 0; // the number of members that composites have
};

/// Returns whether the attribute is an address. AddressConstants.cpp describes the forms.
bool isAddress(mlir::Attribute value);
bool isNull(const Constant &constant);
/// Returns whether two types differ at most in what pointers point to. Clang writes initial values
/// whose pointers have other pointees than those of the variable.
bool sameButPointees(mlir::Type a, mlir::Type b);
/// Returns zeros of a scalar or vector type, or a unit attribute for other types.
mlir::Attribute zerosOf(mlir::Type type);
/// Returns a member of a composite constant, or an element of a vector.
mlir::Attribute memberOf(mlir::Attribute composite, mlir::Type type, uint32_t index);
/// Returns a composite with these members, or null if they do not fit the type.
mlir::Attribute compositeOf(mlir::Type type, llvm::ArrayRef<mlir::Attribute> members);
/// Returns the type of a composite's member, or null if no member has this number.
mlir::Type memberTypeOf(mlir::Type type, uint64_t index);
/// Returns the number of members. It is 0 for runtime arrays, and for types that are not
/// composites.
uint64_t memberCountOf(mlir::Type type);

} // namespace pumice::spirv_import
