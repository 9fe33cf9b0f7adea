//===- LaneAnalysis.cpp - finds uniform, strided and varying values ---------===//
#include "compiler/cpu/lane_passes/LaneAnalysis.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

bool cpu::isElementwise(Operation *op) {
  if (isa<lane::LaneDialect>(op->getDialect()))
    return isa<lane::OffsetOp>(op);
  return op->getNumRegions() == 0 && op->getNumResults() > 0 && isMemoryEffectFree(op);
}

bool cpu::isConstantMemory(Value address) {
  while (auto step = address.getDefiningOp<lane::OffsetOp>())
    address = step.getBase();
  return isa<lane::PushConstantsOp, lane::TableOp>(address.getDefiningOp());
}

int64_t cpu::privateStride(lane::PrivateOp op) {
  return llvm::alignTo(op.getBytes(), op.getAlignment());
}

LaneAnalysis::LaneAnalysis(func::FuncOp kernel, const WorkgroupShape &workgroup)
    : kernel(kernel), group(workgroup) {
  collect();
  do {
    changed = false;
    walkRoot();
  } while (changed);
}

void LaneAnalysis::update(Value value, const Shape &shape) {
  Shape &known = shapes[value];
  if (known == shape)
    return;
  known = shape;
  changed = true;
}

//===-------------------------------------------------------------------------===//
// Numbers of the invocation
//===-------------------------------------------------------------------------===//

Shape LaneAnalysis::builtin(StringRef which) const {
  auto [x, y, z] = group.size;
  int64_t lanes = group.lanes, all = group.subgroups() * lanes;
  // If a power of two divides the length of a row, aligned groups of that size are within one row.
  auto groupsIn = [&](int64_t row) { return unsigned(std::min<int64_t>(row & -row, lanes)); };
  auto sameIn = [&](int64_t row, uint64_t max) {
    return row % lanes == 0 || max == 0 ? Shape::uniformOf(max ? 1 : Shape::anyAlignment, max)
                                        : Shape::varying(max, groupsIn(row));
  };
  if (which == "local_index" || (which == "local_id_x" && y * z == 1))
    return Shape::stridedBy(1, all == lanes ? Shape::anyAlignment : lanes, all - 1);
  if (which == "subgroup_lane")
    return Shape::stridedBy(1, Shape::anyAlignment, lanes - 1);
  if (which == "local_id_x" && x % lanes == 0)
    return Shape::stridedBy(1, x == lanes ? Shape::anyAlignment : lanes, x - 1);
  if (which == "local_id_x")
    return Shape::varying(x - 1, groupsIn(x), 1, groupsIn(x));
  if (which == "local_id_y")
    return sameIn(x, y - 1);
  if (which == "local_id_z")
    return sameIn(x * y, (all - 1) / (x * y));
  if (which == "subgroup_id")
    return Shape::uniformOf(1, group.subgroups() - 1);
  return Shape::uniformOf();
}

static bool isSameForWorkgroup(StringRef which) {
  return !which.starts_with("local_") && which != "subgroup_id" && which != "subgroup_lane";
}

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

/// Returns whether a 64-bit number is only used to compute addresses.
bool LaneAnalysis::isAddressOnly(Value value) {
  auto [entry, fresh] = addressOnly.try_emplace(value, false);
  if (!fresh)
    return entry->second;
  bool only = llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<lane::OffsetOp>(user))
      return true;
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(user) &&
           user->getResult(0).getType().isInteger(64) && isAddressOnly(user->getResult(0));
  });
  return addressOnly[value] = only;
}

Shape LaneAnalysis::transfer(Operation *op) {
  auto uniformWith = [&](Value operand) {
    return shape(operand).uniform() ? Shape::uniformOf() : Shape::varying();
  };
  if (isElementwise(op))
    return shapeOfElementwise(op, group.lanes, isAddressOnly(op->getResult(0)),
                              [&](Value v) { return shape(v); });
  return llvm::TypeSwitch<Operation *, Shape>(op)
      .Case([&](lane::BuiltinOp op) { return builtin(op.getWhich()); })
      .Case<lane::BufferOp, lane::BufferBytesOp, lane::PushConstantsOp, lane::SharedOp,
            lane::ProgramOp, lane::TableOp, lane::BallotOp, lane::ClockOp>(
          [](auto) { return Shape::uniformOf(); })
      .Case([](lane::PrivateOp op) { return Shape::stridedBy(privateStride(op)); })
      .Case([&](lane::LoadOp op) {
        bool apart = op->hasAttr("volatile") || op->hasAttr("atomic_order");
        Shape address = shape(op.getAddress());
        if (apart)
          return Shape::varying();
        if (address.uniform())
          return Shape::uniformOf();
        return Shape::varying(Shape::unbounded, address.stride == 0 ? address.block : 1);
      })
      .Case([&](lane::GetOp op) { return variable(op.getSlot()); })
      .Case([&](lane::ArrayGetOp op) {
        auto array = op.getArray().getDefiningOp<lane::ArrayOp>();
        return holdsScalars(array) ? variable(array) : Shape::varying();
      })
      .Case([&](lane::ShuffleOp op) {
        return shape(op.getValue()).uniform() ? shape(op.getValue()) : uniformWith(op.getFrom());
      })
      .Case([&](lane::ReduceOp op) {
        bool whole =
            op.getScan() == "none" && (op.getCluster() == 0 || op.getCluster() >= group.lanes);
        return whole ? Shape::uniformOf() : Shape::varying();
      })
      .Default([](Operation *) { return Shape::varying(); });
}

void LaneAnalysis::visitSet(lane::SetOp set) {
  Shape value = shape(set.getValue());
  if (!overwrites(set))
    value = Shape::varying();
  update(set.getSlot(), join(variable(set.getSlot()), value));
  if (!isWorkgroupBlock(set->getBlock()) || !isWorkgroupScalar(set.getValue()) ||
      !variable(set.getSlot()).uniform())
    changed |= workgroupVariables.erase(set.getSlot());
}

bool LaneAnalysis::holdsScalars(lane::ArrayOp array) const {
  return variable(array).scalar() && llvm::all_of(array->getUsers(), [&](Operation *user) {
           return isa<lane::ArrayGetOp, lane::ArraySetOp>(user) &&
                  shape(user->getOperand(1)).uniform();
         });
}

/// Handles a store to an array. The elements stay uniform only if all lanes that may read them
/// execute the store.
void LaneAnalysis::visitArraySet(lane::ArraySetOp set) {
  Value array = set.getArray();
  bool byAll = maskNumber(set) == maskNumber(array.getDefiningOp());
  update(array, join(variable(array), byAll ? shape(set.getValue()) : Shape::varying()));
}

void LaneAnalysis::visit(Operation *op) {
  if (auto set = dyn_cast<lane::SetOp>(op))
    return visitSet(set);
  if (auto set = dyn_cast<lane::ArraySetOp>(op))
    visitArraySet(set);
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    return visitExit(op, constructAt(op, exit.getDepth()), false);
  if (auto next = dyn_cast<lane::ContinueOp>(op))
    return visitExit(op, constructAt(op, next.getDepth()), true);
  if (isa<lane::ReturnOp>(op))
    return visitExit(op, kernel, false);
  if (isa<lane::BarrierOp>(op) && cut) // otherwise, barriers do not end segments
    storesPending = false;
  if (isa<lane::StoreOp, lane::AtomicOp, lane::CompareExchangeOp>(op))
    storesPending = true;
  if (op->getNumResults() == 0 || isa<lane::VarOp, lane::ArrayOp>(op))
    return;
  Shape shape = transfer(op);
  for (Value result : op->getResults())
    update(result, shape);
  visitWorkgroupScalar(op);
}

//===-------------------------------------------------------------------------===//
// Values of the workgroup
//===-------------------------------------------------------------------------===//

bool LaneAnalysis::scalarForWorkgroup(Operation *op) const {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<ub::PoisonOp>(op))
    return true;
  if (auto builtin = dyn_cast<lane::BuiltinOp>(op))
    return isSameForWorkgroup(builtin.getWhich());
  if (isa<lane::BufferOp, lane::BufferBytesOp, lane::PushConstantsOp, lane::SharedOp,
          lane::ProgramOp, lane::TableOp>(op))
    return true;
  if (!isWorkgroupBlock(op->getBlock()) || !shape(op->getResult(0)).uniform())
    return false;
  if (auto get = dyn_cast<lane::GetOp>(op))
    return isWorkgroupVariable(get.getSlot());
  bool isLoad = isa<lane::LoadOp>(op) && !storesPending;
  return (isLoad || isElementwise(op)) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isWorkgroupScalar(v); });
}

void LaneAnalysis::visitWorkgroupScalar(Operation *op) {
  bool scalar = scalarForWorkgroup(op);
  for (Value result : op->getResults())
    changed |= scalar ? workgroupScalars.insert(result).second : workgroupScalars.erase(result);
}

//===-------------------------------------------------------------------------===//
// For users of the results
//===-------------------------------------------------------------------------===//

static std::string textOf(const Shape &shape) {
  switch (shape.kind) {
  case Shape::Unknown:
    return "unknown";
  case Shape::Uniform:
    return "uniform";
  case Shape::Strided:
    return "strided " + std::to_string(shape.stride);
  case Shape::Varying:
    if (shape.block > 1)
      return "varying, groups of " + std::to_string(shape.block) + " strided " +
             std::to_string(shape.stride);
    return "varying";
  }
  return "";
}

void cpu::annotate(func::FuncOp kernel, const LaneAnalysis &analysis) {
  Builder b(kernel.getContext());
  kernel.walk([&](Operation *op) {
    auto mark = [&](bool holds, StringRef name) {
      if (holds)
        op->setAttr(name, b.getUnitAttr());
    };
    if (isConstruct(op)) {
      mark(analysis.splits(op), "lane.splits");
      mark(analysis.leaks(op), "lane.leaks");
      mark(analysis.isCut() && analysis.isWorkgroupConstruct(op), "lane.for_workgroup");
    }
    if (isa<lane::ExitOp, lane::ContinueOp, lane::ReturnOp>(op))
      mark(analysis.jumps(op), "lane.jumps");
    if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>())
      return;
    Value result = op->getResult(0);
    op->setAttr("lane.shape", b.getStringAttr(textOf(analysis.shape(result))));
    bool once = isa<lane::VarOp>(op) ? analysis.isWorkgroupVariable(result)
                                     : analysis.isWorkgroupScalar(result);
    mark(once, "lane.once");
  });
}
