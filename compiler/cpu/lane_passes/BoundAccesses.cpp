//===- BoundAccesses.cpp - keeps accesses inside the bound buffers ----------===//
//   before: %v = lane.load %p align 4 : f32                   (%p: %buffer and some bytes)
//   after:  %inside = %p - %buffer <= bytes of it - 4, and these are 4 at least
//           lane.set %slot, 0
//           lane.if %inside { %x = lane.load %p align 4 : f32; lane.set %slot, %x }
//           %v = lane.get %slot
// Outside the buffer, loads and atomics give 0, and stores have no effect. If a pointer is selected
// among several buffers, it may point into any of them. Addresses that a kernel computes from
// numbers, or reads from memory, have no known buffer, so accesses to them do not change. Needs:
// structured lane code.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_BOUNDACCESSES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {
struct BoundAccesses final : cpu::impl::BoundAccessesBase<BoundAccesses> {
  void runOnOperation() override;
};

/// The buffers into which an address may point.
struct Roots {
  llvm::SmallSetVector<Operation *, 4> buffers; // lane.buffer
  bool unknown = false;                         // it may also point elsewhere
  llvm::SmallPtrSet<void *, 8> seen;

  void follow(Value address);
};
} // namespace

void Roots::follow(Value address) {
  if (!seen.insert(address.getAsOpaquePointer()).second)
    return;
  Operation *op = address.getDefiningOp();
  if (!op) {
    unknown = true;
  } else if (auto buffer = dyn_cast<lane::BufferOp>(op)) {
    buffers.insert(buffer);
  } else if (isa<lane::OffsetOp, lane::ShuffleOp>(op)) {
    follow(op->getOperand(0));
  } else if (isa<arith::SelectOp>(op)) {
    follow(op->getOperand(1));
    follow(op->getOperand(2));
  } else if (auto get = dyn_cast<lane::GetOp>(op)) {
    for (Operation *user : get.getSlot().getUsers())
      if (auto set = dyn_cast<lane::SetOp>(user))
        follow(set.getValue());
  } else {
    // The kernel's own memory has no descriptor. Null and undefined pointers point into no buffer.
    unknown |= !isa<lane::SharedOp, lane::PrivateOp, lane::ProgramOp, lane::TableOp,
                    lane::PushConstantsOp>(op) &&
               !op->hasTrait<OpTrait::ConstantLike>();
  }
}

static Value asNumber(ImplicitLocOpBuilder &b, Value address) {
  return LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
}

static Value number(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

/// Returns whether the `bytes` bytes from `address` on are in one of the buffers. Distances are
/// unsigned, so an address before a buffer has a large distance.
static Value isInside(ImplicitLocOpBuilder &b, Value address, int64_t bytes, const Roots &roots) {
  using Predicate = arith::CmpIPredicate;
  Value inside;
  for (Operation *op : roots.buffers) {
    auto buffer = cast<lane::BufferOp>(op);
    Value length = lane::BufferBytesOp::create(b, b.getI64Type(), buffer.getSet(),
                                               buffer.getBinding(), buffer.getElement());
    Value at = asNumber(b, address), start = asNumber(b, buffer);
    Value distance = arith::SubIOp::create(b, at, start);
    Value last = arith::SubIOp::create(b, length, number(b, bytes));
    Value starts = arith::CmpIOp::create(b, Predicate::ule, distance, last);
    Value fits = arith::CmpIOp::create(b, Predicate::uge, length, number(b, bytes));
    Value here = arith::AndIOp::create(b, starts, fits);
    inside = inside ? arith::OrIOp::create(b, inside, here).getResult() : here;
  }
  return inside;
}

static Value zeroOf(ImplicitLocOpBuilder &b, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(b, type);
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

static int64_t bytesOf(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes += isa<LLVM::LLVMPointerType>(type)
                 ? 8
                 : static_cast<int64_t>(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  return bytes;
}

/// Returns the address that an operation accesses, or null if it accesses no memory.
static Value addressOf(Operation *op) {
  if (auto load = dyn_cast<lane::LoadOp>(op))
    return load.getAddress();
  if (auto store = dyn_cast<lane::StoreOp>(op))
    return store.getAddress();
  if (auto atomic = dyn_cast<lane::AtomicOp>(op))
    return atomic.getAddress();
  if (auto exchange = dyn_cast<lane::CompareExchangeOp>(op))
    return exchange.getAddress();
  return {};
}

static void bound(Operation *op, const Roots &roots) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  TypeRange moved = op->getResultTypes();
  if (auto store = dyn_cast<lane::StoreOp>(op))
    moved = store.getValues().getTypes();
  Value inside = isInside(b, addressOf(op), bytesOf(moved), roots);
  SmallVector<Value> slots;
  for (Value result : op->getResults()) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    slots.push_back(lane::VarOp::create(b, pointer, TypeAttr::get(result.getType())));
    lane::SetOp::create(b, slots.back(), zeroOf(b, result.getType()), /*overwrite=*/true);
  }
  auto branch = lane::IfOp::create(b, inside, DenseI32ArrayAttr(), IntegerAttr());
  for (auto [slot, result] : llvm::zip_equal(slots, op->getResults()))
    result.replaceAllUsesWith(lane::GetOp::create(b, result.getType(), slot));
  b.createBlock(&branch.getElseRegion());
  lane::EndOp::create(b);
  Block *then = b.createBlock(&branch.getThenRegion());
  op->moveBefore(then, then->end());
  for (auto [slot, result] : llvm::zip_equal(slots, op->getResults()))
    lane::SetOp::create(b, slot, result, /*overwrite=*/false);
  lane::EndOp::create(b);
}

/// Drops overflow flags. Indices may now be out of range, so their products with strides may
/// overflow 64 bits.
static void forgetPromises(func::FuncOp kernel) {
  kernel.walk([](arith::ArithIntegerOverflowFlagsInterface op) {
    op->setAttr(
        op.getIntegerOverflowAttrName(),
        arith::IntegerOverflowFlagsAttr::get(op->getContext(), arith::IntegerOverflowFlags::none));
  });
}

void BoundAccesses::runOnOperation() {
  func::FuncOp kernel = getOperation();
  auto module = kernel->getParentOfType<ModuleOp>();
  auto addressing = module->getAttrOfType<IntegerAttr>("spvx.addressing");
  bool logical = addressing && addressing.getInt() == 0;
  SmallVector<std::pair<Operation *, Roots>> accesses;
  WalkResult walked = kernel.walk([&](Operation *op) {
    Value address = addressOf(op);
    if (!address)
      return WalkResult::advance();
    Roots roots;
    roots.follow(address);
    if (roots.unknown && logical) {
      op->emitError(
          "robust access: the buffer of a pointer is unknown, since the pointer was stored in an "
          "array or in memory: select among pointers with OpSelect or OpPhi");
      return WalkResult::interrupt();
    }
    if (!roots.buffers.empty())
      accesses.push_back({op, roots});
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return signalPassFailure();
  forgetPromises(kernel);
  for (auto &[op, roots] : accesses)
    bound(op, roots);
}
