//===- Values.cpp - values, variables and what is computed lane by lane -===//
//   before: %y = arith.addf %x, %c : f32     (%x varying, %c uniform)
//   after:  %c16 = llvm.shufflevector …      (%c in all lanes)
//           %y = arith.addf %x, %c16 : vector<16xf32>
// Values whose lanes one scalar tells stay scalars: no vector is made until one is needed.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "executable/NativeCode.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Values of other segments
//===-------------------------------------------------------------------------===//

/// Loads a value that another segment has kept, or computes it again, before the segment's code.
void SimdEmitter::bring(Value value) {
  Operation *op = value.getDefiningOp();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  const KeptPlace *place = plan.kept(value);
  if (place && !isa<lane::PrivateOp>(op)) {
    Type type = b.memoryType(value.getType());
    type = analysis.shape(value).scalar() ? type : b.vectorOf(type);
    Value kept = b.loadFrom(type, scratchAt(place->offset));
    return values.defineHere(value, b.fromMemory(kept, value.getType()));
  }
  Value allHere = std::exchange(mask, Value());
  emitOp(op);
  mask = allHere;
}

bool SimdEmitter::isKept(Value value) {
  return plan.kept(value) && plan.segmentOf(value.getDefiningOp()) == segment;
}

void SimdEmitter::keep(Value value, Value as) {
  Value stored = b.toMemory(as);
  b.storeTo(stored, scratchAt(plan.kept(value)->offset));
}

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

/// An operation of one result on one invocation's values.
Value SimdEmitter::emitScalarCopy(Operation *op, ArrayRef<Value> operands) {
  if (isa<lane::OffsetOp>(op))
    return b.offset(operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  OperationState state(b.getLoc(), op->getName(), operands, op->getResultTypes(), op->getAttrs());
  return b.create(state)->getResult(0);
}

void SimdEmitter::emitElementwise(Operation *op) {
  if (emitCount(op) || emitDivision(op) || emitInBlocks(op))
    return;
  bool asScalar = analysis.shape(op->getResult(0)).scalar();
  if (auto step = dyn_cast<lane::OffsetOp>(op); step && !asScalar) {
    Value base = analysis.shape(step.getBase()).uniform() ? values.scalar(step.getBase())
                                                          : values.vector(step.getBase());
    Type type = b.vectorOf(step.getType());
    return values.define(step, LLVM::GEPOp::create(b, type, b.getI8Type(), base,
                                                   ValueRange{values.vector(step.getBytes())}));
  }
  bool oneCondition =
      isa<arith::SelectOp, LLVM::SelectOp>(op) && analysis.shape(op->getOperand(0)).uniform();
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands.push_back(asScalar || (oneCondition && i == 0) ? values.scalar(operand)
                                                            : values.vector(operand));
  if (asScalar && op->getNumResults() == 1)
    return values.define(op->getResult(0), emitScalarCopy(op, operands));
  if (isa<arith::SelectOp>(op))
    return values.define(op->getResult(0), b.select(operands[0], operands[1], operands[2]));
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(asScalar ? type : b.vectorOf(type));
  state.addAttributes(op->getAttrs());
  Operation *wide = b.create(state);
  for (auto [old, fresh] : llvm::zip_equal(op->getResults(), wide->getResults()))
    values.define(old, fresh);
}

Value SimdEmitter::emitLeaf(Operation *op) {
  if (auto builtin = dyn_cast<lane::BuiltinOp>(op)) {
    StringRef which = builtin.getWhich();
    if (which == "num_subgroups")
      return b.i32(analysis.workgroup().subgroups());
    if (which == "subgroup_size")
      return b.i32(lanes);
    unsigned axis = which.back() - 'x';
    if (which.starts_with("workgroup_size_"))
      return b.i32(analysis.workgroup().size[axis]);
    if (which.starts_with("global_offset_"))
      return frame.launchField(offsetof(executable::NativeLaunch, globalOffset) + 4 * axis,
                               b.getI32Type());
    if (which == "work_dimensions")
      return frame.launchField(offsetof(executable::NativeLaunch, dimensions), b.getI32Type());
    return frame.groupNumber(axis, which);
  }
  if (auto buffer = dyn_cast<lane::BufferOp>(op))
    return frame.bufferField(op, 0, buffer.getType());
  if (auto buffer = dyn_cast<lane::BufferBytesOp>(op))
    return frame.bufferField(op, 8, buffer.getType());
  if (isa<lane::PushConstantsOp>(op))
    return frame.launchField(offsetof(executable::NativeLaunch, pushConstants),
                             op->getResult(0).getType());
  if (auto program = dyn_cast<lane::ProgramOp>(op))
    return b.offset(
        frame.launchField(offsetof(executable::NativeLaunch, program), program.getType()),
        program.getOffset());
  if (auto shared = dyn_cast<lane::SharedOp>(op))
    return b.offset(frame.sharedMemory(), shared.getOffset());
  if (auto table = dyn_cast<lane::TableOp>(op))
    return frame.tableAddress(table);
  return b.clone(*op)->getResult(0);
}

/// Reads the processor's cycles (on x86 all processors share the counter), or nanoseconds, of which
/// EmitNative makes a call.
void SimdEmitter::emitClock(lane::ClockOp op) {
  StringRef name = op.getNanoseconds() ? "llvm.readsteadycounter" : "llvm.readcyclecounter";
  values.define(op.getTime(), LLVM::CallIntrinsicOp::create(b, b.getI64Type(),
                                                            b.getStringAttr(name), ValueRange{})
                                  .getResults());
}

//===-------------------------------------------------------------------------===//
// Numbers of the invocation
//===-------------------------------------------------------------------------===//

/// The lanes' numbers in the workgroup.
Value SimdEmitter::linearNumbers() {
  Value first = LLVM::MulOp::create(b, subgroup, b.i32(lanes));
  return LLVM::AddOp::create(b, b.splat(first), b.laneNumbers(b.getI32Type(), 1));
}

void SimdEmitter::emitBuiltin(lane::BuiltinOp op) {
  StringRef which = op.getWhich();
  auto [x, y, z] = analysis.workgroup().size;
  Shape shape = analysis.shape(op.getResult());
  if (which == "subgroup_lane")
    return values.define(op, b.i32(0));
  if (which == "subgroup_id")
    return values.define(op, subgroup);
  if (which == "local_index" || (which == "local_id_x" && y * z == 1))
    return values.define(op, LLVM::MulOp::create(b, subgroup, b.i32(lanes)));
  int64_t period = which == "local_id_x" ? x : which == "local_id_y" ? y : 0;
  int64_t divisor = which == "local_id_x" ? 1 : which == "local_id_y" ? x : x * y;
  if (shape.uniform() && shape.max == 0)
    return values.define(op, b.i32(0));
  auto numberOf = [&](Value invocation) {
    Type type = invocation.getType();
    if (divisor > 1)
      invocation = LLVM::UDivOp::create(b, invocation, b.integer(type, divisor));
    if (period > 0)
      invocation = LLVM::URemOp::create(b, invocation, b.integer(type, period));
    return invocation;
  };
  // x, y and z of lanes that all lie in one row are those of the row's pieces.
  Value first = LLVM::MulOp::create(b, subgroup, b.i32(lanes));
  if (shape.scalar())
    return values.define(op, numberOf(first));
  unsigned blocks = values.blocksOf(shape);
  if (!blocks)
    return values.define(op, numberOf(linearNumbers()));
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i)
    firsts.push_back(
        numberOf(LLVM::AddOp::create(b, first, b.i32(static_cast<int64_t>(i) * shape.block))));
  values.defineFirsts(op, firsts);
}

//===-------------------------------------------------------------------------===//
// Variables, arrays, private memory
//===-------------------------------------------------------------------------===//

void SimdEmitter::emitVariableOp(Operation *op) {
  if (emitVariableInBlocks(op))
    return;
  if (auto get = dyn_cast<lane::GetOp>(op)) {
    bool asScalar = analysis.variable(get.getSlot()).scalar();
    Type type = asScalar ? get.getType() : b.vectorOf(get.getType());
    return values.define(get, b.loadFrom(type, variables.slotOf(get.getSlot())));
  }
  auto set = dyn_cast<lane::SetOp>(op);
  if (!set)
    return; // a declaration or reset: undefined is what a variable is anyway
  if (variables.isSetInPlace(set))
    return;
  Value slot = variables.slotOf(set.getSlot());
  if (analysis.variable(set.getSlot()).scalar())
    return b.storeTo(values.scalar(set.getValue()), slot);
  Value value = values.vector(set.getValue());
  if (mask && !analysis.overwrites(set))
    value = b.select(mask, value, b.loadFrom(value.getType(), slot));
  b.storeTo(value, slot);
}

/// Memory of a subgroup's lanes: on the stack, or in the scratch memory where it is large or lives
/// across barriers.
Value SimdEmitter::memoryOf(Value declaration, int64_t bytes) {
  constexpr int64_t largestOnStack = 32 << 10;
  if (const KeptPlace *place = plan.kept(declaration))
    return scratchAt(place->offset);
  if (Value memory = variables.placeOf(declaration))
    return memory;
  if (bytes <= largestOnStack)
    return variables.place(declaration, b.stackOf(b.getI8Type(), bytes, 64));
  int64_t place = frame.reserveScratch(bytes);
  OpBuilder::InsertionGuard guard(b);
  b.toEntryEnd();
  return variables.place(declaration, b.offset(frame.scratch(), place));
}

void SimdEmitter::emitPrivate(lane::PrivateOp op) {
  Value memory = memoryOf(op, privateStride(op) * lanes);
  values.defineHere(op.getAddress(), memory);
}

/// Element i of all lanes lies side by side, or once for all of them.
void SimdEmitter::emitArrayOp(Operation *op) {
  auto get = dyn_cast<lane::ArrayGetOp>(op);
  auto array = op->getOperand(0).getDefiningOp<lane::ArrayOp>();
  Value index = op->getOperand(1);
  Type element = b.memoryType(array.getType());
  bool once = analysis.holdsScalars(array);
  int64_t row = bytesOf(element) * (once ? 1 : lanes);
  Value memory = memoryOf(array.getArray(), row * array.getCount());
  if (analysis.shape(index).uniform()) {
    Value wide = LLVM::SExtOp::create(b, b.getI64Type(), values.scalar(index));
    Value place = b.offset(memory, LLVM::MulOp::create(b, wide, b.i64(row)));
    Type type = once ? element : b.vectorOf(element);
    if (get)
      return values.define(get, b.fromMemory(b.loadFrom(type, place), get.getType()));
    if (once)
      return b.storeTo(b.toMemory(values.scalar(op->getOperand(2))), place);
    Value value = b.toMemory(values.vector(op->getOperand(2)));
    return b.storeTo(mask ? b.select(mask, value, b.loadFrom(type, place)) : value, place);
  }
  Value rows =
      LLVM::MulOp::create(b, values.vector(index), b.integer(b.vectorOf(b.getI32Type()), lanes));
  Value number = LLVM::AddOp::create(b, rows, b.laneNumbers(b.getI32Type(), 1));
  LaneAddress address{memory, number, static_cast<unsigned>(bytesOf(element))};
  if (get)
    return values.define(
        get, b.fromMemory(gather(address, 0, element, bytesOf(element), mask), get.getType()));
  scatter(address, 0, b.toMemory(values.vector(op->getOperand(2))), bytesOf(element));
}
