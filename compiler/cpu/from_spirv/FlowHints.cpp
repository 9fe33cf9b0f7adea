//===- FlowHints.cpp - barriers, labels, hints ------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

// Numbers from the SPIR-V specification (sections 3.27, 3.25).
static constexpr int64_t scopeDevice = 1, scopeWorkgroup = 2, scopeSubgroup = 3,
                         scopeInvocation = 4;
static constexpr int64_t acquire = 0x2, release = 0x4, acquireRelease = 0x8,
                         sequentiallyConsistent = 0x10;
static constexpr int64_t uniformMemory = 0x40, crossWorkgroupMemory = 0x200;

StringRef pumice::cpu::memoryOrder(int64_t semantics) {
  if (semantics & sequentiallyConsistent)
    return "seq_cst";
  if ((semantics & acquireRelease) || ((semantics & acquire) && (semantics & release)))
    return "acq_rel";
  if (semantics & acquire)
    return "acquire";
  return semantics & release ? "release" : "monotonic";
}

/// Returns the memory order of a fence with respect to other threads. It is empty for a fence
/// within a workgroup, because a workgroup runs on one thread.
static StringRef orderBeyondWorkgroup(int64_t scope, int64_t semantics) {
  bool isShared = (semantics & (uniformMemory | crossWorkgroupMemory)) != 0;
  StringRef order = memoryOrder(semantics);
  bool isWide = scope < scopeWorkgroup || scope > scopeInvocation; // scope 5 is the queue family
  return isShared && isWide && order != "monotonic" ? order : "";
}

static LogicalResult lowerControlBarrier(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"execution_scope", "memory_scope", "memory_semantics"});
  if (failed(numbers))
    return failure();
  int64_t execution = (*numbers)[0];
  StringRef order = orderBeyondWorkgroup((*numbers)[1], (*numbers)[2]);
  if (execution == scopeSubgroup || execution == scopeInvocation) {
    if (!order.empty())
      lane::FenceOp::create(l.b, order);
    lane::SubgroupFenceOp::create(l.b);
    return success();
  }
  if (execution != scopeWorkgroup)
    return l.error() << "a barrier of scope " << execution
                     << " is not supported: it would wait for other workgroups";
  lane::BarrierOp::create(l.b, order.empty() ? StringAttr() : l.b.getStringAttr(order));
  return success();
}

static LogicalResult lowerMemoryBarrier(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"memory_scope", "memory_semantics"});
  if (failed(numbers))
    return failure();
  StringRef order = orderBeyondWorkgroup((*numbers)[0], (*numbers)[1]);
  if (!order.empty())
    lane::FenceOp::create(l.b, order);
  // Stops the compiler from moving accesses across it. Unlike at a barrier, no lane waits.
  lane::SubgroupFenceOp::create(l.b)->setAttr("memory_only", l.b.getUnitAttr());
  return success();
}

static LogicalResult lowerLabel(Lowering &l, Operation *op) {
  l.b.clone(*op);
  return success();
}

/// Reads a clock, which counts nanoseconds (device) or cycles. The result is one number, or its two
/// halves.
static LogicalResult lowerReadClock(Lowering &l, Operation *op) {
  auto scope = l.numbers(op, {"scope"});
  if (failed(scope))
    return failure();
  if (scope->front() != scopeDevice && scope->front() != scopeSubgroup)
    return l.error() << "OpReadClockKHR has the scope " << scope->front()
                     << "; expected the scope Device (1) or Subgroup (3)";
  Value time = lane::ClockOp::create(l.b, l.b.getI64Type(), scope->front() == scopeDevice);
  if (!isa<VectorType>(op->getResult(0).getType()))
    return l.finish(op, {time});
  Type half = l.b.getI32Type();
  Value high = arith::ShRUIOp::create(l.b, time, l.integer(32, 64));
  return l.finish(
      op, {arith::TruncIOp::create(l.b, half, time), arith::TruncIOp::create(l.b, half, high)});
}

static LogicalResult ignore(Lowering &, Operation *) { return success(); }

/// Returns the first operand and ignores the hint.
static LogicalResult passThrough(Lowering &l, Operation *op) {
  return l.finish(op, l.get(op->getOperand(0)));
}

static constexpr Rule rulesOfFlow[] = {
    {"AssumeTrueKHR", ignore},
    {"ControlBarrier", lowerControlBarrier},
    {"ExpectKHR", passThrough},
    {"LifetimeStart", ignore},
    {"LifetimeStop", ignore},
    {"MemoryBarrier", lowerMemoryBarrier},
    {"Nop", ignore},
    {"ReadClockKHR", lowerReadClock},
    {"lane.label", lowerLabel},
};

ArrayRef<Rule> pumice::cpu::flowRules() { return rulesOfFlow; }
