//===- EmulateAtomics.cpp - atomic updates by compare-and-swap --------------===//
//   before: %old = memref.generic_atomic_rmw %x[%i] : memref<?xi32> { ^bb0(%v: i32): ... yield %n }
//   after:  %guess = memref.load %x[%i]
//           %old = scf.while (%v = %guess) : (i32) -> i32 {
//             ...
//             %seen = vk.atomic_cmpxchg %v, %n, %x[%i]
//             %changed = arith.cmpi ne, %seen, %v
//             scf.condition(%changed) %seen
//           } do { ^bb0(%seen: i32): scf.yield %seen }
//
// The first load is only a guess: the exchange detects if the value is different.
//
// Needs: LegalizeStorage, which stores memory with such updates as integers of 32 or 64 bits.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/types/StorageTypes.h"

namespace pumice::lower {
#define GEN_PASS_DEF_EMULATEATOMICS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

namespace {

constexpr llvm::StringLiteral acquireRelease = "pumice.acquire_release";

/// One update of memory. `emit` computes the new value from the old one.
struct Update {
  Operation *op;
  Value memref, index;
  llvm::function_ref<Value(OpBuilder &, Value)> emit;

  void asLoadAndStore(IRRewriter &b) {
    Value old = memref::LoadOp::create(b, op->getLoc(), memref, index);
    memref::StoreOp::create(b, op->getLoc(), emit(b, old), memref, index);
    b.replaceOp(op, old);
  }

  /// Emits the update as a loop. Memory is ordered once before and once after the loop, which costs
  /// less than ordering it in each iteration. Moreover, llvmpipe of Mesa 22 treats a memory barrier
  /// in a loop as one that other invocations must reach.
  void asLoop(IRRewriter &b) {
    Location loc = op->getLoc();
    bool isOrdered = op->removeDiscardableAttr(acquireRelease) != nullptr;
    if (isOrdered)
      vk::MemoryBarrierOp::create(b, loc);
    Value guess = memref::LoadOp::create(b, loc, memref, index);
    Type type = guess.getType();
    auto attempt = [&](OpBuilder &inner, Location, ValueRange args) {
      Value desired = emit(inner, args[0]);
      auto seen = vk::AtomicCmpxchgOp::create(inner, loc, type, args[0], desired, memref, index);
      seen->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      Value changed =
          arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, seen.getOld(), args[0]);
      scf::ConditionOp::create(inner, loc, changed, seen.getOld());
    };
    auto again = [&](OpBuilder &inner, Location, ValueRange args) {
      scf::YieldOp::create(inner, loc, args);
    };
    auto loop = scf::WhileOp::create(b, loc, TypeRange{type}, ValueRange{guess}, attempt, again);
    if (isOrdered)
      vk::MemoryBarrierOp::create(b, loc);
    b.replaceOp(op, loop.getResults());
  }
};

/// Returns two values if the update only compares and stores. The first is the value to compare
/// with, and the second is stored if both are equal. Returns nothing for other updates.
std::optional<std::pair<Value, Value>> comparedAndStored(memref::GenericAtomicRMWOp op) {
  Block &body = op.getRegion().front();
  auto isOutside = [&](Value value) { return value.getParentBlock() != &body; };
  auto chosen = body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto same = chosen ? chosen.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!same || same.getPredicate() != arith::CmpIPredicate::eq ||
      chosen.getFalseValue() != op.getCurrentValue() || !isOutside(chosen.getTrueValue()))
    return std::nullopt;
  bool isFirst = same.getLhs() == op.getCurrentValue();
  Value expected = isFirst ? same.getRhs() : same.getLhs();
  if ((!isFirst && same.getRhs() != op.getCurrentValue()) || !isOutside(expected))
    return std::nullopt;
  return std::pair(expected, chosen.getTrueValue());
}

/// Returns the values whose bits the result of `op` may have. The list is empty if `op` computes an
/// integer by itself. Returns nothing if the result may have the bits of a computed float.
std::optional<SmallVector<Value>> bitsTakenBy(Operation *op) {
  if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
    if (isa<FloatType>(getElementTypeOrSelf(cast.getIn())))
      return std::nullopt;
    return SmallVector<Value>{cast.getIn()};
  }
  if (isa<arith::SelectOp>(op) || isa<vector::VectorDialect>(op->getDialect()))
    return SmallVector<Value>(op->getOperands());
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Value>
        stored; // a driver may keep an array in registers, with the types stored there
    if (memoryKindOf(load.getMemref()) != MemoryKind::Private)
      return stored;
    if (!load.getMemref().getDefiningOp<memref::AllocaOp>())
      return std::nullopt;
    for (Operation *user : load.getMemref().getUsers()) {
      if (auto store = dyn_cast<memref::StoreOp>(user))
        stored.push_back(store.getValueToStore());
      else if (!isa<memref::LoadOp>(user))
        return std::nullopt;
    }
    return stored;
  }
  bool makesIntegers = isa<arith::ArithDialect>(op->getDialect()) ||
                       isa<memref::AtomicRMWOp, vk::AtomicCmpxchgOp, gpu::ThreadIdOp,
                           gpu::BlockIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op);
  return makesIntegers ? std::optional(SmallVector<Value>()) : std::nullopt;
}

/// Returns whether drivers certainly treat the value as an integer. Some drivers keep values in the
/// type in which they were computed.
bool isSurelyInteger(Value value) {
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op && isa<FunctionOpInterface>(next.getParentBlock()->getParentOp()))
      continue;
    std::optional<SmallVector<Value>> taken = op ? bitsTakenBy(op) : std::nullopt;
    if (!taken)
      return false;
    llvm::append_range(open, *taken);
  }
  return true;
}

bool isLeftToDriver(memref::AtomicRMWOp op, MemoryKind kind, const target::TargetEnv &env) {
  return isNativeAtomic(op.getKind(), op.getType(), kind, env) &&
         (!env.needs(target::Workaround::noFloatBitsInAtomics) || !op.getType().isInteger() ||
          isSurelyInteger(op.getValue()));
}

struct EmulateAtomics final : lower::impl::EmulateAtomicsBase<EmulateAtomics> {
  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return signalPassFailure();
    SmallVector<Operation *> updates;
    getOperation().walk([&](Operation *op) {
      if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
        updates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : updates)
      if (failed(rewrite(op, rewriter, *env)))
        return signalPassFailure();
  }

  LogicalResult rewrite(Operation *op, IRRewriter &b, const target::TargetEnv &env) {
    auto simple = dyn_cast<memref::AtomicRMWOp>(op);
    auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op);
    Value memref = simple ? simple.getMemref() : generic.getMemref();
    ValueRange indices = simple ? simple.getIndices() : generic.getIndices();
    Type element = op->getResult(0).getType();
    MemoryKind kind = memoryKindOf(memref);
    if (simple && isLeftToDriver(simple, kind, env))
      return success();
    if (indices.size() != 1)
      return op->emitError()
             << "updates " << memref.getType()
             << ", which is not a flattened buffer; run pumice-flatten-memory first";
    auto emit = [&](OpBuilder &inner, Value old) -> Value {
      if (simple)
        return emitUpdate(inner, op->getLoc(), simple.getKind(), old, simple.getValue());
      IRMapping mapping;
      mapping.map(generic.getCurrentValue(), old);
      Block &body = generic.getRegion().front();
      for (Operation &each : body.without_terminator())
        inner.clone(each, mapping);
      return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
    };
    b.setInsertionPoint(op);
    Update update{op, memref, indices.front(), emit};
    if (kind == MemoryKind::Private) {
      update.asLoadAndStore(b);
      return success();
    }
    if (!element.isInteger(32) && !element.isInteger(64))
      return op->emitError() << "updates " << element
                             << " in memory, which takes a compare-and-swap of integers; run "
                                "pumice-legalize-storage first";
    Feature wide = kind == MemoryKind::Buffer ? Feature::shaderBufferInt64Atomics
                                              : Feature::shaderSharedInt64Atomics;
    if (element.isInteger(64) && !env.has(wide))
      return refuseFor(op, "an atomic update of 64 bits", wide, env);
    auto exchange = generic ? comparedAndStored(generic) : std::nullopt;
    if (!exchange) {
      update.asLoop(b);
      return success();
    }
    auto made = vk::AtomicCmpxchgOp::create(b, op->getLoc(), element, exchange->first,
                                            exchange->second, memref, indices.front());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    b.replaceOp(op, made.getOld());
    return success();
  }
};

} // namespace
