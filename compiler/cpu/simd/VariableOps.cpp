//===- VariableOps.cpp - variables, arrays and private memory ---------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Memory.h"
#include "compiler/cpu/simd/Rules.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// Gives a variable a value where it has none. Otherwise LLVM would keep the value that it had for
/// the subgroup before, in a register through all loops, for the lanes that do not set it.
static void clearVariable(SimdEmitter &e, Value variable) {
  Shape shape = e.analysis.variable(variable);
  if (e.plan.kept(variable) || e.values.blocksOf(shape))
    return;
  Type type = variable.getDefiningOp<lane::VarOp>().getType();
  Value zero = LLVM::ZeroOp::create(e.b, shape.scalar() ? type : e.b.vectorOf(type));
  e.b.storeTo(zero, e.variables.slotOf(variable));
}

static void emitVariableOp(SimdEmitter &e, Operation *op) {
  if (emitVariableInBlocks(e, op))
    return;
  if (auto get = dyn_cast<lane::GetOp>(op)) {
    bool asScalar = e.analysis.variable(get.getSlot()).scalar();
    Type type = asScalar ? get.getType() : e.b.vectorOf(get.getType());
    return e.values.define(get, e.b.loadFrom(type, e.variables.slotOf(get.getSlot())));
  }
  auto set = dyn_cast<lane::SetOp>(op);
  if (!set)
    return clearVariable(e, isa<lane::VarOp>(op) ? op->getResult(0) : op->getOperand(0));
  if (e.variables.isSetInPlace(set))
    return;
  Value slot = e.variables.slotOf(set.getSlot());
  if (e.analysis.variable(set.getSlot()).scalar())
    return e.b.storeTo(e.values.scalar(set.getValue()), slot);
  Value value = e.values.vector(set.getValue());
  if (e.control.mask && !e.analysis.overwrites(set))
    value = e.b.select(e.control.mask, value, e.b.loadFrom(value.getType(), slot));
  e.b.storeTo(value, slot);
}

/// Returns memory for the lanes of a subgroup. It is on the stack. If it is large or must survive
/// barriers, it is in scratch memory.
static Value memoryOf(SimdEmitter &e, Value declaration, int64_t bytes) {
  constexpr int64_t largestOnStack = 32 << 10;
  if (const KeptPlace *place = e.plan.kept(declaration))
    return e.segments.scratchAt(place->offset);
  if (Value memory = e.variables.placeOf(declaration))
    return memory;
  if (bytes <= largestOnStack)
    return e.variables.place(declaration, e.b.stackOf(e.b.getI8Type(), bytes, 64));
  int64_t place = e.frame.reserveScratch(bytes);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.toEntryEnd();
  return e.variables.place(declaration, e.b.offset(e.frame.scratch(), place));
}

static void emitPrivate(SimdEmitter &e, lane::PrivateOp op) {
  Value memory = memoryOf(e, op, privateStride(op) * e.b.lanes);
  e.values.defineHere(op.getAddress(), memory);
}

/// For each i, the elements i of all lanes are stored consecutively, or only once if the lanes
/// agree.
static void emitArrayOp(SimdEmitter &e, Operation *op) {
  auto get = dyn_cast<lane::ArrayGetOp>(op);
  auto array = op->getOperand(0).getDefiningOp<lane::ArrayOp>();
  Value index = op->getOperand(1);
  Type element = e.b.memoryType(array.getType());
  bool once = e.analysis.holdsScalars(array);
  int64_t row = bytesOf(element) * (once ? 1 : e.b.lanes);
  Value memory = memoryOf(e, array.getArray(), row * array.getCount());
  if (e.analysis.shape(index).uniform()) {
    Value wide = LLVM::SExtOp::create(e.b, e.b.getI64Type(), e.values.scalar(index));
    Value place = e.b.offset(memory, LLVM::MulOp::create(e.b, wide, e.b.i64(row)));
    Type type = once ? element : e.b.vectorOf(element);
    if (get)
      return e.values.define(get, e.b.fromMemory(e.b.loadFrom(type, place), get.getType()));
    if (once)
      return e.b.storeTo(e.b.toMemory(e.values.scalar(op->getOperand(2))), place);
    Value value = e.b.toMemory(e.values.vector(op->getOperand(2)));
    return e.b.storeTo(e.control.mask ? e.b.select(e.control.mask, value, e.b.loadFrom(type, place))
                                      : value,
                       place);
  }
  Value rows = LLVM::MulOp::create(e.b, e.values.vector(index),
                                   e.b.integer(e.b.vectorOf(e.b.getI32Type()), e.b.lanes));
  Value number = LLVM::AddOp::create(e.b, rows, e.b.laneNumbers(e.b.getI32Type(), 1));
  LaneAddress address{memory, number, static_cast<unsigned>(bytesOf(element))};
  if (get)
    return e.values.define(
        get, e.b.fromMemory(gather(e, address, 0, element, bytesOf(element), e.control.mask),
                            get.getType()));
  scatter(e, address, 0, e.b.toMemory(e.values.vector(op->getOperand(2))), bytesOf(element));
}

ArrayRef<simd::Rule> simd::variableRules() {
  static const Rule rules[] = {ruleFor<lane::VarOp>(emitVariableOp),
                               ruleFor<lane::GetOp>(emitVariableOp),
                               ruleFor<lane::SetOp>(emitVariableOp),
                               ruleFor<lane::ResetOp>(emitVariableOp),
                               ruleFor<lane::ArrayOp>([](SimdEmitter &, Operation *) {}),
                               ruleFor<lane::ArrayGetOp>(emitArrayOp),
                               ruleFor<lane::ArraySetOp>(emitArrayOp),
                               rule<emitPrivate>()};
  return rules;
}
