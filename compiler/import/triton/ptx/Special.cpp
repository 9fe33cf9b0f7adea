//===- Special.cpp - registers that tell where and when code runs -----------------===//
//   before: mov.u32 d, %ctaid.x;
//   after:  %d = tt.get_program_id x
// A program has no processor of its own: %smid is its number, modulo what %nsmid says: 128 on GPUs,
// as Triton's driver says it of them, and 1 on CPUs, whose threads the compiler does not know.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

/// A scalar for every element.
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

/// Counted along x first.
static Value linearId(Translation &t) {
  auto &b = t.b;
  Value id = programId(t, Axis::Z);
  for (Axis axis : {Axis::Y, Axis::X}) {
    id = arith::MulIOp::create(b, id, programCount(t, axis));
    id = arith::AddIOp::create(b, id, programId(t, axis));
  }
  return id;
}

/// What multiprocessor_count is at least (python/pumice_triton/drivers.py).
static int64_t processorCount(Translation &t) {
  auto module = t.assembly->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName)
                       : vk::TargetEnvAttr();
  return target && !vk::toTargetEnv(target).isCpu() ? 128 : 1;
}

static Value processorId(Translation &t) {
  Value count = arith::ConstantOp::create(
      t.b, t.b.getI32IntegerAttr(static_cast<int32_t>(processorCount(t))));
  return arith::RemUIOp::create(t.b, linearId(t), count);
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
    return of32(processorId(t));
  if (name == "%nsmid")
    return fixed(processorCount(t));
  if (stem == "%tid" || name == "%laneid" || name == "%warpid" || name.starts_with("%lanemask"))
    return call.error("unsupported special register '" + name +
                      "'; a program's elements are numbered by tl.arange, not by threads");
  return call.error("unknown register '" + name + "'; declare it: .reg .b32 " + name +
                    "; special ones are %globaltimer, %clock64, %smid, %nsmid, %ctaid, %nctaid, "
                    "%ntid");
}
