//===- Builtins.cpp - invocation numbers and values of a launch -------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Rules.h"

#include "executable/NativeCode.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Value cpu::emitLeaf(SimdEmitter &e, Operation *op) {
  if (auto builtin = dyn_cast<lane::BuiltinOp>(op)) {
    StringRef which = builtin.getWhich();
    if (which == "num_subgroups")
      return e.b.i32(e.analysis.workgroup().subgroups());
    if (which == "subgroup_size")
      return e.b.i32(e.b.lanes);
    unsigned axis = which.back() - 'x';
    if (which.starts_with("workgroup_size_"))
      return e.b.i32(e.analysis.workgroup().size[axis]);
    if (which.starts_with("global_offset_"))
      return e.frame.launchField(offsetof(executable::NativeLaunch, globalOffset) + 4 * axis,
                                 e.b.getI32Type());
    if (which == "work_dimensions")
      return e.frame.launchField(offsetof(executable::NativeLaunch, dimensions), e.b.getI32Type());
    return e.frame.groupNumber(axis, which);
  }
  if (auto buffer = dyn_cast<lane::BufferOp>(op))
    return e.frame.bufferField(op, 0, buffer.getType());
  if (auto buffer = dyn_cast<lane::BufferBytesOp>(op))
    return e.frame.bufferField(op, 8, buffer.getType());
  if (isa<lane::PushConstantsOp>(op))
    return e.frame.launchField(offsetof(executable::NativeLaunch, pushConstants),
                               op->getResult(0).getType());
  if (auto program = dyn_cast<lane::ProgramOp>(op))
    return e.b.offset(
        e.frame.launchField(offsetof(executable::NativeLaunch, program), program.getType()),
        program.getOffset());
  if (auto shared = dyn_cast<lane::SharedOp>(op))
    return e.b.offset(e.frame.sharedMemory(), shared.getOffset());
  if (auto table = dyn_cast<lane::TableOp>(op))
    return e.frame.tableAddress(table);
  return e.b.clone(*op)->getResult(0);
}

/// Reads a clock. On x86, it counts cycles, at the same rate on all processors; elsewhere, it
/// counts nanoseconds. EmitNative turns these operations into a call.
static void emitClock(SimdEmitter &e, lane::ClockOp op) {
  StringRef name = op.getNanoseconds() ? "llvm.readsteadycounter" : "llvm.readcyclecounter";
  e.values.define(op.getTime(), LLVM::CallIntrinsicOp::create(e.b, e.b.getI64Type(),
                                                              e.b.getStringAttr(name), ValueRange{})
                                    .getResults());
}

Value cpu::linearNumbers(SimdEmitter &e) {
  Value first = LLVM::MulOp::create(e.b, e.segments.subgroup, e.b.i32(e.b.lanes));
  return LLVM::AddOp::create(e.b, e.b.splat(first), e.b.laneNumbers(e.b.getI32Type(), 1));
}

static void emitBuiltin(SimdEmitter &e, lane::BuiltinOp op) {
  StringRef which = op.getWhich();
  auto [x, y, z] = e.analysis.workgroup().size;
  Shape shape = e.analysis.shape(op.getResult());
  if (which == "subgroup_lane")
    return e.values.define(op, e.b.i32(0));
  if (which == "subgroup_id")
    return e.values.define(op, e.segments.subgroup);
  if (which == "local_index" || (which == "local_id_x" && y * z == 1))
    return e.values.define(op, LLVM::MulOp::create(e.b, e.segments.subgroup, e.b.i32(e.b.lanes)));
  int64_t period = which == "local_id_x" ? x : which == "local_id_y" ? y : 0;
  int64_t divisor = which == "local_id_x" ? 1 : which == "local_id_y" ? x : x * y;
  if (shape.uniform() && shape.max == 0)
    return e.values.define(op, e.b.i32(0));
  auto numberOf = [&](Value invocation) {
    Type type = invocation.getType();
    if (divisor > 1)
      invocation = LLVM::UDivOp::create(e.b, invocation, e.b.integer(type, divisor));
    if (period > 0)
      invocation = LLVM::URemOp::create(e.b, invocation, e.b.integer(type, period));
    return invocation;
  };
  // If all lanes are in one row, their x, y and z are computed once for the subgroup.
  Value first = LLVM::MulOp::create(e.b, e.segments.subgroup, e.b.i32(e.b.lanes));
  if (shape.scalar())
    return e.values.define(op, numberOf(first));
  unsigned blocks = e.values.blocksOf(shape);
  if (!blocks)
    return e.values.define(op, numberOf(linearNumbers(e)));
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i)
    firsts.push_back(
        numberOf(LLVM::AddOp::create(e.b, first, e.b.i32(static_cast<int64_t>(i) * shape.block))));
  e.values.defineFirsts(op, firsts);
}

ArrayRef<simd::Rule> simd::builtinRules() {
  static const Rule rules[] = {rule<emitBuiltin>(), rule<emitClock>()};
  return rules;
}
