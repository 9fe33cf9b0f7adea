//===- Types.h - SPIR-V's types as scalars and as bytes ---------------------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace pumice::cpu {

/// The layout of a matrix in memory, as the member of its struct states it. A stride of 0 means the
/// natural stride.
struct MatrixLayout {
  unsigned stride = 0;
  bool rowMajor = false;
};

/// One scalar of a type, and its place in memory.
struct Leaf {
  mlir::Type type;
  int64_t offset;
};

/// Computes properties of types. Memory without an explicit layout (workgroup, private) holds the
/// scalars in order, each aligned to its size. For OpenCL, vectors have the alignment that OpenCL
/// prescribes.
class Types {
public:
  explicit Types(mlir::MLIRContext *context) : context(context) {}
  bool openCl = false;
  unsigned lanes = 16; // a subgroup's lanes, which share cooperative matrices

  /// Returns the lane dialect's type for a SPIR-V scalar or pointer, or null for other types.
  mlir::Type scalar(mlir::Type type) const;
  /// Returns the type without offsets, strides and matrix orders, which are meaningful only in
  /// blocks.
  mlir::Type withoutLayout(mlir::Type type) const;
  /// Lists all scalars of a type. Returns false if one of them cannot be represented, or if their
  /// number is unknown or too large.
  bool scalars(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &list) const;
  int64_t count(mlir::Type type) const;
  /// Returns the number of scalars of one type that a type contains.
  int64_t count(mlir::Type type, mlir::Type kind) const;

  /// Returns whether the type is a vector, matrix, array, struct, or a lane's part of a cooperative
  /// matrix. The number of elements is 0 for a runtime array, and for a cooperative matrix that
  /// cannot be divided.
  bool isComposite(mlir::Type type) const;
  int64_t elements(mlir::Type type) const;
  mlir::Type element(mlir::Type type, int64_t index) const;

  int64_t bytes(mlir::Type type, MatrixLayout matrix = {}) const;
  int64_t alignment(mlir::Type type) const;
  /// Returns the stride of an array's elements. `matrix` is the layout stated by the member that
  /// contains the array.
  int64_t stride(mlir::Type array, MatrixLayout matrix = {}) const;
  int64_t memberOffset(mlir::spirv::StructType type, unsigned index) const;
  MatrixLayout memberMatrix(mlir::spirv::StructType type, unsigned index) const;
  bool memberHas(mlir::spirv::StructType type, unsigned index,
                 mlir::spirv::Decoration decoration) const;
  /// Returns the distance between a matrix's columns, and between the elements of a column.
  std::pair<int64_t, int64_t> matrixStrides(mlir::spirv::MatrixType type,
                                            MatrixLayout matrix) const;
  /// Lists the position of each scalar. `elementStride` has the same meaning as in Pointer.
  void leaves(mlir::Type type, int64_t offset, MatrixLayout matrix, unsigned elementStride,
              llvm::SmallVectorImpl<Leaf> &list) const;

private:
  bool collect(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &list) const;
  mlir::MLIRContext *context;
};

/// Returns the number of bytes of a scalar in memory. A bool takes one byte.
int64_t scalarBytes(mlir::Type scalar);

} // namespace pumice::cpu
