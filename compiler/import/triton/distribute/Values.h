//===- Values.h - converted values of a kernel ------------------------------===//
// Values of the kernel after conversion. A scalar stays a scalar. A tensor is held in one layout,
// or is a recipe that creates it in any layout. Ranges, splats, constants, and their views and sums
// cost the same in every layout, so each of them is created where it is needed. A pointer becomes a
// base and offsets, or an address.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace pumice::triton::distribute {

using Shape = llvm::SmallVector<uint64_t, 4>;

struct Tensor {
  using Recipe =
      std::function<mlir::FailureOr<mlir::Value>(mlir::OpBuilder &, const tile::LinearLayout &)>;
  Tensor(Shape shape, mlir::Type element, mlir::Location loc, mlir::Operation *place)
      : shape(std::move(shape)), element(element), loc(loc), place(place) {}

  Shape shape;
  mlir::Type element;
  mlir::Location loc;
  /// Marks where the kernel defined the value. The tensors that a recipe creates come before this
  /// operation, so that all users can share them.
  mlir::Operation *place;
  /// The layout in which the tensor is held. A recipe has none.
  std::optional<tile::LinearLayout> home;
  Recipe recipe;
  /// True if the recipe moves no data and computes little.
  bool isFree = false;
  /// The scalar that all elements equal, if it is known.
  mlir::Value uniform;
  /// The tensors that were created in each requested layout, by LayoutAttr.
  llvm::DenseMap<mlir::Attribute, mlir::Value> made;
};
using TensorRef = std::shared_ptr<Tensor>;

/// A pointer, or a tensor of pointers with one base.
struct Pointer {
  mlir::Type pointee;
  std::optional<Shape> shape; // the shape of a tensor
  /// A memref. Offsets count its elements. Without it, offsets are addresses in bytes.
  mlir::Value base;
  mlir::Value uniform; // i64, shared by all elements; null: zero
  TensorRef offset;    // i32 or i64, added to `uniform`; null: zero
  /// True if the pointer is undefined (ub.poison). It can then become any other pointer.
  bool isPoison = false;
};

using Distributed = std::variant<mlir::Value, TensorRef, Pointer>;

} // namespace pumice::triton::distribute
