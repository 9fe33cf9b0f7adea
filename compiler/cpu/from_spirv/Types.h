//===- Types.h - SPIR-V's types as scalars and as bytes ---------------------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace pumice::cpu {

/// How a matrix lies in memory, as its struct's member says; stride 0: as is natural.
struct MatrixLayout {
  unsigned stride = 0;
  bool rowMajor = false;
};

/// One scalar of a type in memory.
struct Leaf {
  mlir::Type type;
  int64_t offset;
};

/// Questions about types. Memory without explicit layout (workgroup, private) is laid out scalar
/// after scalar, each aligned to its size; OpenCL's vectors are aligned as OpenCL says.
class Types {
public:
  explicit Types(mlir::MLIRContext *context) : context(context) {}
  bool openCl = false;
  unsigned lanes = 16; // of a subgroup, among which cooperative matrices are divided

  /// The lane dialect's type for a SPIR-V scalar or pointer; null for anything else.
  mlir::Type scalar(mlir::Type type) const;
  /// The type without offsets, strides and orders of matrices, which mean nothing outside blocks.
  mlir::Type withoutLayout(mlir::Type type) const;
  /// All scalars of a type; false where one has no representation, or their number is unknown, or
  /// too large.
  bool scalars(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &list) const;
  int64_t count(mlir::Type type) const;
  /// How many scalars of one kind a type has.
  int64_t count(mlir::Type type, mlir::Type kind) const;

  /// Vectors, matrices, arrays, structs, a lane's part of cooperative matrices. A runtime array has
  /// no number of elements (0), nor has a cooperative matrix that cannot be divided.
  bool isComposite(mlir::Type type) const;
  int64_t elements(mlir::Type type) const;
  mlir::Type element(mlir::Type type, int64_t index) const;

  int64_t bytes(mlir::Type type, MatrixLayout matrix = {}) const;
  int64_t alignment(mlir::Type type) const;
  /// Returns the stride of an array's elements. `matrix` is the layout that the member with the
  /// array states.
  int64_t stride(mlir::Type array, MatrixLayout matrix = {}) const;
  int64_t memberOffset(mlir::spirv::StructType type, unsigned index) const;
  MatrixLayout memberMatrix(mlir::spirv::StructType type, unsigned index) const;
  bool memberHas(mlir::spirv::StructType type, unsigned index,
                 mlir::spirv::Decoration decoration) const;
  /// Distance of a matrix's columns, and of the elements of one.
  std::pair<int64_t, int64_t> matrixStrides(mlir::spirv::MatrixType type,
                                            MatrixLayout matrix) const;
  /// Where each scalar lies; `elementStride` as in Pointer.
  void leaves(mlir::Type type, int64_t offset, MatrixLayout matrix, unsigned elementStride,
              llvm::SmallVectorImpl<Leaf> &list) const;

private:
  bool collect(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &list) const;
  mlir::MLIRContext *context;
};

/// Bytes of a scalar in memory: a bool is one byte.
int64_t scalarBytes(mlir::Type scalar);

} // namespace pumice::cpu
