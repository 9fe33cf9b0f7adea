//===- ChooseLanes.cpp - chooses the number of lanes of a subgroup ----------===//
// In a loop, most instructions wait for the one before. If each value has several registers, these
// waits overlap. This pays off if the loop's values fit into the processor's registers. It must not
// turn values that all lanes of a register share, such as addresses or conditions, into vectors.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/lane_passes/ChooseLanes.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// Returns whether a kernel's results depend on the number of lanes in a subgroup.
static bool knowsItsSubgroup(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto number = dyn_cast<lane::BuiltinOp>(op);
        bool asks = number && number.getWhich().contains("subgroup");
        return asks || isa<lane::ShuffleOp, lane::BallotOp, lane::ReduceOp, lane::MatrixProductOp,
                           lane::MatrixTransposeOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether, with more lanes, addresses keep their shapes, and no further control flow
/// diverges.
static bool loseNothing(func::FuncOp kernel, const LaneAnalysis &few, const LaneAnalysis &many) {
  unsigned row = few.workgroup().lanes;
  auto isWorse = [&](Value address) {
    Shape before = few.shape(address), after = many.shape(address);
    return before.scalar() && (after.block < row || after.stride != before.stride);
  };
  return !kernel
              .walk([&](Operation *op) {
                bool worse = isConstruct(op) && many.splits(op) && !few.splits(op);
                if (auto load = dyn_cast<lane::LoadOp>(op))
                  worse = isWorse(load.getAddress());
                else if (auto store = dyn_cast<lane::StoreOp>(op))
                  worse = isWorse(store.getAddress());
                return worse ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

//===-------------------------------------------------------------------------===//
// Registers
//===-------------------------------------------------------------------------===//

namespace {
/// Counts the vector registers that a loop's values need, if a subgroup fills one register.
class Pressure {
public:
  Pressure(lane::LoopOp loop, const LaneAnalysis &analysis) : loop(loop), analysis(analysis) {
    loop->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!loop->isAncestor(operand.getDefiningOp()) || operand.getDefiningOp<lane::VarOp>())
          held.insert(operand);
    });
    for (Value value : held)
      throughout += registersOf(value);
  }

  unsigned most() const {
    unsigned most = throughout;
    for (Region &region : loop->getRegions())
      most = std::max(most, throughout + inBlock(region.front()));
    return most;
  }

private:
  unsigned registersOf(Value value) const {
    Type type = value.getType();
    if (auto var = value.getDefiningOp<lane::VarOp>())
      type = var.getType();
    if (analysis.shape(value).kind != Shape::Varying || type.isInteger(1))
      return 0;
    return isa<LLVM::LLVMPointerType>(type) || type.getIntOrFloatBitWidth() > 32 ? 2 : 1;
  }

  /// Returns the largest number of registers that the values computed in the block need at the same
  /// time. A value that is read from a variable counts as that variable.
  unsigned inBlock(Block &block) const {
    llvm::DenseMap<Operation *, unsigned> last; // the registers that become free after a user
    unsigned now = 0, most = 0;
    for (Operation &op : block) {
      most = std::max(most, now);
      for (Region &region : op.getRegions())
        if (!region.empty())
          most = std::max(most, now + inBlock(region.front()));
      now -= last.lookup(&op);
      if (isa<lane::GetOp, lane::VarOp>(op))
        continue;
      for (Value result : op.getResults()) {
        Operation *end = nullptr;
        for (Operation *user : result.getUsers())
          if (Operation *here = block.findAncestorOpInBlock(*user);
              here && (!end || end->isBeforeInBlock(here)))
            end = here;
        if (!end)
          continue;
        now += registersOf(result);
        last[end] += registersOf(result);
      }
    }
    return most;
  }

  lane::LoopOp loop;
  const LaneAnalysis &analysis;
  llvm::DenseSet<Value> held;
  unsigned throughout = 0;
};
} // namespace

/// Returns the largest number of registers that an innermost loop needs, or 0 without loops.
static unsigned mostRegisters(func::FuncOp kernel, const LaneAnalysis &analysis) {
  unsigned most = 0;
  kernel.walk([&](lane::LoopOp loop) {
    bool innermost = !loop->walk([&](lane::LoopOp inner) {
                            return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                          })
                          .wasInterrupted();
    if (innermost)
      most = std::max({most, Pressure(loop, analysis).most(), 1u});
  });
  return most;
}

unsigned cpu::chooseLanes(func::FuncOp kernel, const WorkgroupShape &workgroup) {
  unsigned lanes = workgroup.lanes;
  if (workgroup.invocations() % (2 * lanes) != 0 || knowsItsSubgroup(kernel))
    return lanes;
  LaneAnalysis few(kernel, workgroup);
  unsigned wanted = mostRegisters(kernel, few);
  if (wanted == 0)
    return lanes;
  unsigned registers = lanes >= 16 ? 32 : 16; // AVX-512 has 32 registers
  for (unsigned ways : {4, 2}) {
    WorkgroupShape wider = workgroup;
    wider.lanes = ways * lanes;
    if (wider.lanes > 64 || !wider.full() || ways * wanted > registers)
      continue;
    if (loseNothing(kernel, few, LaneAnalysis(kernel, wider)))
      return wider.lanes;
  }
  return lanes;
}
