//===- Builtins.h - OpenCL's built-in functions in kernels ------------------===//
// clang leaves built-in functions as calls of mangled names: _Z3maxii is max(int, int). The name
// says whether integers are signed, which LLVM's types do not.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/llvm/Build.h"
#include "compiler/import/llvm/FunctionImporter.h"

#include <functional>
#include <string>

namespace pumice::llvm_import {

/// A parameter of a built-in function, as its name describes it.
struct Parameter {
  bool isPointer = false, isFloat = false, isSigned = false;
  unsigned bits = 0; // of a number, or of what a pointer leads to; 0 if it is neither
  unsigned lanes = 1;
};

/// The name of a function and its parameters.
struct Signature {
  std::string name;
  llvm::SmallVector<Parameter, 4> parameters;
};

/// Reads a mangled name. A name that is not mangled has no parameters.
Signature signatureOf(llvm::StringRef mangled);

/// Returns how a built-in function accesses memory through its parameters.
llvm::SmallVector<PointerAccess> accessesOf(const llvm::CallBase &call);

/// A call that is translated.
struct Call : Build {
  Call(FunctionImporter &f, const llvm::CallBase &from, Signature signature)
      : Build(f.b, f.loc), f(f), from(from), spelling(std::move(signature.name)), name(spelling),
        parameters(std::move(signature.parameters)) {}
  Call(const Call &) = delete; // `name` refers into it
  Call &operator=(const Call &) = delete;

  FunctionImporter &f;
  const llvm::CallBase &from;
  const std::string spelling;
  const llvm::StringRef name;
  llvm::SmallVector<Parameter, 4> parameters;
  llvm::SmallVector<mlir::Value, 4> x; // the arguments
  mlir::Type result;                   // null for void

  bool isSigned(unsigned parameter = 0) const {
    return parameter < parameters.size() && parameters[parameter].isSigned;
  }
  bool isFloat(unsigned parameter = 0) const {
    return parameter < parameters.size() && parameters[parameter].isFloat;
  }
  const llvm::Value *pointer(unsigned argument) const { return from.getArgOperand(argument); }
  /// Makes vectors of numbers that are given for all lanes of a vector, as in max(float4, float).
  void broadcastNumbers();
  /// Returns a constant argument, or nothing.
  std::optional<uint64_t> number(unsigned argument) const;
};

/// Returns the number of the work-item, globally or in its workgroup, in an order in which x runs
/// fastest.
mlir::Value linearId(Call &c, bool isGlobal);

/// Computes a function of f16 in f32: widens its arguments, and finally rounds the result.
class NarrowResult {
public:
  NarrowResult(Call &c, bool applies);
  mlir::Value finish(mlir::Value made);

private:
  Call &c;
  mlir::Type narrow; // null if nothing is to be done
};

/// Returns x · 2^exponent, rounded once unless the result is subnormal.
mlir::Value scaleByPower(Call &c, mlir::Value x, mlir::Value exponent);

/// Returns the exponent of x, as an integer of its width, and x with an exponent of 0, between 1
/// and 2. Subnormal numbers are scaled first.
std::pair<mlir::Value, mlir::Value> splitExponent(Call &c, mlir::Value x);

/// Returns ln x, as accurate as OpenCL requires.
mlir::Value naturalLogarithm(Call &c, mlir::Value x);

/// Returns sin(pi x).
mlir::Value sineOfPi(Call &c, mlir::Value x);

/// Translates calls of one family. Returns nothing if the function is not of this family, and
/// failure after an error. A function without result returns a null value.
using Translation = std::optional<mlir::FailureOr<mlir::Value>> (*)(Call &call);

std::optional<mlir::FailureOr<mlir::Value>> translateWorkItem(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateInteger(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateMath(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateFloat(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateGamma(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateRelation(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateConversion(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateVector(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateAtomic(Call &call);
std::optional<mlir::FailureOr<mlir::Value>> translateGroup(Call &call);

} // namespace pumice::llvm_import
