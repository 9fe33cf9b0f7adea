//===- WorkgroupPlan.cpp - plans segments between a workgroup's barriers ----===//
#include "compiler/cpu/simd/WorkgroupPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

int64_t cpu::bytesOf(Type scalar) {
  if (isa<LLVM::LLVMPointerType>(scalar))
    return 8;
  return std::max<int64_t>(scalar.getIntOrFloatBitWidth() / 8, 1);
}

SimdPlan::SimdPlan(func::FuncOp kernel, const LaneAnalysis &analysis)
    : kernel(kernel), analysis(analysis) {
  cutBlock(kernel.getBody().front());
  if (!analysis.isCut())
    return;
  placeValues();
  placeMasks();
  bytesOfOne = llvm::alignTo(bytesOfOne, 64);
}

//===-------------------------------------------------------------------------===//
// Segments
//===-------------------------------------------------------------------------===//

namespace {
/// Divides a block into segments and other items, one operation at a time.
struct Cutter {
  std::vector<PlanItem> &items;
  unsigned &next;
  SmallVector<Operation *> pending, assignments;

  void flush() {
    if (!pending.empty())
      items.push_back({PlanItem::Segment, nullptr, std::move(pending), ++next});
    for (Operation *op : assignments)
      items.push_back({PlanItem::Assign, op, {}, 0});
    pending.clear();
    assignments.clear();
  }

  void whole(PlanItem::Kind kind, Operation *op) {
    flush();
    items.push_back({kind, op, {}, kind == PlanItem::Construct ? ++next : 0});
  }

  /// Returns whether an operation reads an assigned variable. Assignments are delayed to the end of
  /// the segment. So the operations of the segment, and scalars after it, must not read such a
  /// variable.
  bool readsAssigned(Operation *op) const {
    return llvm::any_of(assignments, [&](Operation *set) {
      Value slot = set->getOperand(0);
      return op
          ->walk([&](lane::GetOp get) {
            return get.getSlot() == slot ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
    });
  }
};
} // namespace

void SimdPlan::cutBlock(Block &block) {
  std::vector<PlanItem> items;
  Cutter cutter{items, nextSegment, {}, {}};
  for (Operation &op : block) {
    bool ofWorkgroup = op.getNumResults() && analysis.isWorkgroupScalar(op.getResult(0));
    if (!isa<lane::SetOp>(op) && cutter.readsAssigned(&op))
      cutter.flush();
    if (isa<lane::BarrierOp>(op) && analysis.isCut())
      cutter.whole(PlanItem::Barrier, &op);
    else if (op.hasTrait<OpTrait::IsTerminator>())
      cutter.whole(PlanItem::Terminator, &op);
    else if (isConstruct(&op) && analysis.isWorkgroupConstruct(&op))
      cutter.whole(PlanItem::Construct, &op);
    else if (ofWorkgroup)
      items.push_back({PlanItem::Scalar, &op, {}, 0});
    else if (isa<lane::SetOp>(op) && analysis.isWorkgroupVariable(op.getOperand(0)))
      cutter.assignments.push_back(&op);
    else if (!isa<lane::VarOp, lane::ResetOp>(op) ||
             !analysis.isWorkgroupVariable(isa<lane::VarOp>(op) ? op.getResult(0)
                                                                : op.getOperand(0)))
      cutter.pending.push_back(&op);
  }
  cutter.flush();
  for (PlanItem &item : items) {
    for (Operation *op : item.ops)
      segments[op] = item.segment;
    if (item.kind == PlanItem::Construct)
      segments[item.op] = item.segment;
  }
  blocks[&block] = items;
  for (PlanItem &item : items)
    if (item.kind == PlanItem::Construct)
      for (Region &region : item.op->getRegions())
        if (!region.empty())
          cutBlock(region.front());
}

unsigned SimdPlan::segmentOf(Operation *op) const {
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp())
    if (auto found = segments.find(op); found != segments.end())
      return found->second;
  return 0;
}

//===-------------------------------------------------------------------------===//
// Values that are kept between segments
//===-------------------------------------------------------------------------===//

int64_t SimdPlan::allocate(int64_t size, int64_t alignment) {
  int64_t offset = llvm::alignTo(bytesOfOne, alignment);
  bytesOfOne = offset + size;
  return offset;
}

int64_t SimdPlan::allocateFor(Type type, bool scalar) {
  int64_t size = bytesOf(type) * (scalar ? 1 : analysis.workgroup().lanes);
  return allocate(size, std::min<int64_t>(llvm::PowerOf2Ceil(size), 64));
}

const KeptPlace *SimdPlan::kept(Value value) const {
  auto found = places.find(value);
  return found == places.end() ? nullptr : &found->second;
}

ArrayRef<Value> SimdPlan::keptVariables(unsigned segment) const {
  auto found = variables.find(segment);
  return found == variables.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

/// Returns whether a value is the result of a few operations on constants, invocation numbers and
/// values of the workgroup.
bool SimdPlan::isCheap(Value value, unsigned &cost) const {
  if (analysis.isWorkgroupScalar(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || ++cost > 8)
    return false;
  if (isa<lane::BuiltinOp>(op))
    return true;
  if (!isElementwise(op) || isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value v) { return isCheap(v, cost); });
}

bool SimdPlan::livesInOneSegment(Operation *declaration) const {
  unsigned own = segmentOf(declaration);
  return llvm::all_of(declaration->getUsers(),
                      [&](Operation *user) { return segmentOf(user) == own; });
}

void SimdPlan::placeVariable(lane::VarOp var) {
  if (analysis.isWorkgroupVariable(var.getSlot()) || livesInOneSegment(var))
    return;
  places[var.getSlot()] = {allocateFor(var.getType(), analysis.variable(var.getSlot()).scalar())};
  llvm::SmallSetVector<unsigned, 8> accessed;
  for (Operation *user : var->getUsers())
    accessed.insert(segmentOf(user));
  for (unsigned segment : accessed)
    variables[segment].push_back(var.getSlot());
}

/// Reserves memory for arrays and private blocks, because any other value may contain their
/// addresses.
void SimdPlan::placeMemory(Operation *op) {
  int64_t lanes = analysis.workgroup().lanes;
  if (auto array = dyn_cast<lane::ArrayOp>(op)) {
    if (!livesInOneSegment(op))
      places[array.getArray()] = {
          allocate(bytesOf(array.getType()) * array.getCount() * lanes, 64)};
    return;
  }
  auto block = cast<lane::PrivateOp>(op);
  places[block.getAddress()] = {allocate(privateStride(block) * lanes, 64)};
}

/// Reserves memory for values that other segments use. Only values from blocks that run once per
/// workgroup can be used there.
void SimdPlan::placeValues() {
  for (auto &[block, items] : blocks) {
    for (const PlanItem &item : items) {
      if (item.kind != PlanItem::Segment)
        continue;
      for (Operation *op : item.ops)
        for (Value value : op->getResults()) {
          if (isa<lane::VarOp, lane::ArrayOp, lane::PrivateOp>(op) ||
              llvm::all_of(value.getUsers(),
                           [&](Operation *user) { return segmentOf(user) == item.segment; }))
            continue;
          unsigned cost = 0;
          if (isCheap(value, cost))
            recomputed.insert(value);
          else
            places[value] = {allocateFor(value.getType(), analysis.shape(value).scalar())};
        }
    }
  }
  kernel.walk([&](Operation *op) {
    if (auto var = dyn_cast<lane::VarOp>(op))
      placeVariable(var);
    else if (isa<lane::ArrayOp, lane::PrivateOp>(op))
      placeMemory(op);
  });
}

/// Reserves memory for masks. They are needed only if some invocations of a workgroup may reach a
/// barrier without the others.
void SimdPlan::placeMasks() {
  int64_t size = llvm::divideCeil(analysis.workgroup().lanes, 8);
  kernel.walk([&](Operation *op) {
    if (!isConstruct(op) || !analysis.isWorkgroupBlock(op->getBlock()))
      return;
    bool ofWorkgroup = analysis.isWorkgroupConstruct(op);
    if ((analysis.leaks(op) || (ofWorkgroup && analysis.splits(op))) && runningMask < 0)
      runningMask = allocate(size, 8);
    if (!ofWorkgroup)
      return;
    if (analysis.splits(op)) {
      left[op] = allocate(size, 8);
      if (isa<lane::IfOp, lane::SwitchOp>(op))
        others[op] = allocate(size, 8);
    }
    if (analysis.continuesApart(op))
      continued[op] = allocate(size, 8);
  });
}
