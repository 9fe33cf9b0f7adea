//===- LoopControl.cpp - a kernel's loops whose variables are large tensors ------===//
//   before: %s = scf.for … iter_args(%sum = %zero) -> (tensor<…>) { … scf.yield %next }
//   after:  an array of the lane, filled with %zero's registers; in the loop %sum's blocks are read
//           from it, and %next's written to it: at once where nothing reads %sum afterwards, else
//           when the turn ends
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

void FragmentLoops::emitFor(Emission &e, scf::ForOp op, size_t item) {
  SmallVector<Value> inits, carried;
  for (auto [init, argument] : llvm::zip_equal(op.getInitArgs(), op.getRegionIterArgs())) {
    if (!isLarge(argument, limits)) {
      inits.push_back(whole(init, e.builder));
      carried.push_back({});
      continue;
    }
    Value array = newArray(argument);
    copy(e, init, array, item);
    arrays[argument] = array;
    changing.insert(argument);
    carried.push_back(argument);
  }
  auto loop = scf::ForOp::create(e.builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(),
                                 op.getStep(), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &body = *loop.getBody();
  body.clear();
  body.getOperations().splice(body.end(), op.getBody()->getOperations());
  op.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  unsigned kept = 0;
  for (auto [i, value] : llvm::enumerate(carried)) {
    if (value) {
      arrays[op.getResult(static_cast<unsigned>(i))] = arrays[value];
      continue;
    }
    op.getRegionIterArg(i).replaceAllUsesWith(loop.getRegionIterArg(kept));
    op.getResult(static_cast<unsigned>(i)).replaceAllUsesWith(loop.getResult(kept));
    ++kept;
  }
  emitBlock(body, carried);
  replaced.push_back(op);
}

/// The item of the loop or the product that makes it.
static std::optional<size_t> itemOf(const Schedule &schedule, Value value) {
  Operation *def = value.getDefiningOp();
  if (auto found = schedule.inGroup.find(def); found != schedule.inGroup.end())
    return found->second;
  for (auto [number, item] : llvm::enumerate(schedule.items))
    if (def && item.single == def && isa<tile::DotOp>(def))
      return number;
  return std::nullopt;
}

/// Where what a loop makes of its variable replaces it at once: nothing reads the variable later,
/// or other blocks of it in the same loop.
void FragmentLoops::keepInPlace(Emission &e, ValueRange carried) {
  Operation *yield = e.block->getTerminator();
  for (auto [i, argument] : llvm::enumerate(carried)) {
    if (!argument)
      continue;
    Value next = yield->getOperand(static_cast<unsigned>(i));
    std::optional<size_t> made = itemOf(e.schedule, next);
    bool isLastUse = made && llvm::all_of(argument.getUses(), [&](OpOperand &use) {
                       Operation *user = use.getOwner();
                       if (user == next.getDefiningOp() && isa<tile::DotOp>(user))
                         return use.getOperandNumber() == 2;
                       auto found = e.schedule.inGroup.find(user);
                       return found != e.schedule.inGroup.end() && found->second <= *made;
                     });
    if (isLastUse && next.getType() == argument.getType())
      e.targets.try_emplace(next, arrays[argument]);
  }
}

/// A variable of a loop, or other names for elements of one.
bool FragmentLoops::readsChanging(Value value) const {
  Operation *def = value.getDefiningOp();
  return changing.contains(value) ||
         (def && isOnDemand(def) && !arrays.contains(value) &&
          llvm::any_of(def->getOperands(), [&](Value operand) { return readsChanging(operand); }));
}

void FragmentLoops::storeCarried(Emission &e, ValueRange carried) {
  Operation *yield = e.block->getTerminator();
  size_t end = e.schedule.items.size();
  SmallVector<std::pair<Value, Value>> copies; // of values to arrays
  SmallVector<std::tuple<RankedTensorType, Value, Value>> moves;
  SmallVector<Value> kept;
  for (auto [i, argument] : llvm::enumerate(carried)) {
    Value next = yield->getOperand(static_cast<unsigned>(i));
    if (!argument) {
      kept.push_back(next);
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (def && sites.contains(def))
      arrayOf(next);
    if (arrays.lookup(next) == arrays[argument])
      continue;
    // What is read of a variable is read before any of them changes.
    if (!readsChanging(next)) {
      copies.push_back({next, arrays[argument]});
      continue;
    }
    Value aside = newArray(next);
    copy(e, next, aside, end);
    moves.push_back({cast<RankedTensorType>(next.getType()), aside, arrays[argument]});
  }
  for (auto [next, array] : copies)
    copy(e, next, array, end);
  for (auto [type, from, to] : moves)
    move(e.builder, yield->getLoc(), type, from, to);
  if (!carried.empty())
    yield->setOperands(kept);
}
