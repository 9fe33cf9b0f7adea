//===- Distribution.cpp - converts one kernel to tiles ----------------------===//
#include "compiler/import/triton/distribute/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton::distribute;

SmallVector<uint64_t, 4> triton::distribute::shapeOf(Type tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor).getShape();
  return {shape.begin(), shape.end()};
}

//===-------------------------------------------------------------------------===//
// Places
//===-------------------------------------------------------------------------===//

/// Creates an operation that only marks a place. cleanUp() erases it later.
Operation *Distribution::placeHere(Location loc) {
  return UnrealizedConversionCastOp::create(b, loc, TypeRange{}, ValueRange{});
}

void triton::distribute::cleanUp(Operation *function) {
  // Walks backwards, so that users come before the operations whose results they use.
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isPlace = isa<UnrealizedConversionCastOp>(op) && op->getNumResults() == 0;
    if (isPlace || isOpTriviallyDead(op))
      op->erase();
  });
}

//===-------------------------------------------------------------------------===//
// Tensors
//===-------------------------------------------------------------------------===//

TensorRef Distribution::held(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto tensor = std::make_shared<Tensor>(shapeOf(type), type.getElementType(), tile.getLoc(),
                                         placeHere(tile.getLoc()));
  tensor->home = tile::layoutOf(type);
  tensor->made[type.getEncoding()] = tile;
  return tensor;
}

TensorRef Distribution::recipe(Location loc, ArrayRef<uint64_t> shape, Type element, bool isFree,
                               Tensor::Recipe make) {
  auto tensor = std::make_shared<Tensor>(Shape(shape), element, loc, placeHere(loc));
  tensor->recipe = std::move(make);
  tensor->isFree = isFree;
  return tensor;
}

TensorRef Distribution::splat(Location loc, ArrayRef<uint64_t> shape, Value scalar) {
  TensorRef tensor = recipe(loc, shape, scalar.getType(), /*isFree=*/true,
                            [loc, scalar](OpBuilder &b, const Layout &layout) -> FailureOr<Value> {
                              RankedTensorType type = tile::tensorOf(scalar.getType(), layout);
                              Attribute value;
                              if (matchPattern(scalar, m_Constant(&value)))
                                return arith::ConstantOp::create(
                                           b, loc, DenseElementsAttr::get(type, ArrayRef(value)))
                                    .getResult();
                              return tile::SplatOp::create(b, loc, type, scalar).getResult();
                            });
  tensor->uniform = scalar;
  return tensor;
}

FailureOr<Value> Distribution::in(const TensorRef &tensor, const Layout &layout) {
  RankedTensorType type = tile::tensorOf(tensor->element, layout);
  if (Value made = tensor->made.lookup(type.getEncoding()))
    return made;
  OpBuilder there(tensor->place);
  FailureOr<Value> made = failure();
  if (tensor->home)
    made = tile::ConvertLayoutOp::create(
               there, tensor->loc, type,
               tensor->made.lookup(tile::LayoutAttr::get(b.getContext(), *tensor->home)))
               .getResult();
  else
    made = tensor->recipe(there, layout);
  if (succeeded(made))
    tensor->made[type.getEncoding()] = *made;
  return made;
}

FailureOr<Layout> Distribution::ofShape(Location loc, ArrayRef<uint64_t> shape) {
  return take(loc, blockLayout(shape, workgroup));
}

FailureOr<Layout> Distribution::homeOf(const TensorRef &tensor) {
  if (tensor->home)
    return *tensor->home;
  return ofShape(tensor->loc, tensor->shape);
}

FailureOr<Layout> Distribution::common(ArrayRef<TensorRef> tensors) {
  SmallVector<Layout> homes;
  for (const TensorRef &tensor : tensors)
    if (tensor->home)
      homes.push_back(*tensor->home);
  if (homes.empty())
    return ofShape(tensors.front()->loc, tensors.front()->shape);
  return cheapest(homes, tile::storedBytes(tensors.front()->element));
}

//===-------------------------------------------------------------------------===//
// Element-wise operations
//===-------------------------------------------------------------------------===//

Value Distribution::constant(Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// Returns the scalars of all operands, provided that each operand is a scalar or has equal
/// elements.
static std::optional<SmallVector<Value>> scalarsOf(ArrayRef<Distributed> operands) {
  SmallVector<Value> scalars;
  for (const Distributed &operand : operands) {
    const auto *scalar = std::get_if<Value>(&operand);
    Value value = scalar ? *scalar : std::get<TensorRef>(operand)->uniform;
    if (!value)
      return std::nullopt;
    scalars.push_back(value);
  }
  return scalars;
}

FailureOr<SmallVector<Distributed>> Distribution::elementwise(Location loc,
                                                              ArrayRef<Distributed> operands,
                                                              TypeRange elements, bool isCheap,
                                                              Elementwise make) {
  SmallVector<TensorRef> tensors;
  for (const Distributed &operand : operands)
    if (const auto *tensor = std::get_if<TensorRef>(&operand))
      tensors.push_back(*tensor);
  SmallVector<Distributed> results;
  auto asIs = [](Type type) { return type; };
  if (std::optional<SmallVector<Value>> scalars = scalarsOf(operands)) {
    for (Value result : make(b, *scalars, asIs))
      results.push_back(tensors.empty() ? Distributed(result)
                                        : splat(loc, tensors.front()->shape, result));
    return results;
  }
  auto makeIn = [this, make = std::move(make), operands = SmallVector<Distributed>(operands)](
                    OpBuilder &there, const Layout &layout) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> made;
    for (const Distributed &operand : operands) {
      if (const auto *scalar = std::get_if<Value>(&operand)) {
        made.push_back(*scalar);
        continue;
      }
      FailureOr<Value> tile = in(std::get<TensorRef>(operand), layout);
      if (failed(tile))
        return failure();
      made.push_back(*tile);
    }
    return make(there, made, [&](Type type) { return tile::tensorOf(type, layout); });
  };
  if (isCheap && llvm::all_of(tensors, [](const TensorRef &tensor) { return tensor->isFree; })) {
    for (auto [i, element] : llvm::enumerate(elements))
      results.push_back(recipe(loc, tensors.front()->shape, element, /*isFree=*/true,
                               [makeIn, i](OpBuilder &there, const Layout &layout) {
                                 FailureOr<SmallVector<Value>> made = makeIn(there, layout);
                                 return failed(made) ? FailureOr<Value>() : (*made)[i];
                               }));
    return results;
  }
  FailureOr<Layout> layout = common(tensors);
  if (failed(layout))
    return failure();
  FailureOr<SmallVector<Value>> made = makeIn(b, *layout);
  if (failed(made))
    return failure();
  for (Value tile : *made)
    results.push_back(held(tile));
  return results;
}
