//===- PromoteVariables.cpp - promotes variables of flat kernels ------------===//
//   before:  %v = lane.var i32                     after:
//            ...                                     ^a: cf.br ^c(%x : i32)
//            ^a: lane.set %v, %x   cf.br ^c          ^b: cf.br ^c(%y : i32)
//            ^b: lane.set %v, %y   cf.br ^c          ^c(%r: i32):
//            ^c: %r = lane.get %v
// This has the same effect as MLIR's mem2reg, but one walk handles all variables. Mem2reg visits
// every block for each variable, which takes minutes if there are thousands of both. The value of a
// read is searched from its block upwards. Where paths merge, the value becomes a block argument,
// whose operands are searched later. Arguments that have only one value are removed. Needs: flat
// functions. Leaves: only those lane.vars that have other uses.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_PROMOTEVARIABLES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {

class Promotion {
public:
  explicit Promotion(func::FuncOp kernel) : kernel(kernel) {}
  void run();

private:
  using Place = std::pair<Block *, Value>; // a variable at the end of a block visited so far

  void collect();
  void walk(Block &block);
  Value read(Value slot, Block *block);
  Value undefined(Value slot);
  void findOperands();
  void findSingles();
  void replaceSingles();
  void passOperands();
  Value resolved(Value value) const {
    for (auto found = singles.find(value); found != singles.end(); found = singles.find(value))
      value = found->second;
    return value;
  }

  func::FuncOp kernel;
  llvm::SetVector<Operation *> variables;
  DenseSet<Block *> reachable;
  DenseMap<Place, Value> current;
  DenseMap<Value, Value> undefinedOf;
  struct Argument {
    BlockArgument value;
    Value slot;
    SmallVector<Value, 2> operands; // one operand per edge, in predecessor order
  };
  std::vector<Argument> arguments;
  DenseMap<Value, size_t> numberOf;
  DenseMap<Value, Value> singles; // arguments with only one value, and that value
};

bool isPromotable(lane::VarOp variable, Region &body) {
  return llvm::all_of(variable.getSlot().getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getParentRegion() != &body)
      return false;
    if (auto get = dyn_cast<lane::GetOp>(user))
      return get.getValue().getType() == variable.getType();
    auto set = dyn_cast<lane::SetOp>(user);
    return set && use.getOperandNumber() == 0 && set.getValue().getType() == variable.getType();
  });
}

void Promotion::collect() {
  Region &body = kernel.getBody();
  for (Block &block : body)
    for (Operation &op : block)
      if (auto variable = dyn_cast<lane::VarOp>(op); variable && isPromotable(variable, body))
        variables.insert(variable);
}

/// Returns poison, as mem2reg does, because SPIR-V's variables begin with a store.
Value Promotion::undefined(Value slot) {
  Value &made = undefinedOf[slot];
  if (!made) {
    auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    made = ub::PoisonOp::create(b, slot.getLoc(), slot.getDefiningOp<lane::VarOp>().getType());
  }
  return made;
}

Value Promotion::read(Value slot, Block *block) {
  Block *first = block;
  Value found;
  while (!found) {
    if (auto known = current.find({block, slot}); known != current.end())
      found = known->second;
    else if (block->isEntryBlock() || !reachable.contains(block))
      found = undefined(slot);
    else if (Block *only = block->getSinglePredecessor())
      block = only;
    else {
      Type type = slot.getDefiningOp<lane::VarOp>().getType();
      BlockArgument made = block->addArgument(type, slot.getLoc());
      numberOf[made] = arguments.size();
      arguments.push_back({made, slot, {}});
      found = current[{block, slot}] = made;
    }
  }
  return current[{first, slot}] = found;
}

/// Visits a block. All blocks that dominate it have been visited before.
void Promotion::walk(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto get = dyn_cast<lane::GetOp>(op)) {
      if (!variables.contains(get.getSlot().getDefiningOp()))
        continue;
      get.getValue().replaceAllUsesWith(read(get.getSlot(), &block));
      get.erase();
    } else if (auto set = dyn_cast<lane::SetOp>(op)) {
      if (!variables.contains(set.getSlot().getDefiningOp()))
        continue;
      current[{&block, set.getSlot()}] = set.getValue();
      set.erase();
    }
  }
}

/// Finds the operands of new arguments, after every block has been visited. The search may create
/// more arguments.
void Promotion::findOperands() {
  for (size_t i = 0; i < arguments.size(); ++i) {
    Block *block = arguments[i].value.getOwner();
    for (Block *from : block->getPredecessors()) {
      Value operand = read(arguments[i].slot, from);
      arguments[i].operands.push_back(operand);
    }
  }
}

/// Removes arguments whose only operands are themselves and one value. Other arguments may then
/// become removable, too.
void Promotion::findSingles() {
  DenseMap<Value, SmallVector<size_t, 2>> users;
  SmallVector<size_t> waiting;
  for (size_t i = 0; i < arguments.size(); ++i) { // taken from the end of `waiting`
    waiting.push_back(i);
    for (Value operand : arguments[i].operands)
      if (numberOf.contains(operand))
        users[operand].push_back(i);
  }
  while (!waiting.empty()) {
    const Argument &argument = arguments[waiting.pop_back_val()];
    if (singles.contains(argument.value))
      continue;
    Value only;
    bool several = false;
    for (Value operand : argument.operands) {
      Value value = resolved(operand);
      several |= value != argument.value && only && value != only;
      if (value != argument.value)
        only = value;
    }
    if (several || !only)
      continue;
    singles[argument.value] = only;
    SmallVector<size_t, 2> again = users[argument.value];
    llvm::append_range(waiting, again);
    if (numberOf.contains(only))
      llvm::append_range(users[only], again);
  }
}

void Promotion::replaceSingles() {
  for (Argument &argument : arguments)
    if (singles.contains(argument.value))
      argument.value.replaceAllUsesWith(resolved(argument.value));
    else
      for (Value &operand : argument.operands)
        operand = resolved(operand);
}

void Promotion::passOperands() {
  DenseMap<Block *, SmallVector<Argument *>> kept, dropped;
  for (Argument &argument : arguments)
    (singles.contains(argument.value) ? dropped : kept)[argument.value.getOwner()].push_back(
        &argument);
  for (auto &[block, list] : dropped) {
    llvm::BitVector which(block->getNumArguments());
    for (Argument *argument : list)
      which.set(argument->value.getArgNumber());
    block->eraseArguments(which);
  }
  for (auto &[block, list] : kept) {
    size_t edge = 0;
    for (auto at = block->pred_begin(); at != block->pred_end(); ++at, ++edge) {
      SmallVector<Value> operands;
      for (Argument *argument : list)
        operands.push_back(argument->operands[edge]);
      cast<BranchOpInterface>((*at)->getTerminator())
          .getSuccessorOperands(at.getSuccessorIndex())
          .append(operands);
    }
  }
}

void Promotion::run() {
  collect();
  if (variables.empty())
    return;
  llvm::ReversePostOrderTraversal<Region *> order(&kernel.getBody());
  reachable.insert(order.begin(), order.end());
  for (Block *block : order)
    walk(*block);
  for (Block &block : kernel.getBody())
    if (!reachable.contains(&block))
      walk(block);
  findOperands();
  findSingles();
  replaceSingles();
  passOperands();
  for (Operation *variable : variables)
    variable->erase();
}

struct PromoteVariables final : cpu::impl::PromoteVariablesBase<PromoteVariables> {
  void runOnOperation() override { Promotion(getOperation()).run(); }
};

} // namespace
