//===- Distribution.h - converts one kernel to tiles ------------------------===//
// Operations are visited in order, and the converted results of each are recorded. Code is appended
// at the builder's position. A recipe emits its code where the kernel defined the value.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/distribute/Layouts.h"
#include "compiler/import/triton/distribute/Values.h"
#include "compiler/import/triton/facts/IndexFacts.h"

namespace pumice::triton::distribute {

using Layout = tile::LinearLayout;

class Checks;

/// An error that a checked kernel detects in one place, and reports at the end of the block.
struct Report {
  mlir::Operation *op;
  llvm::StringRef kind;
  std::string subject; // the name of the argument
  Layout layout;
  mlir::Value any;                    // whether any lane has a failure
  mlir::Value mask;                   // the elements that failed
  std::function<mlir::Value()> value; // computes the value to report for each element
};

class Distribution {
public:
  Distribution(mlir::OpBuilder builder, const Workgroup &workgroup, const IndexFacts &facts,
               const std::optional<target::TargetEnv> &target)
      : b(builder), workgroup(workgroup), facts(facts), target(target) {}

  mlir::OpBuilder b;
  const Workgroup &workgroup;
  const IndexFacts &facts;
  /// If the target is known, the layouts of matrix products suit its cooperative matrices.
  const std::optional<target::TargetEnv> &target;
  const Checks *checks = nullptr; // null if the kernel is not checked
  std::vector<Report> reports;    // the reports of the current block

  //===-----------------------------------------------------------------------===//
  // Converted values of the kernel
  //===-----------------------------------------------------------------------===//

  void set(mlir::Value value, Distributed is) { values.insert_or_assign(value, std::move(is)); }
  Distributed operator[](mlir::Value value) const { return values.at(value); }
  mlir::Value scalar(mlir::Value value) const { return std::get<mlir::Value>(values.at(value)); }
  TensorRef tensor(mlir::Value value) const { return std::get<TensorRef>(values.at(value)); }
  Pointer pointer(mlir::Value value) const { return std::get<Pointer>(values.at(value)); }

  //===-----------------------------------------------------------------------===//
  // Tensors
  //===-----------------------------------------------------------------------===//

  /// Returns a reference to a tensor that the converted kernel already holds.
  TensorRef held(mlir::Value tile);
  TensorRef recipe(mlir::Location loc, llvm::ArrayRef<uint64_t> shape, mlir::Type element,
                   bool isFree, Tensor::Recipe make);
  /// Returns a tensor whose elements all equal this scalar.
  TensorRef splat(mlir::Location loc, llvm::ArrayRef<uint64_t> shape, mlir::Value scalar);

  mlir::FailureOr<mlir::Value> in(const TensorRef &tensor, const Layout &layout);

  /// Returns the layout in which the tensor is held, or else the layout of its shape.
  mlir::FailureOr<Layout> homeOf(const TensorRef &tensor);
  /// Returns the layout in which an operation on all of these tensors should work.
  mlir::FailureOr<Layout> common(llvm::ArrayRef<TensorRef> tensors);
  mlir::FailureOr<Layout> ofShape(mlir::Location loc, llvm::ArrayRef<uint64_t> shape);

  //===-----------------------------------------------------------------------===//
  // Element-wise operations
  //===-----------------------------------------------------------------------===//

  /// Makes results from scalars or tiles. `like(T)` is T itself, or a tile of T.
  using Elementwise = std::function<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::ValueRange, llvm::function_ref<mlir::Type(mlir::Type)> like)>;
  /// Applies an element-wise operation. Operands and results are scalars, or tensors of one shape.
  /// The results have these element types. If the operands are recipes, the results of cheap
  /// operations are recipes, too.
  mlir::FailureOr<llvm::SmallVector<Distributed>> elementwise(mlir::Location loc,
                                                              llvm::ArrayRef<Distributed> operands,
                                                              mlir::TypeRange elements,
                                                              bool isCheap, Elementwise make);

  mlir::Value constant(mlir::Location loc, mlir::Type type, int64_t value);

  /// Reports a failed plan or layout as an error at the kernel's line.
  template <typename T> mlir::FailureOr<T> take(mlir::Location loc, pumice::Result<T> result) {
    if (result.isOk())
      return std::move(result).value();
    mlir::emitError(loc) << result.status().message();
    return mlir::failure();
  }

private:
  mlir::Operation *placeHere(mlir::Location loc);

  llvm::DenseMap<mlir::Value, Distributed> values;
};

/// Converts a single operation, or all operations of a block except its terminator.
mlir::LogicalResult convertBody(Distribution &d, mlir::Block &block);
mlir::LogicalResult convert(Distribution &d, mlir::Operation *op);

/// Erases operations that only mark places, and unused operations.
void cleanUp(mlir::Operation *function);

llvm::SmallVector<uint64_t, 4> shapeOf(mlir::Type tensor);

} // namespace pumice::triton::distribute
