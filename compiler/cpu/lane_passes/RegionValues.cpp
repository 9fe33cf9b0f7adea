//===- RegionValues.cpp - values that are used outside their region ---------===//
#include "compiler/cpu/lane_passes/RegionValues.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pumice;
using pumice::cpu::makeVariable;

Value cpu::makeVariable(OpBuilder &builder, Location loc, Type type) {
  return lane::VarOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type);
}

/// Returns whether an operation has the same result everywhere in the function, or declares memory
/// for the whole function.
static bool belongsAtBeginning(Operation &op) {
  return op.getNumOperands() == 0 && op.getNumResults() != 0 && op.getNumRegions() == 0 &&
         (isPure(&op) || isa<lane::VarOp, lane::ArrayOp, lane::PrivateOp>(op));
}

static void moveToBeginning(func::FuncOp function) {
  Block &top = function.getBody().front();
  SmallVector<Operation *> moved;
  function.walk([&](Operation *op) {
    if (op != function && belongsAtBeginning(*op))
      moved.push_back(op);
  });
  Operation *after = nullptr;
  for (Operation *op : moved) {
    if (after)
      op->moveAfter(after);
    else
      op->moveBefore(&top, top.begin());
    after = op;
  }
}

/// Returns the constant offset of an address in the push constants, if it has one.
static std::optional<int64_t> pushConstantOffset(Value address) {
  if (address.getDefiningOp<lane::PushConstantsOp>())
    return 0;
  auto offset = address.getDefiningOp<lane::OffsetOp>();
  IntegerAttr bytes;
  if (offset && offset.getBase().getDefiningOp<lane::PushConstantsOp>() &&
      matchPattern(offset.getBytes(), m_Constant(&bytes)))
    return bytes.getInt();
  return std::nullopt;
}

/// Reads each push constant once, at the beginning, because push constants do not change while a
/// kernel runs. Then it is known that a loop bound which is a push constant does not change.
static void readPushConstantsOnce(func::FuncOp function) {
  SmallVector<std::pair<int64_t, lane::LoadOp>> loads;
  function.walk([&](lane::LoadOp load) {
    if (std::optional<int64_t> offset = pushConstantOffset(load.getAddress()))
      loads.push_back({*offset, load});
  });
  Block &top = function.getBody().front();
  Operation *after = nullptr; // the last operation at the beginning
  for (Operation &op : top) {
    if (!belongsAtBeginning(op))
      break;
    after = &op;
  }
  llvm::SmallPtrSet<Operation *, 8> moved;
  for (size_t i = 0; i < loads.size(); ++i) {
    auto [offset, load] = loads[i];
    auto same = llvm::find_if(ArrayRef(loads).take_front(i), [&](auto &earlier) {
      return earlier.first == offset &&
             lane::LoadOp(earlier.second).getResultTypes() == load.getResultTypes();
    });
    if (same != ArrayRef(loads).take_front(i).end()) {
      load->replaceAllUsesWith(lane::LoadOp(same->second));
      continue;
    }
    Operation *address = load.getAddress().getDefiningOp<lane::OffsetOp>();
    if (address && moved.insert(address).second) { // another load may have moved this address
      address->moveAfter(after);
      after = address;
    }
    load->moveAfter(after);
    after = load;
  }
  for (auto &[offset, load] : loads)
    if (load.use_empty())
      load.erase();
}

static bool isInRegionOf(Value value, Operation *user) {
  return value.getParentBlock()->findAncestorOpInBlock(*user) != nullptr;
}

/// Returns the outermost loop that contains the definition but not the use, or null.
static lane::LoopOp loopLeft(Operation *definition, Operation *user) {
  lane::LoopOp left;
  for (Operation *op = definition->getParentOp(); op; op = op->getParentOp())
    if (auto loop = dyn_cast<lane::LoopOp>(op))
      if (!loop->isProperAncestor(user))
        left = loop;
  return left;
}

static void passThroughVariable(Block &top, Value value, ArrayRef<OpOperand *> uses) {
  Operation *definition = value.getDefiningOp();
  Location loc = value.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&top);
  Value slot = makeVariable(builder, loc, value.getType());
  lane::LoopOp left;
  for (OpOperand *use : uses)
    if (lane::LoopOp loop = loopLeft(definition, use->getOwner()))
      if (!left || loop->isProperAncestor(left))
        left = loop;
  if (left) {
    builder.setInsertionPoint(left);
    lane::ResetOp::create(builder, loc, slot);
  }
  builder.setInsertionPointAfter(definition);
  // An invocation that leaves the loop keeps the value that it had then.
  lane::SetOp::create(builder, loc, slot, value, /*overwrite=*/!left);
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    builder.setInsertionPoint(user);
    use->set(lane::GetOp::create(builder, loc, value.getType(), slot));
  }
}

void cpu::passValuesThroughVariables(func::FuncOp function) {
  moveToBeginning(function);
  readPushConstantsOnce(function);
  Block &top = function.getBody().front();
  SmallVector<Value> values;
  function.walk([&](Operation *op) {
    if (op->getBlock() != &top)
      llvm::append_range(values, op->getResults());
  });
  for (Value value : values) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (!isInRegionOf(value, use.getOwner()))
        uses.push_back(&use);
    if (!uses.empty())
      passThroughVariable(top, value, uses);
  }
}
