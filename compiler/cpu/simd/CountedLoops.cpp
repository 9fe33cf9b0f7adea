//===- CountedLoops.cpp - loops that can be cancelled -----------------------===//
//   before: while (i < n) …
//   after:  do { limit = n - i > 2^14 ? i + 2^14 : n; while (i < limit) …; }
//           while (i < n && nobody cancels)
// A launch can be cancelled at any time, so a loop that may take long tests a word of the launch. A
// counting loop tests only between pieces of many iterations, so that iterations stay as fast.
// Other loops test in every iteration. Loops that are known to be short never test.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// The number of iterations between two tests. A loop with at most this many iterations is short.
/// If its body is long, a piece takes about 1 ms.
static constexpr int64_t turnsOfPiece = 1 << 14;

//===-------------------------------------------------------------------------===//
// SPIR-V's loop control (section 3.10)
//===-------------------------------------------------------------------------===//

static constexpr uint32_t unroll = 1, dontUnroll = 2, dependencyLength = 8, partialCount = 0x100;

/// The largest number of copies to request. LLVM makes as many copies of a body as a hint requests,
/// whatever their size.
static constexpr int64_t mostUnrolled = 4096;

static uint32_t controlOf(lane::LoopOp loop) { return loop.getControl().value_or(0); }

/// Returns the literal of one bit in the mask. Each bit from DependencyLength on has a literal, in
/// the order of the bits.
static std::optional<uint32_t> literalOf(lane::LoopOp loop, uint32_t bit) {
  uint32_t control = controlOf(loop);
  auto literals = loop.getControlOperands().value_or(ArrayRef<int32_t>());
  size_t index = llvm::popcount(control & (bit - 1) & ~(dependencyLength - 1));
  if (!(control & bit) || index >= literals.size())
    return std::nullopt;
  return static_cast<uint32_t>(literals[index]);
}

static bool holdsLoop(lane::LoopOp loop) {
  return loop.getBody().walk([](lane::LoopOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns whether to request this number of copies. Unrolling nested loops would multiply the
/// numbers.
static bool canUnroll(lane::LoopOp loop, uint32_t count) {
  int64_t operations = 0;
  loop->walk([&](Operation *) { ++operations; });
  return !holdsLoop(loop) && count <= mostUnrolled / operations;
}

/// Returns those parts of the loop control for which LLVM has annotations.
static LLVM::LoopAnnotationAttr annotationOf(lane::LoopOp loop) {
  MLIRContext *context = loop.getContext();
  uint32_t control = controlOf(loop);
  std::optional<uint32_t> count = literalOf(loop, partialCount);
  bool disables = (control & dontUnroll) || count == 1;
  bool enables = (control & unroll) || count;
  if (!disables && !enables)
    return {};
  auto number = count && *count > 1 && canUnroll(loop, *count)
                    ? IntegerAttr::get(IntegerType::get(context, 32), static_cast<int64_t>(*count))
                    : IntegerAttr();
  auto unrolling = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, disables), number, {},
                                             {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unrolling, {}, {}, {}, {}, {}, {}, {},
                                       {}, {}, {}, {});
}

//===-------------------------------------------------------------------------===//
// Loops that count
//===-------------------------------------------------------------------------===//

namespace {
/// A variable that each iteration moves by one towards a bound, at which an exit leaves the loop.
struct Count {
  lane::IfOp test;
  lane::ExitOp exit;
  arith::CmpIOp compare;
  lane::GetOp counter;
  arith::CmpIPredicate goesOn; // the comparison of counter and bound
  bool up;
};
} // namespace

static bool isIn(Operation *op, lane::LoopOp loop) { return loop->isProperAncestor(op); }

/// Returns whether the value is the same in every iteration. This holds if it is computed before
/// the loop, or only from operands that do not change.
static bool isFixed(Value value, lane::LoopOp loop) {
  Operation *op = value.getDefiningOp();
  if (!isIn(op, loop) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  auto load = dyn_cast<lane::LoadOp>(op);
  bool ofOperands = load ? isConstantMemory(load.getAddress()) : isElementwise(op);
  return (ofOperands || isa<lane::PushConstantsOp, lane::ProgramOp, lane::TableOp>(op)) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isFixed(v, loop); });
}

/// Returns whether the value is that of the counter at the start of the iteration. It may be read
/// from the counter, or from a variable that passes the value to the end of the loop.
static bool isOldCounter(Value value, Value slot, lane::LoopOp loop) {
  auto get = value.getDefiningOp<lane::GetOp>();
  if (!get || get.getSlot() == slot)
    return get != nullptr;
  lane::SetOp only;
  for (Operation *user : get.getSlot().getUsers())
    if (auto set = dyn_cast<lane::SetOp>(user)) {
      if (only)
        return false;
      only = set;
    }
  if (!only || only->getBlock() != &loop.getBody().front())
    return false;
  auto from = only.getValue().getDefiningOp<lane::GetOp>();
  return from && from.getSlot() == slot && isIn(from, loop);
}

/// Returns whether the only set of the counter in the loop is a step at the loop's end.
static bool stepsByOne(lane::LoopOp loop, Value slot, bool up) {
  Operation *step = nullptr;
  for (Operation *user : slot.getUsers())
    if (isa<lane::SetOp, lane::ResetOp>(user) && isIn(user, loop)) {
      if (step)
        return false;
      step = user;
    }
  auto set = dyn_cast_or_null<lane::SetOp>(step);
  if (!set || set->getBlock() != &loop.getContinuing().front())
    return false;
  auto sum = set.getValue().getDefiningOp<arith::AddIOp>();
  APInt by;
  return sum && isOldCounter(sum.getLhs(), slot, loop) &&
         matchPattern(sum.getRhs(), m_ConstantInt(&by)) && (up ? by.isOne() : by.isAllOnes());
}

/// Returns the exit in a region, if the region contains nothing else.
static lane::ExitOp exitOf(Region &region, lane::LoopOp loop) {
  auto exit = dyn_cast<lane::ExitOp>(region.front().getTerminator());
  bool only = exit && region.front().getOperations().size() == 1;
  return only && constructAt(exit, exit.getDepth()) == loop ? exit : lane::ExitOp();
}

static std::optional<Count> countOf(lane::LoopOp loop, lane::IfOp test) {
  auto compare = test.getCondition().getDefiningOp<arith::CmpIOp>();
  auto counter = compare ? compare.getLhs().getDefiningOp<lane::GetOp>() : lane::GetOp();
  if (!counter || !isFixed(compare.getRhs(), loop))
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate goesOn = compare.getPredicate();
  lane::ExitOp exit = exitOf(test.getThenRegion(), loop);
  if (exit)
    goesOn = arith::invertPredicate(goesOn);
  else
    exit = exitOf(test.getElseRegion(), loop);
  bool up = goesOn == Predicate::slt || goesOn == Predicate::ult;
  if (!exit || (!up && goesOn != Predicate::sgt && goesOn != Predicate::ugt) ||
      !stepsByOne(loop, counter.getSlot(), up))
    return std::nullopt;
  return Count{test, exit, compare, counter, goesOn, up};
}

static std::optional<Count> countOf(lane::LoopOp loop) {
  for (Region &region : loop->getRegions())
    for (auto test : region.front().getOps<lane::IfOp>())
      if (auto count = countOf(loop, test))
        return count;
  return std::nullopt;
}

/// Returns whether the loop counts from one constant to another in a few iterations.
static bool isShortCount(Count count, lane::LoopOp loop) {
  APInt bound, start;
  if (count.counter.getType().getIntOrFloatBitWidth() <= 8)
    return true;
  if (!matchPattern(count.compare.getRhs(), m_ConstantInt(&bound)))
    return false;
  bool isSigned =
      count.goesOn == arith::CmpIPredicate::slt || count.goesOn == arith::CmpIPredicate::sgt;
  bool begins = false;
  for (Operation *user : count.counter.getSlot().getUsers()) {
    auto set = dyn_cast<lane::SetOp>(user);
    if (!set || isIn(set, loop))
      continue;
    if (!matchPattern(set.getValue(), m_ConstantInt(&start)))
      return false;
    begins = true;
    bool overflows = false;
    const APInt &from = count.up ? start : bound, &to = count.up ? bound : start;
    APInt turns = isSigned ? to.ssub_ov(from, overflows) : to.usub_ov(from, overflows);
    if (isSigned ? overflows || turns.sgt(turnsOfPiece) : !overflows && turns.ugt(turnsOfPiece))
      return false;
  }
  return begins;
}

/// Returns whether every iteration reaches the test, because nothing before the test goes to the
/// end of the loop.
static bool isAlwaysReached(lane::IfOp test, lane::LoopOp loop) {
  Block *block = test->getBlock();
  if (block != &loop.getBody().front())
    return true;
  return llvm::none_of(llvm::make_range(block->begin(), test->getIterator()), [&](Operation &op) {
    return op
        .walk([&](lane::ContinueOp again) {
          return constructAt(again, again.getDepth()) == loop ? WalkResult::interrupt()
                                                              : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

/// Returns whether the loop needs no test. Only innermost loops count as short, because enclosing
/// loops can afford the test. MaxIterations is ignored: a module may violate it, and even then the
/// launch must end.
static bool isShort(lane::LoopOp loop) {
  if (holdsLoop(loop))
    return false;
  std::optional<Count> count = countOf(loop);
  return count && isAlwaysReached(count->test, loop) && isShortCount(*count, loop);
}

/// Returns whether the code before the test may run a second time, because it does not read the
/// variables that it sets.
static bool canBeginAgain(Count count, lane::LoopOp loop) {
  if (count.test->getBlock() != &loop.getBody().front())
    return false;
  DenseSet<Value> got, set;
  for (Operation &op :
       llvm::make_range(loop.getBody().front().begin(), count.test->getIterator())) {
    bool apart = op.hasAttr("volatile") || op.hasAttr("atomic_order");
    if (auto get = dyn_cast<lane::GetOp>(op))
      got.insert(get.getSlot());
    else if (auto setting = dyn_cast<lane::SetOp>(op))
      set.insert(setting.getSlot());
    else if (apart ||
             !(isElementwise(&op) ||
               isa<lane::LoadOp, lane::ResetOp, lane::VarOp, lane::BuiltinOp, lane::PushConstantsOp,
                   lane::ProgramOp, lane::BufferOp, lane::TableOp>(op)))
      return false;
  }
  return llvm::none_of(set, [&](Value slot) { return got.contains(slot); });
}

//===-------------------------------------------------------------------------===//
// Pieces of iterations
//===-------------------------------------------------------------------------===//

/// Emits the operations that compute the bound, which are inside the loop.
void CountedLoops::emitFixed(Value value, lane::LoopOp loop) {
  Operation *op = value.getDefiningOp();
  if (!isIn(op, loop) || isLeaf(value) || e.analysis.isWorkgroupScalar(value))
    return;
  for (Value operand : op->getOperands())
    emitFixed(operand, loop);
  e.emitOp(op);
}

Block *CountedLoops::startLoop(lane::LoopOp loop, Block *body) {
  std::optional<Count> count = countOf(loop);
  if (!count || isShort(loop) || holdsLoop(loop) || !canBeginAgain(*count, loop) ||
      !count->compare->hasOneUse() || e.analysis.splits(count->test) ||
      !e.analysis.jumps(count->exit) || !e.analysis.shape(count->counter).uniform() ||
      !e.analysis.shape(count->compare.getRhs()).uniform())
    return body;
  Pieces made;
  Type type = count->counter.getType();
  made.goesOn = count->goesOn;
  made.limit = e.b.stackOf(type);
  made.next = e.b.newBlock();
  OpBuilder::InsertionGuard guard(e.b);
  e.b.startBlock(made.next);
  emitFixed(count->compare.getRhs(), loop);
  Value counter = e.b.loadFrom(type, e.variables.slotOf(count->counter.getSlot()));
  Value bound = e.values.scalar(count->compare.getRhs()), piece = e.b.integer(type, turnsOfPiece);
  auto distance = [&](Value from, Value to) -> Value { return LLVM::SubOp::create(e.b, to, from); };
  Value left = count->up ? distance(counter, bound) : distance(bound, counter);
  Value end = count->up ? LLVM::AddOp::create(e.b, counter, piece).getRes()
                        : LLVM::SubOp::create(e.b, counter, piece).getRes();
  Value more = arith::CmpIOp::create(e.b, count->goesOn, counter, bound);
  Value isFar = LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ugt, left, piece);
  e.b.storeTo(e.b.select(LLVM::AndOp::create(e.b, more, isFar), end, bound), made.limit);
  e.b.branch(body);
  counted[loop] = counted[count->compare] = counted[count->exit] = made;
  return made.next;
}

void CountedLoops::leaveForGood(lane::ExitOp exit) {
  auto found = counted.find(exit);
  if (found == counted.end())
    return;
  Pieces loop = found->second;
  std::optional<Count> count = countOf(cast<lane::LoopOp>(constructAt(exit, exit.getDepth())));
  Block *more = e.b.newBlock(), *done = e.b.newBlock();
  Value goesOn = arith::CmpIOp::create(e.b, loop.goesOn, e.values.scalar(count->counter),
                                       e.values.scalar(count->compare.getRhs()));
  e.b.branch(goesOn, more, done);
  e.b.startBlock(more);
  e.frame.testCancel(loop.next);
  e.b.startBlock(done);
}

bool CountedLoops::emitCount(Operation *op) {
  auto found = counted.find(op);
  if (found == counted.end())
    return false;
  auto compare = cast<arith::CmpIOp>(op);
  Value counter = e.values.scalar(compare.getLhs());
  e.values.define(compare,
                  arith::CmpIOp::create(e.b, compare.getPredicate(), counter,
                                        e.b.loadFrom(counter.getType(), found->second.limit)));
  return true;
}

void CountedLoops::repeatLoop(lane::LoopOp loop, Block *body) {
  if (isShort(loop) || counted.contains(loop))
    e.b.branch(body);
  else
    e.frame.testCancel(body);
  Operation &last = e.b.getInsertionBlock()->back();
  LLVM::LoopAnnotationAttr annotation = annotationOf(loop);
  if (auto jump = dyn_cast<LLVM::BrOp>(last); jump && annotation)
    jump.setLoopAnnotationAttr(annotation);
  else if (auto test = dyn_cast<LLVM::CondBrOp>(last); test && annotation)
    test.setLoopAnnotationAttr(annotation);
}
