//===- ZeroedWorkgroupMemory.cpp - workgroup memory that starts as zero -----===//
#include "compiler/cpu/from_spirv/Loops.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// The largest number of rounds of stores that are emitted without a loop.
static constexpr int64_t mostStores = 64;

/// Zeroes words from `first` on. Each invocation stores one word. An invocation beyond the end
/// stores the last word again.
static void zeroRound(Lowering &l, Value base, Value first, int64_t words) {
  Value word = arith::AddIOp::create(l.b, l.builtin("local_index"), first);
  word = arith::MinUIOp::create(l.b, word, l.integer(words - 1));
  Value wide = arith::ExtUIOp::create(l.b, l.b.getI64Type(), word);
  Value bytes = arith::MulIOp::create(l.b, wide, l.integer(4, 64));
  Value address = lane::OffsetOp::create(l.b, base.getType(), base, bytes);
  lane::StoreOp::create(l.b, ValueRange(l.integer(0)), address, 4);
}

/// Zeroes the memory with all invocations, before any other code of the kernel runs.
void Lowering::zeroShared() {
  if (zeroedShared.empty())
    return;
  int64_t together = 1;
  for (int32_t size : workgroupSize())
    together *= size;
  auto isLong = [&](auto &one) { return one.second > mostStores * together; };
  toEntry();
  Block *rest = nullptr;
  if (llvm::any_of(zeroedShared, isLong)) {
    Block *entry = b.getInsertionBlock();
    rest = entry->splitBlock(b.getInsertionPoint());
    b.setInsertionPointToEnd(entry);
    kernel->setAttr("lane.unmarked", b.getUnitAttr()); // the loop has no merge marks
  }
  for (auto &one : zeroedShared) {
    auto [base, words] = one;
    if (isLong(one))
      (void)loopBelow(*this, integer(0), integer(words), integer(together), {},
                      [&, base = base, words = words](ArrayRef<Value> carried) {
                        zeroRound(*this, base, carried.front(), words);
                        return Scalars();
                      });
    else
      for (int64_t first = 0; first < words; first += together)
        zeroRound(*this, base, integer(first), words);
  }
  lane::BarrierOp::create(b, StringAttr());
  if (rest)
    cf::BranchOp::create(b, rest);
}
