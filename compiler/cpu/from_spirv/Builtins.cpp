//===- Builtins.cpp - the values of built-in variables ----------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Value Lowering::builtin(StringRef which) {
  return lane::BuiltinOp::create(b, b.getI32Type(), which);
}

static Value mul(Lowering &l, Value x, Value y) { return arith::MulIOp::create(l.b, x, y); }
static Value add(Lowering &l, Value x, Value y) { return arith::AddIOp::create(l.b, x, y); }

/// Returns a number for each dimension, from the built-ins `name` with the suffixes _x, _y and _z.
static Scalars triple(Lowering &l, StringRef name) {
  Scalars result;
  for (StringRef axis : {"_x", "_y", "_z"})
    result.push_back(l.builtin((name + axis).str()));
  return result;
}

/// Returns the sizes of the workgroup. They are constants, unless an OpenCL kernel leaves them to
/// the launch.
static Scalars sizes(Lowering &l) {
  if (l.workgroupSize().empty())
    return triple(l, "workgroup_size");
  Scalars result;
  for (int32_t size : l.workgroupSize())
    result.push_back(l.integer(size));
  return result;
}

static Scalars globalSizes(Lowering &l) {
  Scalars result, groups = triple(l, "num_workgroups"), each = sizes(l);
  for (auto [group, size] : llvm::zip(groups, each))
    result.push_back(mul(l, group, size));
  return result;
}

static Scalars globalIds(Lowering &l, bool withOffset) {
  Scalars result, groups = triple(l, "workgroup_id"), own = triple(l, "local_id");
  for (auto [group, local, size] : llvm::zip(groups, own, sizes(l)))
    result.push_back(add(l, mul(l, group, size), local));
  if (!withOffset)
    return result;
  for (auto [id, offset] : llvm::zip(result, triple(l, "global_offset"))) {
    id = add(l, id, offset);
    id.getDefiningOp()->setAttr("lane.invocation", l.b.getUnitAttr());
  }
  return result;
}

static Value globalLinearId(Lowering &l) {
  Scalars id = globalIds(l, false), size = globalSizes(l);
  return add(l, mul(l, add(l, mul(l, id[2], size[1]), id[1]), size[0]), id[0]);
}

/// Returns a mask of the lanes that have this relation to the current lane. A mask has four words,
/// and only the low ones are used.
static Scalars laneMask(Lowering &l, StringRef relation) {
  Value lane = arith::ExtUIOp::create(l.b, l.b.getI64Type(), l.builtin("subgroup_lane"));
  Value equal = arith::ShLIOp::create(l.b, l.integer(1, 64), lane);
  Value below = arith::SubIOp::create(l.b, equal, l.integer(1, 64));
  // Lanes beyond the subgroup's size are not in a mask.
  Value size = arith::ExtUIOp::create(l.b, l.b.getI64Type(), l.builtin("subgroup_size"));
  Value all = arith::ShRUIOp::create(l.b, l.integer(-1, 64),
                                     arith::SubIOp::create(l.b, l.integer(64, 64), size));
  Value upTo = arith::OrIOp::create(l.b, below, equal);
  Value mask = llvm::StringSwitch<Value>(relation)
                   .Case("Eq", equal)
                   .Case("Lt", below)
                   .Case("Le", upTo)
                   .Case("Ge", arith::XOrIOp::create(l.b, all, below))
                   .Default(arith::XOrIOp::create(l.b, all, upTo));
  Type word = l.b.getI32Type();
  Value low = arith::TruncIOp::create(l.b, word, mask);
  Value high =
      arith::TruncIOp::create(l.b, word, arith::ShRUIOp::create(l.b, mask, l.integer(32, 64)));
  return {low, high, l.integer(0), l.integer(0)};
}

/// Returns nothing if compute shaders have no built-in of this name.
static Scalars numbersOf(Lowering &l, StringRef name) {
  name.consume_back("KHR");
  if (name == "GlobalInvocationId")
    return globalIds(l, l.types.openCl);
  if (name == "LocalInvocationId")
    return triple(l, "local_id");
  if (name == "WorkgroupId")
    return triple(l, "workgroup_id");
  if (name == "NumWorkgroups")
    return triple(l, "num_workgroups");
  if (name == "WorkgroupSize" || name == "EnqueuedWorkgroupSize")
    return sizes(l);
  if (name == "GlobalSize")
    return globalSizes(l);
  if (name == "GlobalOffset")
    return triple(l, "global_offset");
  if (name == "GlobalLinearId")
    return {globalLinearId(l)};
  if (name == "WorkDim")
    return {l.builtin("work_dimensions")};
  if (name == "DeviceIndex")
    return {l.integer(0)};
  if (name.starts_with("Subgroup") && name.ends_with("Mask"))
    return laneMask(l, name.substr(8, 2));
  StringRef number = llvm::StringSwitch<StringRef>(name)
                         .Case("LocalInvocationIndex", "local_index")
                         .Case("SubgroupId", "subgroup_id")
                         .Cases({"NumSubgroups", "NumEnqueuedSubgroups"}, "num_subgroups")
                         .Case("SubgroupLocalInvocationId", "subgroup_lane")
                         .Cases({"SubgroupSize", "SubgroupMaxSize"}, "subgroup_size")
                         .Default("");
  return number.empty() ? Scalars() : Scalars{l.builtin(number)};
}

FailureOr<Scalars> Lowering::builtinVariable(StringRef name, Type type) {
  Scalars numbers = numbersOf(*this, name);
  SmallVector<Type> list;
  if (!types.scalars(type, list) || list.size() != numbers.size())
    return error() << "the built-in variable " << name << " of type " << type
                   << " is not supported in compute shaders";
  for (auto [number, wanted] : llvm::zip(numbers, list)) // OpenCL's numbers are as wide as size_t
    if (wanted != number.getType())
      number = wanted.getIntOrFloatBitWidth() > 32
                   ? arith::ExtUIOp::create(b, wanted, number).getResult()
                   : arith::TruncIOp::create(b, wanted, number).getResult();
  return numbers;
}
