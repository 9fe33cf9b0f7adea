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

/// State that the parts of the reader share.
struct Reading {
  mlir::MLIRContext *context;
  const Source &source;
  std::string sourceName;
  std::string error;     // the first error
  std::string complaint; // MLIR's last message

  mlir::LogicalResult fail(const Instruction &in, const llvm::Twine &what) {
    if (error.empty())
      error = describe(in, what);
    return mlir::failure();
  }
  /// Reports, for example, "images are not supported" or "ray tracing is not supported".
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
  /// The nesting depth of a type, and its number of scalars, with arrays counted as one element.
  /// They are limited because MLIR walks types recursively and prints them whole.
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
  uint64_t identity; // of the module, since the context shares the names of recursive structs
  std::unordered_map<uint32_t, Known> types;
  std::unordered_map<uint32_t, mlir::Type> recursive; // structs that forward pointers refer to
  std::unordered_map<uint32_t, bool> making;
  uint32_t nesting = 0;
};

/// Returns the module's variables by their symbols.
class Variables {
public:
  /// Adds the variable if it is missing. Returns null after an error.
  virtual mlir::FlatSymbolRefAttr variable(uint32_t id, const Instruction &user) = 0;

protected:
  ~Variables() = default;
};

/// A constant's value, as an attribute that docs/cpu-compiler.md describes. Null: it is undefined.
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
  /// Returns whether the constant is a variable of the module, which is its own address.
  static bool isModuleVariable(const Instruction &in);
  mlir::FailureOr<Constant> get(uint32_t id, const Instruction &user);
  /// Returns a scalar integer constant's bits.
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
  uint64_t produced = 0; // members of composites
};

/// Returns whether the attribute is an address. AddressConstants.cpp has the forms.
bool isAddress(mlir::Attribute value);
bool isNull(const Constant &constant);
/// Returns whether types are the same except for pointees. Clang writes initial values whose
/// pointers have other pointees than the variable's.
bool sameButPointees(mlir::Type a, mlir::Type b);
/// Returns zeros of a scalar or vector type, or a unit attribute for others.
mlir::Attribute zerosOf(mlir::Type type);
/// Returns a member of a composite constant, or an element of a vector.
mlir::Attribute memberOf(mlir::Attribute composite, mlir::Type type, uint32_t index);
/// Returns null if the members do not fit the type.
mlir::Attribute compositeOf(mlir::Type type, llvm::ArrayRef<mlir::Attribute> members);
/// Returns the type of a composite's member, or null if it has no member of this number.
mlir::Type memberTypeOf(mlir::Type type, uint64_t index);
/// Returns 0 for types that are not composites, and for runtime arrays.
uint64_t memberCountOf(mlir::Type type);

} // namespace pumice::spirv_import
