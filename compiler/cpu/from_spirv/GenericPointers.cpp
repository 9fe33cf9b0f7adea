//===- GenericPointers.cpp - finds the memory that a generic pointer leads to -===//
// Addresses are those of the host. Memory is the workgroup's if it is in the range that the driver
// reserves for it, an invocation's own if it is in one of its private blocks, and global otherwise.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/GenericPointers.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// The number of bytes that the driver reserves for a workgroup's memory (ThreadState.cpp).
static constexpr int64_t reservedBytes = 1 << 20;
static constexpr int64_t workgroupMemory = 0x100, crossWorkgroupMemory = 0x200;

static Value isWithin(Lowering &l, Value address, Value start, int64_t bytes) {
  auto number = [&](Value pointer) {
    return l.generic("llvm.ptrtoint", l.b.getI64Type(), pointer);
  };
  Value offset = arith::SubIOp::create(l.b, number(address), number(start));
  return arith::CmpIOp::create(l.b, arith::CmpIPredicate::ult, offset, l.integer(bytes, 64));
}

static Value isOfWorkgroup(Lowering &l, Value address) {
  Value start = lane::SharedOp::create(l.b, address.getType(), 0);
  return isWithin(l, address, start, reservedBytes);
}

static Value isPrivate(Lowering &l, Value address) {
  Value found = l.integer(0, 1);
  Block &entry = cast<func::FuncOp>(l.kernel).getBody().front();
  for (auto block : llvm::make_early_inc_range(entry.getOps<lane::PrivateOp>())) {
    Value one = isWithin(l, address, block, static_cast<int64_t>(block.getBytes()));
    found = arith::OrIOp::create(l.b, found, one);
  }
  return found;
}

LogicalResult pumice::cpu::lowerMemorySemantics(Lowering &l, Operation *op) {
  Value address = l.scalar(op->getOperand(0));
  if (l.broken)
    return failure();
  Value elsewhere = arith::SelectOp::create(l.b, isPrivate(l, address), l.integer(0),
                                            l.integer(crossWorkgroupMemory));
  return l.finish(op, {arith::SelectOp::create(l.b, isOfWorkgroup(l, address),
                                               l.integer(workgroupMemory), elsewhere)});
}

LogicalResult pumice::cpu::lowerExplicitCast(Lowering &l, Operation *op) {
  Value address = l.scalar(op->getOperand(0));
  if (l.broken)
    return failure();
  Value null = l.zero(address.getType());
  auto unless = [&](Value wrong) -> Value {
    return arith::SelectOp::create(l.b, wrong, null, address);
  };
  switch (cast<spirv::PointerType>(op->getResult(0).getType()).getStorageClass()) {
  case spirv::StorageClass::Workgroup:
    return l.finish(
        op, {arith::SelectOp::create(l.b, isOfWorkgroup(l, address), address, null).getResult()});
  case spirv::StorageClass::Function:
    return l.finish(
        op, {arith::SelectOp::create(l.b, isPrivate(l, address), address, null).getResult()});
  default:
    return l.finish(
        op, {unless(arith::OrIOp::create(l.b, isPrivate(l, address), isOfWorkgroup(l, address)))});
  }
}
