//===- MemoryBackedValues.cpp - values with long arrays ---------------------===//
// Most composites are represented by their scalars. For a composite with a long array, such code
// would take minutes to compile. So its value stays in the memory from which it was loaded, as long
// as nothing writes there. Otherwise, it is copied to lane.arrays. A loop copies the array:
//   before: %s = spirv.Load %from : !spirv.struct<(!spirv.array<1000 x i32>)>
//           spirv.Store %to, %s
//   after:  lane.set %i, 0
//           lane.loop { %n = lane.get %i   lane.if (%n < 62) { lane.end } else { lane.exit 1 }
//             lane.store (lane.load (%from + 64 * %n)), (%to + 64 * %n) : 16 scalars
//           } continuing { lane.set %i, %n + 1 }
//           … and the rest of 1000 / 16 after it
// The loop is a construct inside one block of a flat kernel. So the merge marks of other constructs
// stay valid.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// `mostAtOnce` is the largest number of scalars of an array that are copied without a loop.
/// `leastInTurn` is the smallest number that an iteration copies.
static constexpr int64_t mostAtOnce = 64, leastInTurn = 16;

/// Returns whether a type contains matrices. Arrays of matrices are always represented by scalars,
/// because a loop cannot index them.
static bool holdsMatrices(Type type) {
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return holdsMatrices(array.getElementType());
  auto record = dyn_cast<spirv::StructType>(type);
  return isa<spirv::CooperativeMatrixType>(type) ||
         (record && llvm::any_of(record.getElementTypes(), holdsMatrices));
}

bool memory_backed::isLong(const Types &types, Type type) {
  if (isa<spirv::ArrayType>(type))
    return types.count(type) > mostAtOnce && !holdsMatrices(type);
  auto record = dyn_cast<spirv::StructType>(type);
  return record &&
         llvm::any_of(record.getElementTypes(), [&](Type member) { return isLong(types, member); });
}

//===-------------------------------------------------------------------------===//
// Copies
//===-------------------------------------------------------------------------===//

/// Returns whether the pointer's target may be accessed by indices that are known only at run time,
/// and thus in a loop.
static bool hasLoops(const Pointer &pointer) {
  return !pointer.variable || pointer.variable->kind == Variable::Kind::Arrays;
}

static LogicalResult repeat(Lowering &l, int64_t turns,
                            llvm::function_ref<LogicalResult(Value)> body) {
  ImplicitLocOpBuilder &b = l.b;
  Value counter = l.atEntry([&] {
    return lane::VarOp::create(b, b.getType<LLVM::LLVMPointerType>(), b.getI32Type()).getResult();
  });
  // All invocations share the count, so no lane waits for others in the loop.
  auto count = [&](Value number) { lane::SetOp::create(b, counter, number, /*overwrite=*/true); };
  count(l.integer(0));
  auto loop = lane::LoopOp::create(b, IntegerAttr(), DenseI32ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  auto *inside = b.createBlock(&loop.getBody());
  Value number = lane::GetOp::create(b, b.getI32Type(), counter);
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, l.integer(turns));
  auto test = lane::IfOp::create(b, more, DenseI32ArrayAttr(), IntegerAttr());
  b.createBlock(&test.getThenRegion());
  lane::EndOp::create(b);
  b.createBlock(&test.getElseRegion());
  lane::ExitOp::create(b, 1);
  b.setInsertionPointToEnd(inside);
  LogicalResult done = body(number);
  lane::EndOp::create(b);
  b.createBlock(&loop.getContinuing());
  Value last = lane::GetOp::create(b, b.getI32Type(), counter);
  count(arith::AddIOp::create(b, last, l.integer(1)));
  lane::EndOp::create(b);
  return done;
}

/// Returns a pointer to `count` elements from `first` on, as a separate array.
static FailureOr<Pointer> slice(Lowering &l, const Pointer &array, Value first, int64_t count) {
  Type type = array.pointee;
  int64_t stride = array.variable ? 0 : l.types.stride(type, array.matrix);
  l.set(first, {first});
  FailureOr<Pointer> part = l.access(array, first);
  if (succeeded(part) && count != 1)
    part->pointee = spirv::ArrayType::get(part->pointee, static_cast<unsigned>(count),
                                          static_cast<unsigned>(stride));
  return part;
}

static LogicalResult copyAtOnce(Lowering &l, const Pointer &to, const Pointer &from,
                                memory_backed::Alignments alignments) {
  FailureOr<Scalars> loaded = l.load(from, alignments.from);
  return failed(loaded) ? failure() : l.store(to, *loaded, alignments.to);
}

static LogicalResult copySlices(Lowering &l, const Pointer &to, const Pointer &from, Value first,
                                int64_t count, memory_backed::Alignments alignments) {
  FailureOr<Pointer> source = slice(l, from, first, count), target = slice(l, to, first, count);
  return failed(source) || failed(target) ? failure()
                                          : memory_backed::copy(l, *target, *source, alignments);
}

LogicalResult memory_backed::copy(Lowering &l, const Pointer &to, const Pointer &from,
                                  Alignments alignments) {
  if (!isLong(l.types, from.pointee) || !hasLoops(to) || !hasLoops(from))
    return copyAtOnce(l, to, from, alignments);
  int64_t count = l.types.elements(from.pointee);
  if (isa<spirv::StructType>(from.pointee)) {
    for (int64_t i = 0; i < count; ++i)
      if (failed(copySlices(l, to, from, l.integer(i), 1, alignments)))
        return failure();
    return success();
  }
  int64_t each = l.types.count(l.types.element(from.pointee, 0));
  int64_t together = std::clamp<int64_t>(leastInTurn / std::max<int64_t>(each, 1), 1, count);
  auto turn = [&](Value number) {
    Value first = together == 1
                      ? number
                      : arith::MulIOp::create(l.b, number, l.integer(together)).getResult();
    return copySlices(l, to, from, first, together, alignments);
  };
  if (failed(repeat(l, count / together, turn)))
    return failure();
  int64_t rest = count % together;
  return rest ? copySlices(l, to, from, l.integer(count - rest), rest, alignments) : success();
}

//===-------------------------------------------------------------------------===//
// Values
//===-------------------------------------------------------------------------===//

FailureOr<Pointer> memory_backed::room(Lowering &l, Type type) {
  SmallVector<Type> list;
  if (!l.types.scalars(type, list))
    return l.error() << "a value of type " << type << " is not supported";
  return l.arraysFor(type, list);
}

static bool passesOn(StringRef name) { return name == "CopyObject" || name == "CopyLogical"; }

namespace {
/// Describes how a loaded value is used.
struct Uses {
  bool extractsOnly = true;       // only short parts of it are extracted
  bool here = true;               // all uses are in the block of the value
  Operation *last = nullptr;      // the last use in the block
  SmallVector<Operation *> takes; // those uses that are extractions
};
} // namespace

static void findUses(const Types &types, Value value, Uses &uses) {
  for (Operation *user : value.getUsers()) {
    std::string name = instructionName(user);
    bool isShort =
        user->getNumResults() == 1 && !memory_backed::isLong(types, user->getResult(0).getType());
    if (name == "CompositeExtract" && isShort)
      uses.takes.push_back(user);
    else if (!passesOn(name))
      uses.extractsOnly = false;
    uses.here &= user->getBlock() == value.getParentBlock();
    if (uses.here && (!uses.last || uses.last->isBeforeInBlock(user)))
      uses.last = user;
    if (passesOn(name) || (name == "CompositeExtract" && !isShort))
      findUses(types, user->getResult(0), uses);
  }
}

/// Returns whether an instruction cannot write to memory from which a value was loaded.
static bool isQuiet(Operation *op) {
  std::string name = instructionName(op);
  return passesOn(name) || isMemoryEffectFree(op) ||
         llvm::is_contained({"AccessChain", "InBoundsAccessChain", "Load", "CompositeExtract",
                             "CompositeInsert", "CompositeConstruct", "mlir.addressof"},
                            name);
}

/// Returns whether the memory still holds the loaded value at its last use. The last use may itself
/// be a store, if it cannot overlap with the memory.
static bool outlives(const Uses &uses, Operation *load, Lowering &l, const Pointer &from) {
  if (from.isVolatile || !uses.here)
    return from.isConstant;
  for (Operation *op = load->getNextNode(); op && op != uses.last; op = op->getNextNode())
    if (!isQuiet(op))
      return false;
  if (!uses.last || isQuiet(uses.last))
    return true;
  if (instructionName(uses.last) != "Store")
    return false;
  FailureOr<Pointer> to = l.pointer(uses.last->getOperand(0));
  return succeeded(to) && (from.isConstant || from.variable != to->variable);
}

/// Returns the part of a value at a path of constant indices.
static FailureOr<Pointer> partAt(Lowering &l, const Pointer &whole, ArrayRef<int32_t> path) {
  FailureOr<Pointer> part = whole;
  for (int32_t index : path) {
    if (!l.types.isComposite(part->pointee) || index < 0 ||
        index >= l.types.elements(part->pointee))
      return l.error() << "there is no element " << index << " in " << part->pointee;
    Value number = l.integer(index);
    l.set(number, {number});
    part = l.access(*part, number);
    if (failed(part))
      return failure();
  }
  return part;
}

/// Returns the indices of an extraction, counted from the loaded value.
static SmallVector<int32_t> pathTo(Lowering &l, Operation *extract, Value whole) {
  SmallVector<int32_t> path;
  for (Operation *op = extract;; op = op->getOperand(0).getDefiningOp()) {
    if (!passesOn(instructionName(op))) {
      SmallVector<int32_t> own = l.literals(op, "indices");
      path.insert(path.begin(), own.begin(), own.end());
    }
    if (op->getOperand(0) == whole)
      return path;
  }
}

LogicalResult memory_backed::load(Lowering &l, Operation *op, const Pointer &from,
                                  unsigned alignment) {
  Value result = op->getResult(0);
  Uses uses;
  findUses(l.types, result, uses);
  if (uses.extractsOnly && !from.isVolatile) {
    for (Operation *extract : uses.takes) {
      FailureOr<Pointer> part = partAt(l, from, pathTo(l, extract, result));
      FailureOr<Scalars> scalars =
          failed(part) ? FailureOr<Scalars>(failure()) : l.load(*part, alignment);
      if (failed(scalars) || failed(l.finish(extract, *scalars)))
        return failure();
    }
    l.setWhole(result, {from, alignment, false});
    return success();
  }
  if (outlives(uses, op, l, from)) {
    l.setWhole(result, {from, alignment, false});
    return success();
  }
  FailureOr<Pointer> own = room(l, from.pointee);
  if (failed(own) || failed(copy(l, *own, from, {0, alignment})))
    return failure();
  l.setWhole(result, {*own, 0, true});
  return success();
}

/// Returns a table with the contents of a constant.
static FailureOr<Pointer> tableOf(Lowering &l, Type type, ArrayRef<Value> scalars) {
  if (!memory_backed::isLong(l.types, type))
    return failure();
  FailureOr<Value> bytes = l.table(type, scalars);
  if (failed(bytes))
    return failure();
  Pointer table;
  table.pointee = type;
  table.base = *bytes;
  table.isConstant = true;
  return table;
}

LogicalResult memory_backed::store(Lowering &l, const Pointer &to, ArrayRef<Value> scalars,
                                   unsigned alignment) {
  bool mayLoop = hasLoops(to) && !to.isConstant;
  FailureOr<Pointer> table =
      mayLoop ? tableOf(l, to.pointee, scalars) : FailureOr<Pointer>(failure());
  return succeeded(table) ? copy(l, to, *table, {alignment, 0}) : l.store(to, scalars, alignment);
}

LogicalResult memory_backed::store(Lowering &l, const Pointer &to, Value value,
                                   unsigned alignment) {
  const Whole *whole = l.whole(value);
  if (!whole)
    return store(l, to, l.get(value), alignment);
  if (to.isConstant)
    return success();
  Whole from = *whole;
  return copy(l, to, from.pointer, {alignment, from.alignment});
}

LogicalResult memory_backed::extract(Lowering &l, Operation *op, ArrayRef<int32_t> path) {
  Value result = op->getResult(0);
  Whole whole = *l.whole(op->getOperand(0));
  FailureOr<Pointer> part = partAt(l, whole.pointer, path);
  if (failed(part))
    return failure();
  if (isLong(l.types, result.getType())) {
    l.setWhole(result, {*part, whole.alignment, false});
    return success();
  }
  FailureOr<Scalars> scalars = l.load(*part, whole.alignment);
  return failed(scalars) ? failure() : l.finish(op, *scalars);
}

//===-------------------------------------------------------------------------===//
// Control flow
//===-------------------------------------------------------------------------===//

/// Emits both branches of a condition, each in its own region.
static LogicalResult choose(Lowering &l, Value condition,
                            llvm::function_ref<LogicalResult(bool)> side) {
  ImplicitLocOpBuilder &b = l.b;
  OpBuilder::InsertionGuard guard(b);
  auto test = lane::IfOp::create(b, condition, DenseI32ArrayAttr(), IntegerAttr());
  LogicalResult done = success();
  for (bool first : {true, false}) {
    b.createBlock(first ? &test.getThenRegion() : &test.getElseRegion());
    if (failed(side(first)))
      done = failure();
    lane::EndOp::create(b);
  }
  return done;
}

LogicalResult memory_backed::select(Lowering &l, Operation *op) {
  FailureOr<Pointer> own = room(l, op->getResult(0).getType());
  if (failed(own) || failed(choose(l, l.scalar(op->getOperand(0)), [&](bool first) {
        return store(l, *own, op->getOperand(first ? 1 : 2), 0);
      })))
    return failure();
  l.setWhole(op->getResult(0), {*own, 0, true});
  return success();
}

bool memory_backed::mayReceive(Block &block) {
  return llvm::all_of(block.getPredecessors(), [](Block *from) {
    return isa<spirv::BranchOp, spirv::BranchConditionalOp, cf::BranchOp, cf::CondBranchOp>(
        from->getTerminator());
  });
}

/// Passes all arguments at once. An argument's value may be in memory that another argument
/// overwrites; such values are copied first.
static LogicalResult passAll(Lowering &l, ArrayRef<std::pair<Value, Value>> passed) {
  SmallVector<std::pair<Value, Value>> rest;
  std::vector<std::pair<Pointer, Pointer>> kept; // the target, and the copy for it
  for (auto [argument, operand] : passed) {
    const Whole *from = l.whole(operand);
    bool isOther = from && from->pointer.variable && llvm::any_of(passed, [&](auto &pair) {
                     return l.whole(pair.first)->pointer.variable == from->pointer.variable;
                   });
    if (!isOther) {
      rest.push_back({argument, operand});
      continue;
    }
    Pointer to = l.whole(argument)->pointer;
    if (to.variable == from->pointer.variable) // the target already holds the value
      continue;
    FailureOr<Pointer> copy = memory_backed::room(l, argument.getType());
    if (failed(copy) || failed(memory_backed::store(l, *copy, operand, 0)))
      return failure();
    kept.push_back({to, *copy});
  }
  for (auto [argument, operand] : rest) {
    Pointer to = l.whole(argument)->pointer;
    if (failed(memory_backed::store(l, to, operand, 0)))
      return failure();
  }
  for (auto &[to, copy] : kept)
    if (failed(memory_backed::copy(l, to, copy, {})))
      return failure();
  return success();
}

LogicalResult memory_backed::pass(Lowering &l, Operation *branch, unsigned successor,
                                  ArrayRef<std::pair<Value, Value>> passed) {
  if (branch->getNumSuccessors() == 1)
    return passAll(l, passed);
  return choose(l, l.scalar(branch->getOperand(0)), [&](bool first) {
    return first == (successor == 0) ? passAll(l, passed) : success();
  });
}

//===-------------------------------------------------------------------------===//
// Parts
//===-------------------------------------------------------------------------===//

LogicalResult memory_backed::construct(Lowering &l, Operation *op) {
  FailureOr<Pointer> own = room(l, op->getResult(0).getType());
  if (failed(own))
    return failure();
  for (auto [i, part] : llvm::enumerate(op->getOperands())) {
    FailureOr<Pointer> at = partAt(l, *own, static_cast<int32_t>(i));
    if (failed(at) || failed(store(l, *at, part, 0)))
      return failure();
  }
  l.setWhole(op->getResult(0), {*own, 0, true});
  return success();
}

/// Inserts in place if the old value has no other use.
LogicalResult memory_backed::insert(Lowering &l, Operation *op, ArrayRef<int32_t> path) {
  Value old = op->getOperand(1);
  Whole whole = *l.whole(old);
  bool inPlace = whole.isOwn && old.hasOneUse() && old.getParentBlock() == op->getBlock();
  if (!inPlace) {
    FailureOr<Pointer> own = room(l, old.getType());
    if (failed(own) || failed(copy(l, *own, whole.pointer, {0, whole.alignment})))
      return failure();
    whole = {*own, 0, true};
  }
  FailureOr<Pointer> part = partAt(l, whole.pointer, path);
  if (failed(part) || failed(store(l, *part, op->getOperand(0), 0)))
    return failure();
  l.setWhole(op->getResult(0), whole);
  return success();
}
