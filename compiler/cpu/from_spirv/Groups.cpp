//===- Groups.cpp - exchange within the workgroup ---------------------------===//
// Lowers group instructions of scope Workgroup, and copies that all invocations make together.
// Values pass through workgroup memory that only this instruction uses. For a reduction, each
// subgroup stores its result there, and every invocation combines these results. Barriers precede
// and follow the stores.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/Groups.h"
#include "compiler/cpu/from_spirv/Loops.h"
#include "compiler/cpu/from_spirv/Subgroups.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static constexpr int64_t scopeWorkgroup = 2;

bool group::isWorkgroups(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"execution_scope"});
  return succeeded(numbers) && (*numbers)[0] == scopeWorkgroup && l.types.openCl;
}

static void barrier(Lowering &l) { lane::BarrierOp::create(l.b, StringAttr()); }

/// Returns the number of invocations in the workgroup, or 0 if the launch decides.
static int64_t invocations(Lowering &l) {
  int64_t count = l.workgroupSize().empty() ? 0 : 1;
  for (int32_t size : l.workgroupSize())
    count *= size;
  return count;
}

namespace {
/// Workgroup memory with room for one scalar per invocation.
struct Room {
  Value base;
  Type type;
  int64_t bytes; // the size of one scalar

  static FailureOr<Room> make(Lowering &l, Type type) {
    int64_t count = invocations(l);
    if (count == 0)
      return l.error() << "group instructions need a workgroup size that is known when the kernel "
                          "is compiled";
    Type pointer = LLVM::LLVMPointerType::get(l.b.getContext());
    int64_t offset = llvm::alignTo(l.sharedBytes, 16);
    Room room{lane::SharedOp::create(l.b, pointer, offset), type, scalarBytes(type)};
    l.sharedBytes = offset + count * room.bytes;
    return room;
  }
  Value address(Lowering &l, Value index) const {
    Value wide = arith::ExtUIOp::create(l.b, l.b.getI64Type(), index);
    Value distance = arith::MulIOp::create(l.b, wide, l.integer(bytes, 64));
    return lane::OffsetOp::create(l.b, base.getType(), base, distance);
  }
  void store(Lowering &l, Value value, Value index) const {
    lane::StoreOp::create(l.b, ValueRange(value), address(l, index), bytes);
  }
  Value load(Lowering &l, Value index) const {
    return lane::LoadOp::create(l.b, TypeRange(type), address(l, index), bytes).getResult(0);
  }
};
} // namespace

//===-------------------------------------------------------------------------===//
// Reductions and scans
//===-------------------------------------------------------------------------===//

static Value combine(Lowering &l, StringRef kind, Value x, Value y) {
  if (kind == "add")
    return arith::AddIOp::create(l.b, x, y);
  if (kind == "mul")
    return arith::MulIOp::create(l.b, x, y);
  if (kind == "fadd")
    return arith::AddFOp::create(l.b, x, y);
  if (kind == "fmul")
    return arith::MulFOp::create(l.b, x, y);
  if (kind == "smin")
    return arith::MinSIOp::create(l.b, x, y);
  if (kind == "smax")
    return arith::MaxSIOp::create(l.b, x, y);
  if (kind == "umin")
    return arith::MinUIOp::create(l.b, x, y);
  if (kind == "umax")
    return arith::MaxUIOp::create(l.b, x, y);
  if (kind == "fmin")
    return arith::MinNumFOp::create(l.b, x, y);
  if (kind == "fmax")
    return arith::MaxNumFOp::create(l.b, x, y);
  if (kind == "and")
    return arith::AndIOp::create(l.b, x, y);
  if (kind == "or")
    return arith::OrIOp::create(l.b, x, y);
  return arith::XOrIOp::create(l.b, x, y);
}

/// Returns the neutral element of an operation.
static Value identity(Lowering &l, StringRef kind, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    if (kind == "fmin" || kind == "fmax")
      return arith::ConstantOp::create(
          l.b, l.b.getFloatAttr(real, APFloat::getInf(real.getFloatSemantics(), kind == "fmax")));
    return l.real(type, kind == "fmul" ? 1 : 0);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt number = llvm::StringSwitch<APInt>(kind)
                     .Case("mul", APInt(width, 1))
                     .Case("smin", APInt::getSignedMaxValue(width))
                     .Case("smax", APInt::getSignedMinValue(width))
                     .Cases({"umin", "and"}, APInt::getAllOnes(width))
                     .Default(APInt::getZero(width));
  return l.integer(number.getSExtValue(), width);
}

/// Reduces one scalar. `scan` is "none", "inclusive" or "exclusive".
static FailureOr<Value> reduceOne(Lowering &l, StringRef kind, StringRef scan, Value value) {
  FailureOr<Room> room = Room::make(l, value.getType());
  if (failed(room))
    return failure();
  Type type = value.getType();
  Value whole = lane::ReduceOp::create(l.b, type, kind, "none", 0, value);
  Value own = l.builtin("subgroup_id");
  barrier(l);
  room->store(l, whole, own);
  barrier(l);
  // A scan combines the results of the subgroups before the current one, and a reduction those of
  // all.
  Value end = scan == "none" ? l.builtin("num_subgroups") : own;
  Value before = loopBelow(l, l.integer(0), end, l.integer(1), {identity(l, kind, type)},
                           [&](ArrayRef<Value> at) -> Scalars {
                             return {combine(l, kind, at[1], room->load(l, at[0]))};
                           })
                     .front();
  if (scan == "none")
    return before;
  Value part = lane::ReduceOp::create(l.b, type, kind, scan, 0, value);
  return combine(l, kind, before, part);
}

LogicalResult group::reduce(Lowering &l, Operation *op, StringRef kind, StringRef scan) {
  Scalars results;
  for (Value value : l.get(op->getOperand(0))) {
    FailureOr<Value> made = reduceOne(l, kind, scan, value);
    if (failed(made))
      return failure();
    results.push_back(*made);
  }
  return l.finish(op, results);
}

//===-------------------------------------------------------------------------===//
// Votes and broadcasts
//===-------------------------------------------------------------------------===//

LogicalResult group::vote(Lowering &l, Operation *op, bool all) {
  Value word = arith::ExtUIOp::create(l.b, l.b.getI32Type(), l.scalar(op->getOperand(0)));
  FailureOr<Value> made = reduceOne(l, all ? "and" : "or", "none", word);
  if (failed(made))
    return failure();
  return l.finish(op, {arith::TruncIOp::create(l.b, l.b.getI1Type(), *made)});
}

/// Returns the number of an invocation within its workgroup, given OpenCL's local id.
static Value localIndex(Lowering &l, const Scalars &id) {
  Value index = subgroup::word(l, id.back());
  for (size_t axis = id.size() - 1; axis-- > 0;) {
    Value size = l.integer(l.workgroupSize()[axis]);
    index = arith::AddIOp::create(l.b, arith::MulIOp::create(l.b, index, size).getResult(),
                                  subgroup::word(l, id[axis]));
  }
  return index;
}

LogicalResult group::broadcast(Lowering &l, Operation *op) {
  Scalars results;
  for (Value value : l.get(op->getOperand(0))) {
    FailureOr<Room> room = Room::make(l, value.getType());
    if (failed(room))
      return failure();
    barrier(l);
    room->store(l, value, l.builtin("local_index"));
    barrier(l);
    results.push_back(room->load(l, localIndex(l, l.get(op->getOperand(1)))));
  }
  return l.finish(op, results);
}

//===-------------------------------------------------------------------------===//
// Copies
//===-------------------------------------------------------------------------===//

static bool isWorkgroupPointer(Value pointer) {
  auto type = dyn_cast<spirv::PointerType>(pointer.getType());
  return type && type.getStorageClass() == spirv::StorageClass::Workgroup;
}

/// Returns a pointer to element `index` of the array that `pointer` points into.
static FailureOr<Pointer> element(Lowering &l, Value pointer, Value index) {
  FailureOr<Pointer> found = l.pointer(pointer);
  FailureOr<Value> base = failed(found) ? FailureOr<Value>(failure()) : l.address(*found);
  if (failed(base))
    return failure();
  Pointer made = *found;
  made.dynamic = {};
  made.constant = 0;
  Value wide = index.getType().isInteger(64)
                   ? index
                   : arith::ExtUIOp::create(l.b, l.b.getI64Type(), index).getResult();
  int64_t stride = llvm::alignTo(l.types.bytes(found->pointee), l.types.alignment(found->pointee));
  Value bytes = arith::MulIOp::create(l.b, wide, l.integer(stride, 64));
  made.base = lane::OffsetOp::create(l.b, base->getType(), *base, bytes);
  return made;
}

/// Makes a copy with all invocations. The operands are destination, source, count, stride on the
/// global side, and event. Invocation i copies elements i, i + size, and so on. The copy is
/// complete after a wait for the event.
static LogicalResult copyTogether(Lowering &l, Operation *op) {
  Value to = op->getOperand(0), from = op->getOperand(1);
  int64_t together = invocations(l);
  if (together == 0)
    return l.error() << "OpGroupAsyncCopy needs a workgroup size that is known when the kernel is "
                        "compiled";
  auto word = [&](Value number) { return subgroup::word(l, number); };
  Value count = word(l.scalar(op->getOperand(2))), stride = word(l.scalar(op->getOperand(3)));
  LogicalResult done = success();
  auto copyOne = [&](ArrayRef<Value> at) -> Scalars {
    Value far = arith::MulIOp::create(l.b, at[0], stride);
    bool fromFar = !isWorkgroupPointer(from);
    FailureOr<Pointer> source = element(l, from, fromFar ? far : at[0]);
    FailureOr<Pointer> target = element(l, to, fromFar ? at[0] : far);
    FailureOr<Scalars> values = failed(source) ? FailureOr<Scalars>(failure()) : l.load(*source);
    if (failed(target) || failed(values) || failed(l.store(*target, *values)))
      done = failure();
    return {};
  };
  (void)loopBelow(l, l.builtin("local_index"), count, l.integer(together), {}, copyOne);
  return failed(done) ? failure() : l.finish(op, l.get(op->getOperand(4)));
}

static LogicalResult waitForCopies(Lowering &l, Operation *) {
  barrier(l);
  return success();
}

static constexpr Rule rulesOfGroups[] = {
    {"GroupAsyncCopy", copyTogether},
    {"GroupWaitEvents", waitForCopies},
};

ArrayRef<Rule> pumice::cpu::groupRules() { return rulesOfGroups; }
