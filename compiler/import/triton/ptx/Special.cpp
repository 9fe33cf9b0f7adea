//===- Special.cpp - special registers: program ids and clocks --------------===//
//   before: mov.u32 d, %ctaid.x;
//   after:  %d = tt.get_program_id x
// Targets do not report the number of their processors, or which processor runs a program. So the
// whole target counts as one processor.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

/// Returns a value whose elements all equal a scalar.
static Number everywhere(Translation &t, Value scalar) {
  if (!isa<RankedTensorType>(t.like))
    return t.number(scalar);
  return t.number(SplatOp::create(t.b, t.typeOf(scalar.getType()), scalar));
}

static int64_t integerOfModule(Translation &t, StringRef name, int64_t otherwise) {
  auto module = t.assembly->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
  return attribute ? std::max<int64_t>(attribute.getInt(), 1) : otherwise;
}

static Value programId(Translation &t, Axis axis) {
  return GetProgramIdOp::create(t.b, t.b.getI32Type(), axis);
}
static Value programCount(Translation &t, Axis axis) {
  return GetNumProgramsOp::create(t.b, t.b.getI32Type(), axis);
}

static std::optional<Axis> axisOf(StringRef name) {
  return name.ends_with(".x")   ? std::optional(Axis::X)
         : name.ends_with(".y") ? std::optional(Axis::Y)
         : name.ends_with(".z") ? std::optional(Axis::Z)
                                : std::nullopt;
}

/// Reads a clock of 64 bits, or the half of it that the name and the width select.
static FailureOr<Number> readClock(const Call &call, StringRef name, unsigned bits) {
  Translation &t = call.t;
  if (t.isPacked)
    return call.error("clocks are read for one element at a time; use pack=1");
  Value time = vk::ReadClockOp::create(t.b, t.b.getI64Type(), name.starts_with("%clock"));
  Number all = everywhere(t, time);
  if (name.ends_with("_hi"))
    all = all.apply<arith::ShRUIOp>(t.constant(64, 32));
  return resize(all, bits);
}

FailureOr<Number> ptx::readSpecial(const Call &call, StringRef name, unsigned bits) {
  Translation &t = call.t;
  if (bits != 32 && bits != 64)
    return call.error("special register '" + name + "' is 32 or 64 bits wide");
  auto fixed = [&](int64_t value) { return t.constant(bits, static_cast<uint64_t>(value)); };
  auto of32 = [&](Value scalar) { return resize(everywhere(t, scalar), bits); };
  std::optional<Axis> axis = axisOf(name);
  StringRef stem = axis ? name.drop_back(2) : name;
  if (axis && stem == "%ctaid")
    return of32(programId(t, *axis));
  if (axis && stem == "%nctaid")
    return of32(programCount(t, *axis));
  if (axis && stem == "%ntid")
    return fixed(*axis == Axis::X ? 32 * integerOfModule(t, "tt.num_warps", 1) : 1);
  if (name == "%nwarpid")
    return fixed(integerOfModule(t, "tt.num_warps", 1));
  if (name == "%smid")
    return fixed(0);
  if (name == "%nsmid")
    return fixed(1);
  if (name == "%globaltimer" || name == "%globaltimer_lo" || name == "%clock64" ||
      name == "%clock" || name == "%clock_lo" || name == "%globaltimer_hi" || name == "%clock_hi")
    return readClock(call, name, bits);
  if (stem == "%tid" || name == "%laneid" || name == "%warpid" || name.starts_with("%lanemask"))
    return call.error("unsupported special register '" + name +
                      "'; a program's elements are numbered by tl.arange, not by threads");
  return call.error("unknown register '" + name + "'; declare it: .reg .b32 " + name +
                    "; special ones are %globaltimer, %clock64, %smid, %nsmid, %ctaid, %nctaid, "
                    "%ntid");
}
