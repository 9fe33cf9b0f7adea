//===- Control.cpp - tensors that loops carry and conditionals return -------===//
//   before: %s = scf.for … iter_args(%sum = %zero) -> (tensor<…>) { … scf.yield %next }
//   after:  a private array of the lane, filled with %zero's registers. The loop reads blocks of
//           %sum from it, and writes blocks of %next to it. It writes each block immediately if
//           nothing reads %sum afterwards, else at the end of the iteration.
//
// Both sides of an scf.if write their results' blocks to the same array.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

/// Makes an array that holds the variable's initial value.
Value FragmentLoops::carry(Emission &e, Value init, Value variable, size_t item) {
  Value array = newArray(variable);
  copy(e, init, array, item);
  changing.insert(variable);
  return arrays[variable] = array;
}

/// Replaces the values that are not kept in arrays. `after` lists their replacements in the same
/// order.
void FragmentLoops::replaceSmall(ValueRange before, ValueRange after) const {
  for (Value value : before)
    if (!isLarge(value, limits)) {
      value.replaceAllUsesWith(after.front());
      after = after.drop_front();
    }
}

static void takeOperations(Block &to, Block &from) {
  to.clear();
  to.getOperations().splice(to.end(), from.getOperations());
}

void FragmentLoops::emitFor(Emission &e, scf::ForOp op, size_t item) {
  SmallVector<Value> inits, carried;
  for (auto [init, argument] : llvm::zip_equal(op.getInitArgs(), op.getRegionIterArgs())) {
    if (isLarge(argument, limits))
      carry(e, init, argument, item);
    else
      inits.push_back(whole(init, e.builder));
    carried.push_back(isLarge(argument, limits) ? Value(argument) : Value());
  }
  auto loop = scf::ForOp::create(e.builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(),
                                 op.getStep(), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  takeOperations(*loop.getBody(), *op.getBody());
  op.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  for (auto [argument, result] : llvm::zip_equal(op.getRegionIterArgs(), op.getResults()))
    if (Value array = arrays.lookup(argument))
      arrays[result] = array;
  replaceSmall(op.getRegionIterArgs(), loop.getRegionIterArgs());
  replaceSmall(op.getResults(), loop.getResults());
  emitBlock(*loop.getBody(), carried);
  replaced.push_back(op);
}

/// Emits a while loop. Values that the condition forwards unchanged stay in their arrays.
void FragmentLoops::emitWhile(Emission &e, scf::WhileOp op, size_t item) {
  SmallVector<Value> inits, carriedBefore, carriedAfter;
  SmallVector<Type> types;
  for (auto [init, argument] : llvm::zip_equal(op.getInits(), op.getBeforeArguments())) {
    if (isLarge(argument, limits))
      carry(e, init, argument, item);
    else
      inits.push_back(whole(init, e.builder));
    carriedAfter.push_back(isLarge(argument, limits) ? Value(argument) : Value());
  }
  llvm::DenseSet<Value> taken;
  for (auto [handed, argument, result] :
       llvm::zip_equal(op.getConditionOp().getArgs(), op.getAfterArguments(), op.getResults())) {
    carriedBefore.push_back(isLarge(argument, limits) ? Value(argument) : Value());
    if (!isLarge(argument, limits)) {
      types.push_back(argument.getType());
      continue;
    }
    auto from = llvm::find(op.getBeforeArguments(), handed);
    bool stays = from != op.getBeforeArguments().end() && taken.insert(handed).second;
    if (stays) // in the body, the variable is `argument`, which must be used before it changes
      carriedAfter[static_cast<size_t>(from - op.getBeforeArguments().begin())] = argument;
    Value array = stays ? arrays.lookup(handed) : newArray(argument);
    arrays[argument] = array;
    arrays[result] = array;
    changing.insert(argument);
  }
  auto loop = scf::WhileOp::create(e.builder, op.getLoc(), types, inits, nullptr, nullptr);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  takeOperations(*loop.getBeforeBody(), *op.getBeforeBody());
  takeOperations(*loop.getAfterBody(), *op.getAfterBody());
  replaceSmall(op.getBeforeArguments(), loop.getBeforeArguments());
  replaceSmall(op.getAfterArguments(), loop.getAfterArguments());
  replaceSmall(op.getResults(), loop.getResults());
  emitBlock(*loop.getBeforeBody(), carriedBefore);
  emitBlock(*loop.getAfterBody(), carriedAfter);
  replaced.push_back(op);
}

/// Emits a conditional whose two branches fill the same arrays.
void FragmentLoops::emitIf(Emission &e, scf::IfOp op) {
  SmallVector<Value> given;
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    if (isLarge(result, limits))
      arrays[result] = newArray(result);
    else
      types.push_back(result.getType());
    given.push_back(isLarge(result, limits) ? result : Value());
  }
  auto condition = scf::IfOp::create(e.builder, op.getLoc(), types, op.getCondition(),
                                     /*addThenBlock=*/true, /*addElseBlock=*/true);
  condition->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  takeOperations(*condition.thenBlock(), *op.thenBlock());
  takeOperations(*condition.elseBlock(), *op.elseBlock());
  replaceSmall(op.getResults(), condition.getResults());
  emitBlock(*condition.thenBlock(), given);
  emitBlock(*condition.elseBlock(), given);
  replaced.push_back(op);
}

/// Returns the next values of the carried variables. They are the terminator's last operands.
static OperandRange nextOf(Operation *terminator, ValueRange carried) {
  return terminator->getOperands().take_back(carried.size());
}

/// Returns the index of the item in the schedule that computes `value`, if that is a loop or a
/// product.
static std::optional<size_t> itemOf(const Schedule &schedule, Value value) {
  Operation *def = value.getDefiningOp();
  if (auto found = schedule.inGroup.find(def); found != schedule.inGroup.end())
    return found->second;
  for (auto [number, item] : llvm::enumerate(schedule.items))
    if (def && item.single == def && isa<tile::DotOp>(def))
      return number;
  return std::nullopt;
}

/// Allows writing the next value of a variable directly to the variable's array, if no old value is
/// read after that. A loop that computes the next value may read the old one only in the same block
/// of the tensor. Uses outside of the emitted block are safe, since they run before it starts or
/// after it ends.
void FragmentLoops::keepInPlace(Emission &e, ValueRange carried) {
  Operation *yield = e.block->getTerminator();
  for (auto [next, argument] : llvm::zip_equal(nextOf(yield, carried), carried)) {
    if (!argument)
      continue;
    std::optional<size_t> made = itemOf(e.schedule, next);
    auto isBefore = [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (!e.block->findAncestorOpInBlock(*user))
        return true;
      if (user == next.getDefiningOp() && isa<tile::DotOp>(user))
        return use.getOperandNumber() == 2;
      auto found = e.schedule.inGroup.find(user);
      return found != e.schedule.inGroup.end() && found->second <= *made;
    };
    if (made && llvm::all_of(argument.getUses(), isBefore) && next.getType() == argument.getType())
      e.targets.try_emplace(next, arrays[argument]);
  }
}

/// Returns whether the elements of a value come from one of the arrays in `some`, directly or on
/// demand.
bool FragmentLoops::isOf(Value value, const llvm::DenseSet<Value> &some) const {
  if (Value array = arrays.lookup(value))
    return some.contains(array);
  Operation *def = value.getDefiningOp();
  return def && isOnDemand(def) &&
         llvm::any_of(def->getOperands(), [&](Value operand) { return isOf(operand, some); });
}

void FragmentLoops::storeCarried(Emission &e, ValueRange carried) {
  Operation *yield = e.block->getTerminator();
  size_t end = e.schedule.items.size();
  SmallVector<Value> kept(yield->getOperands().drop_back(carried.size()));
  SmallVector<std::pair<Value, Value>> copies; // from values to arrays
  llvm::DenseSet<Value> overwritten;
  for (auto [next, argument] : llvm::zip_equal(nextOf(yield, carried), carried)) {
    if (!argument) {
      kept.push_back(next);
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (def && sites.contains(def))
      arrayOf(next);
    if (arrays.lookup(next) == arrays[argument])
      continue;
    copies.push_back({next, arrays[argument]});
    overwritten.insert(arrays[argument]);
  }
  // Values that are computed from arrays that change here go through further arrays, because all
  // reads must precede all writes.
  SmallVector<std::tuple<RankedTensorType, Value, Value>> moves;
  for (auto &[next, array] : copies)
    if (isOf(next, overwritten)) {
      Value aside = newArray(next);
      copy(e, next, aside, end);
      moves.push_back({cast<RankedTensorType>(next.getType()), aside, array});
    }
  for (auto [next, array] : copies)
    if (!isOf(next, overwritten))
      copy(e, next, array, end);
  for (auto [type, from, to] : moves)
    move(e.builder, yield->getLoc(), type, from, to);
  if (!carried.empty())
    yield->setOperands(kept);
}
