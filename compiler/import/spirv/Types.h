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
  std::string error;     // the first one
  std::string complaint; // MLIR's last one

  mlir::LogicalResult fail(const Instruction &in, const llvm::Twine &what) {
    if (error.empty())
      error = describe(in, what);
    return mlir::failure();
  }
  /// "images are not supported", "ray tracing is not supported".
  mlir::LogicalResult refuse(const Instruction &in, const Row &row) {
    llvm::StringRef what = row.operands;
    return fail(in, what + (what.ends_with("s") ? " are" : " is") + " not supported");
  }
};

class Types {
public:
  Types(Reading &reading, Constants &constants, uint64_t identity)
      : reading(reading), source(reading.source), constants(constants), identity(identity) {}

  /// The type with this id; null after an error.
  mlir::Type get(uint32_t id, const Instruction &user);
  mlir::FunctionType function(uint32_t id, const Instruction &user);

private:
  /// How deep a type is nested and how many scalars it has, arrays counted as one element: MLIR
  /// walks types recursively and prints them whole.
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
  uint64_t identity; // of the module: names of recursive structs are the context's
  std::unordered_map<uint32_t, Known> types;
  std::unordered_map<uint32_t, mlir::Type> recursive; // structs that forward pointers name
  std::unordered_map<uint32_t, bool> making;
  uint32_t nesting = 0;
};

/// Knows the module's variables by their symbols.
class Variables {
public:
  /// Adds the variable where it is not there yet; null after an error.
  virtual mlir::FlatSymbolRefAttr variable(uint32_t id, const Instruction &user) = 0;

protected:
  ~Variables() = default;
};

/// A constant's value: an attribute as docs/cpu-compiler.md says; null where it is undefined.
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
  /// A variable's own address is one, too.
  static bool isModuleVariable(const Instruction &in);
  mlir::FailureOr<Constant> get(uint32_t id, const Instruction &user);
  /// A scalar integer constant's bits.
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

/// AddressConstants.cpp has the forms.
bool isAddress(mlir::Attribute value);
bool isNull(const Constant &constant);
/// Clang writes initial values whose pointers lead to other types than the variable's do.
bool sameButPointees(mlir::Type a, mlir::Type b);
/// Zeros of a scalar or vector type; a unit attribute of others.
mlir::Attribute zerosOf(mlir::Type type);
/// Members of a composite constant. Vectors are taken apart.
mlir::Attribute memberOf(mlir::Attribute composite, mlir::Type type, uint32_t index);
/// Null where the members do not fit the type.
mlir::Attribute compositeOf(mlir::Type type, llvm::ArrayRef<mlir::Attribute> members);
/// The type of a composite's member; null where it has none of this number.
mlir::Type memberTypeOf(mlir::Type type, uint64_t index);
/// 0: no composite. Runtime arrays have none either.
uint64_t memberCountOf(mlir::Type type);

} // namespace pumice::spirv_import
