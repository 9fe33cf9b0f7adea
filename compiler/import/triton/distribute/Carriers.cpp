//===- Carriers.cpp - how values cross the borders of regions ---------------===//
#include "compiler/import/triton/distribute/Carriers.h"

#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

Carrier triton::distribute::carrierOf(Location loc, const Distributed &value) {
  Carrier carrier{.loc = loc};
  if (const auto *scalar = std::get_if<Value>(&value)) {
    carrier.element = scalar->getType();
  } else if (const auto *tensor = std::get_if<TensorRef>(&value)) {
    carrier.kind = Carrier::Tile;
    carrier.element = (*tensor)->element;
    carrier.shape = (*tensor)->shape;
    carrier.layout = (*tensor)->home;
  } else {
    carrier.kind = Carrier::Place;
    carrier.frame = std::get<Pointer>(value);
    carrier.shape = carrier.frame.shape.value_or(Shape{1});
    carrier.frame.uniform = {};
  }
  return carrier;
}

/// Makes the carrier carry the offsets, in the layout in which they are held, or else in the layout
/// of their shape.
static FailureOr<bool> carryOffset(Distribution &d, Carrier &carrier, const TensorRef &offset) {
  carrier.carriesOffset = true;
  carrier.layout = offset->home;
  carrier.frame.offset = {};
  return failed(settle(d, carrier)) ? FailureOr<bool>() : FailureOr<bool>(true);
}

static FailureOr<bool> adaptPointer(Distribution &d, Carrier &carrier, const Pointer &pointer) {
  Pointer &frame = carrier.frame;
  if (pointer.isPoison)
    return false;
  if (frame.isPoison) {
    frame = pointer;
    frame.uniform = {};
    return frame.offset ? carryOffset(d, carrier, TensorRef(frame.offset)) : FailureOr<bool>(true);
  }
  if (frame.base != pointer.base)
    return LogicalResult(emitError(carrier.loc)
                         << "unsupported pointer that points into different arguments on different "
                            "paths; load from both, and choose between the values");
  if (carrier.carriesOffset || frame.offset == pointer.offset)
    return false;
  TensorRef offset = frame.offset ? frame.offset : pointer.offset;
  if (!offset->home && pointer.offset)
    offset = pointer.offset;
  return carryOffset(d, carrier, offset);
}

FailureOr<bool> triton::distribute::adapt(Distribution &d, Carrier &carrier,
                                          const Distributed &value) {
  if (carrier.kind == Carrier::Place)
    return adaptPointer(d, carrier, std::get<Pointer>(value));
  if (carrier.kind == Carrier::Scalar || carrier.layout)
    return false;
  carrier.layout = std::get<TensorRef>(value)->home;
  return carrier.layout.has_value();
}

LogicalResult triton::distribute::settle(Distribution &d, Carrier &carrier) {
  bool isTile = carrier.kind == Carrier::Tile || carrier.carriesOffset;
  if (!isTile || carrier.layout)
    return success();
  FailureOr<Layout> layout = d.ofShape(carrier.loc, carrier.shape);
  if (succeeded(layout))
    carrier.layout = *layout;
  return layout;
}

LogicalResult triton::distribute::carryFromWithin(Distribution &d, Carrier &carrier,
                                                  Operation *region) {
  TensorRef offset = carrier.frame.offset;
  if (!offset || !region->isProperAncestor(offset->place))
    return success();
  return carryOffset(d, carrier, offset);
}

SmallVector<Type> triton::distribute::typesOf(OpBuilder &b, ArrayRef<Carrier> carriers) {
  SmallVector<Type> types;
  for (const Carrier &carrier : carriers) {
    if (carrier.kind == Carrier::Scalar)
      types.push_back(carrier.element);
    if (carrier.kind == Carrier::Tile && carrier.layout)
      types.push_back(tile::tensorOf(carrier.element, *carrier.layout));
    if (carrier.kind != Carrier::Place)
      continue;
    types.push_back(b.getI64Type());
    if (carrier.carriesOffset)
      types.push_back(tile::tensorOf(b.getI64Type(), *carrier.layout));
  }
  return types;
}

/// Returns the values that carry a pointer. A poison pointer becomes a pointer to the start of the
/// memory.
static LogicalResult packPointer(Distribution &d, const Carrier &carrier, const Pointer &pointer,
                                 SmallVector<Value> &packed) {
  Value zero = d.constant(carrier.loc, d.b.getI64Type(), 0);
  packed.push_back(pointer.uniform && !pointer.isPoison ? pointer.uniform : zero);
  if (!carrier.carriesOffset)
    return success();
  FailureOr<TensorRef> offset = d.splat(carrier.loc, carrier.shape, zero);
  if (pointer.offset && !pointer.isPoison)
    offset = extended(d, carrier.loc, pointer.offset);
  FailureOr<Value> tile = failed(offset) ? FailureOr<Value>() : d.in(*offset, *carrier.layout);
  if (failed(tile))
    return failure();
  packed.push_back(*tile);
  return success();
}

FailureOr<SmallVector<Value>> triton::distribute::pack(Distribution &d, ArrayRef<Carrier> carriers,
                                                       ArrayRef<Distributed> values) {
  SmallVector<Value> packed;
  for (auto [carrier, value] : llvm::zip_equal(carriers, values)) {
    if (carrier.kind == Carrier::Place) {
      if (failed(packPointer(d, carrier, std::get<Pointer>(value), packed)))
        return failure();
    } else if (carrier.kind == Carrier::Scalar) {
      packed.push_back(std::get<Value>(value));
    } else if (carrier.layout) {
      FailureOr<Value> tile = d.in(std::get<TensorRef>(value), *carrier.layout);
      if (failed(tile))
        return failure();
      packed.push_back(*tile);
    }
  }
  return packed;
}

/// Returns a recipe of poison, for a tensor that the loop does not carry yet.
static TensorRef anything(Distribution &d, const Carrier &carrier) {
  return d.recipe(
      carrier.loc, carrier.shape, carrier.element, /*isFree=*/false,
      [element = carrier.element, loc = carrier.loc](OpBuilder &b,
                                                     const Layout &layout) -> FailureOr<Value> {
        return ub::PoisonOp::create(b, loc, tile::tensorOf(element, layout)).getResult();
      });
}

SmallVector<Distributed> triton::distribute::unpack(Distribution &d, ArrayRef<Carrier> carriers,
                                                    ValueRange values) {
  SmallVector<Distributed> unpacked;
  auto next = values.begin();
  for (const Carrier &carrier : carriers) {
    if (carrier.kind == Carrier::Scalar) {
      unpacked.push_back(Value(*next++));
    } else if (carrier.kind == Carrier::Tile) {
      unpacked.push_back(carrier.layout ? d.held(*next++) : anything(d, carrier));
    } else {
      Pointer pointer = carrier.frame;
      pointer.uniform = *next++;
      if (carrier.carriesOffset)
        pointer.offset = d.held(*next++);
      unpacked.push_back(pointer);
    }
  }
  return unpacked;
}
