//===- Loops.cpp - emits loops for instructions -----------------------------===//
#include "compiler/cpu/from_spirv/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Scalars cpu::loopWhile(Lowering &l, ValueRange first, LoopCondition condition, LoopBody body) {
  Region *region = l.b.getInsertionBlock()->getParent();
  auto newBlock = [&](TypeRange types) {
    auto *block = new Block;
    region->push_back(block);
    for (Type type : types)
      block->addArgument(type, l.b.getLoc());
    return block;
  };
  Block *header = newBlock(first.getTypes()), *inside = newBlock({}), *after = newBlock({});
  cf::BranchOp::create(l.b, header, first);
  l.b.setInsertionPointToEnd(header);
  Scalars carried(header->getArguments().begin(), header->getArguments().end());
  Value again = condition(carried);
  cf::CondBranchOp::create(l.b, again, inside, ValueRange(), after, ValueRange());
  l.b.setInsertionPointToEnd(inside);
  cf::BranchOp::create(l.b, header, body(carried));
  l.b.setInsertionPointToEnd(after);
  return carried;
}

Scalars cpu::loopBelow(Lowering &l, Value begin, Value end, Value step, ValueRange first,
                       LoopBody body) {
  Scalars carried{begin};
  llvm::append_range(carried, first);
  auto isBelow = [&](ArrayRef<Value> values) -> Value {
    return arith::CmpIOp::create(l.b, arith::CmpIPredicate::ult, values[0], end);
  };
  auto next = [&](ArrayRef<Value> values) {
    Scalars made{arith::AddIOp::create(l.b, values[0], step)};
    llvm::append_range(made, body(values));
    return made;
  };
  Scalars results = loopWhile(l, carried, isBelow, next);
  results.erase(results.begin());
  return results;
}
