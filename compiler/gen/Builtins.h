//===- Builtins.h - OpenCL's built-in functions in the LLVM dialect ---------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace pumice::gen {

/// The type of a parameter in OpenCL C, as far as the mangled name of a function depends on it.
struct BuiltinType {
  llvm::StringRef code; ///< the Itanium ABI's code of the scalar: "i" is int, "j" is uint
  unsigned lanes = 1;   ///< elements of a vector
  std::optional<unsigned> pointsTo = {}; ///< the address space of the scalar that this points to
  bool isConst = false;                  ///< whether what it points to is const
};

/// Returns the code of the signed or unsigned integer of OpenCL C with the bits of `type`, or the
/// code of a float. There is none for bf16.
llvm::StringRef typeCode(mlir::Type type, bool isSigned);

/// Returns the number of elements of a vector, or 1.
unsigned countOf(mlir::Type type);

/// Returns how OpenCL C writes a scalar or a vector.
BuiltinType builtinType(mlir::Type type, bool isSigned = true);

/// Returns the name that clang gives to a function of OpenCL C.
std::string mangle(llvm::StringRef name, llvm::ArrayRef<BuiltinType> parameters);

/// How calls of built-in functions are written.
struct CallStyle {
  bool spirCalls = false; ///< whether the call states the function's own calling convention
};

/// A built-in function.
struct Builtin {
  llvm::StringRef name; ///< before mangling
  llvm::SmallVector<BuiltinType> parameters;
  mlir::Type result;       ///< null for void
  bool convergent = false; ///< whether other work-items take part, or wait
};

/// Calls a built-in function, and declares it in the closest module if it is not there. Returns
/// null if the module uses the function's name for something else, and reports this at `at`.
mlir::LLVM::CallOp callBuiltin(mlir::OpBuilder &builder, mlir::Operation *at,
                               const Builtin &builtin, mlir::ValueRange arguments,
                               const CallStyle &style);

} // namespace pumice::gen
