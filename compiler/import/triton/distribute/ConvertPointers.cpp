//===- ConvertPointers.cpp - pointers as a base and offsets -----------------===//
//   before: %p = tt.addptr %x, %row : !tt.ptr<f32>, i32
//           %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
//           %r = tt.addptr %q, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
//   after:  %r has the base %x, the uniform offset %row (extended to i64), and the offsets %i (i32)
// One i32 per element plus the uniform offset is exact. Sums of several offsets are i64, because
// they may exceed an i32. Addresses count bytes.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

using Like = llvm::function_ref<Type(Type)>;

/// Returns the distance of neighbouring elements in bytes. An i1 takes one byte, and a pointer
/// takes eight.
static int64_t bytesOf(Type pointee) {
  return isa<triton::PointerType>(pointee) ? 8 : tile::storedBytes(pointee);
}

static FailureOr<TensorRef> resultOf(FailureOr<SmallVector<Distributed>> results) {
  return failed(results) ? FailureOr<TensorRef>() : std::get<TensorRef>(results->front());
}

static Value extend(Distribution &d, Location loc, Value scalar) {
  if (scalar.getType().isInteger(64))
    return scalar;
  return arith::ExtSIOp::create(d.b, loc, d.b.getI64Type(), scalar);
}

/// Sign-extends a tensor, as addptr does.
static FailureOr<TensorRef> extendTo(Distribution &d, Location loc, const TensorRef &integers,
                                     unsigned bits) {
  if (integers->element.getIntOrFloatBitWidth() >= bits)
    return integers;
  Type wide = d.b.getIntegerType(bits);
  return resultOf(d.elementwise(loc, Distributed(integers), wide, /*isCheap=*/true,
                                [loc, wide](OpBuilder &b, ValueRange v, Like like) {
                                  return SmallVector<Value>{
                                      arith::ExtSIOp::create(b, loc, like(wide), v[0])};
                                }));
}

FailureOr<TensorRef> triton::distribute::extended(Distribution &d, Location loc,
                                                  const TensorRef &integers) {
  return extendTo(d, loc, integers, 64);
}

template <typename Op>
static FailureOr<TensorRef> combine(Distribution &d, Location loc, const Distributed &a,
                                    const Distributed &b) {
  SmallVector<Distributed> operands{a, b};
  return resultOf(d.elementwise(loc, operands, d.b.getI64Type(), /*isCheap=*/true,
                                [loc](OpBuilder &b, ValueRange v, Like) {
                                  return SmallVector<Value>{Op::create(b, loc, v[0], v[1])};
                                }));
}

FailureOr<TensorRef> triton::distribute::wholeOffset(Distribution &d, Location loc,
                                                     const Pointer &pointer) {
  ArrayRef<uint64_t> shape = *pointer.shape;
  Value uniform = pointer.uniform ? pointer.uniform : d.constant(loc, d.b.getI64Type(), 0);
  if (!pointer.offset)
    return d.splat(loc, shape, uniform);
  FailureOr<TensorRef> offset = extended(d, loc, pointer.offset);
  if (failed(offset) || !pointer.uniform)
    return offset;
  return combine<arith::AddIOp>(d, loc, d.splat(loc, shape, uniform), *offset);
}

//===-------------------------------------------------------------------------===//
// Where pointers come from
//===-------------------------------------------------------------------------===//

void triton::distribute::addRoots(Value pointer, DenseSet<Value> &seen, DenseSet<Value> &roots) {
  if (!isa<triton::PointerType>(scalarOf(pointer.getType())) || !seen.insert(pointer).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *owner = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (isa<FuncOp>(owner)) {
      roots.insert(pointer);
    } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      addRoots(loop.getInitArgs()[number - 1], seen, roots);
      addRoots(loop.getYieldedValues()[number - 1], seen, roots);
    } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
      bool isBefore = argument.getOwner() == loop.getBeforeBody();
      addRoots(isBefore ? loop.getInits()[number] : loop.getConditionOp().getArgs()[number], seen,
               roots);
      if (isBefore)
        addRoots(loop.getYieldOp().getOperand(number), seen, roots);
    }
    return;
  }
  Operation *op = pointer.getDefiningOp();
  unsigned number = cast<OpResult>(pointer).getResultNumber();
  if (isa<LoadOp, IntToPtrOp, AtomicRMWOp, AtomicCASOp>(op)) {
    roots.insert(Value());
  } else if (auto condition = dyn_cast<scf::IfOp>(op)) {
    addRoots(condition.thenYield().getOperand(number), seen, roots);
    addRoots(condition.elseYield().getOperand(number), seen, roots);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    addRoots(loop.getRegionIterArgs()[number], seen, roots);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    addRoots(loop.getConditionOp().getArgs()[number], seen, roots);
  } else {
    for (Value operand : op->getOperands())
      addRoots(operand, seen, roots);
  }
}

//===-------------------------------------------------------------------------===//
// addptr
//===-------------------------------------------------------------------------===//

static void addUniform(Distribution &d, Location loc, Pointer &pointer, Value scalar) {
  Value further = extend(d, loc, scalar);
  int64_t unit = pointer.base || pointer.isPoison ? 1 : bytesOf(pointer.pointee);
  if (unit != 1)
    further = arith::MulIOp::create(d.b, loc, further, d.constant(loc, further.getType(), unit));
  pointer.uniform = pointer.uniform
                        ? arith::AddIOp::create(d.b, loc, pointer.uniform, further).getResult()
                        : further;
}

static LogicalResult addOffset(Distribution &d, Location loc, Pointer &pointer, TensorRef further) {
  int64_t unit = pointer.base || pointer.isPoison ? 1 : bytesOf(pointer.pointee);
  FailureOr<TensorRef> sum = extendTo(d, loc, further, pointer.offset || unit != 1 ? 64 : 32);
  if (succeeded(sum) && unit != 1)
    sum = combine<arith::MulIOp>(
        d, loc, *sum, d.splat(loc, further->shape, d.constant(loc, d.b.getI64Type(), unit)));
  if (succeeded(sum) && pointer.offset) {
    FailureOr<TensorRef> before = extended(d, loc, pointer.offset);
    if (failed(before))
      return failure();
    sum = combine<arith::AddIOp>(d, loc, *before, *sum);
  }
  if (failed(sum))
    return failure();
  pointer.offset = *sum;
  return success();
}

static LogicalResult convertAddPtr(Distribution &d, AddPtrOp op) {
  Pointer pointer = d.pointer(op.getPointer());
  Distributed offset = d[op.getOffset()];
  if (auto *scalar = std::get_if<Value>(&offset)) {
    addUniform(d, op.getLoc(), pointer, *scalar);
  } else {
    auto tensor = std::get<TensorRef>(offset);
    if (tensor->uniform)
      addUniform(d, op.getLoc(), pointer, tensor->uniform);
    else if (failed(addOffset(d, op.getLoc(), pointer, tensor)))
      return failure();
  }
  d.set(op.getResult(), pointer);
  return success();
}

//===-------------------------------------------------------------------------===//
// Other types, addresses, selections
//===-------------------------------------------------------------------------===//

static LogicalResult convertBitcast(Distribution &d, triton::BitcastOp op) {
  Pointer pointer = d.pointer(op.getSource());
  Type to = cast<triton::PointerType>(scalarOf(op.getType())).getPointee();
  if (pointer.base && bytesOf(pointer.pointee) != bytesOf(to))
    return op.emitError("unsupported cast of a pointer to ")
           << pointer.pointee << " to a pointer to " << to
           << ", whose size differs; give the kernel a pointer to " << to << " as an argument";
  pointer.pointee = to;
  d.set(op.getResult(), pointer);
  return success();
}

static LogicalResult convertIntToPtr(Distribution &d, IntToPtrOp op) {
  Pointer pointer{.pointee = cast<triton::PointerType>(scalarOf(op.getType())).getPointee()};
  Distributed source = d[op.getSource()];
  if (auto *scalar = std::get_if<Value>(&source)) {
    pointer.uniform = *scalar;
  } else {
    pointer.offset = std::get<TensorRef>(source);
    pointer.shape = pointer.offset->shape;
  }
  d.set(op.getResult(), pointer);
  return success();
}

static LogicalResult convertPtrToInt(Distribution &d, PtrToIntOp op) {
  Pointer pointer = d.pointer(op.getSource());
  if (pointer.base)
    return op.emitError(
        "unsupported conversion of the address of a kernel's argument to a number; pass it as an "
        "integer, or work with offsets");
  FailureOr<Distributed> address = addressOf(d, op.getLoc(), pointer);
  if (succeeded(address))
    d.set(op.getResult(), *address);
  return address;
}

/// Returns an address as a number. This point is reached only in kernels whose arguments are
/// addresses already.
FailureOr<Distributed> triton::distribute::addressOf(Distribution &d, Location loc,
                                                     const Pointer &pointer) {
  if (pointer.isPoison) {
    Value zero = d.constant(loc, d.b.getI64Type(), 0);
    return pointer.shape ? Distributed(d.splat(loc, *pointer.shape, zero)) : Distributed(zero);
  }
  if (!pointer.shape)
    return Distributed(pointer.uniform ? pointer.uniform : d.constant(loc, d.b.getI64Type(), 0));
  FailureOr<TensorRef> offset = wholeOffset(d, loc, pointer);
  return failed(offset) ? FailureOr<Distributed>() : FailureOr<Distributed>(*offset);
}

/// Converts a selection between places in the same memory to a selection between offsets.
static LogicalResult convertSelect(Distribution &d, arith::SelectOp op) {
  Location loc = op.getLoc();
  Pointer yes = d.pointer(op.getTrueValue()), no = d.pointer(op.getFalseValue());
  if (yes.isPoison || no.isPoison) {
    d.set(op.getResult(), yes.isPoison ? no : yes);
    return success();
  }
  if (yes.base != no.base)
    return op.emitError("unsupported choice between pointers into different arguments; load from "
                        "both, and choose between the values");
  Distributed condition = d[op.getCondition()];
  Pointer chosen{.pointee = yes.pointee, .shape = yes.shape, .base = yes.base};
  if (auto *scalar = std::get_if<Value>(&condition); scalar && yes.offset == no.offset) {
    chosen.offset = yes.offset;
    Value zero = d.constant(loc, d.b.getI64Type(), 0);
    chosen.uniform = arith::SelectOp::create(d.b, loc, *scalar, yes.uniform ? yes.uniform : zero,
                                             no.uniform ? no.uniform : zero);
    d.set(op.getResult(), chosen);
    return success();
  }
  FailureOr<TensorRef> a = wholeOffset(d, loc, yes), b = wholeOffset(d, loc, no);
  if (failed(a) || failed(b))
    return failure();
  SmallVector<Distributed> operands{condition, *a, *b};
  FailureOr<TensorRef> offset = resultOf(d.elementwise(
      loc, operands, d.b.getI64Type(), /*isCheap=*/true, [loc](OpBuilder &b, ValueRange v, Like) {
        return SmallVector<Value>{arith::SelectOp::create(b, loc, v[0], v[1], v[2])};
      }));
  if (failed(offset))
    return failure();
  chosen.offset = *offset;
  d.set(op.getResult(), chosen);
  return success();
}

/// Applies a view to the offsets of a pointer, as to any tensor.
static LogicalResult convertView(Distribution &d, Operation *op) {
  Pointer pointer = d.pointer(op->getOperand(0));
  pointer.shape = shapeOf(op->getResult(0).getType());
  if (pointer.offset) {
    FailureOr<TensorRef> offset = viewOf(d, op, pointer.offset);
    if (failed(offset))
      return failure();
    pointer.offset = *offset;
  }
  d.set(op->getResult(0), pointer);
  return success();
}

LogicalResult triton::distribute::convertPointer(Distribution &d, Operation *op) {
  if (isView(op) || isa<SplatOp>(op))
    return convertView(d, op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AddPtrOp op) { return convertAddPtr(d, op); })
      .Case([&](triton::BitcastOp op) { return convertBitcast(d, op); })
      .Case([&](IntToPtrOp op) { return convertIntToPtr(d, op); })
      .Case([&](PtrToIntOp op) { return convertPtrToInt(d, op); })
      .Case([&](arith::SelectOp op) { return convertSelect(d, op); })
      .Default([](Operation *op) {
        return op->emitError("unsupported '")
               << op->getName() << "' of pointers; apply it to their offsets";
      });
}
