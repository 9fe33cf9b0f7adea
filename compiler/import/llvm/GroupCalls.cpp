//===- GroupCalls.cpp - OpenCL's functions of workgroups and subgroups ------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using Reduce = gpu::AllReduceOperation;

static std::optional<Reduce> reductionOf(StringRef name, bool isFloat, bool isSigned) {
  return llvm::StringSwitch<std::optional<Reduce>>(name)
      .Case("add", Reduce::ADD)
      .Case("mul", Reduce::MUL)
      .Case("min", isFloat    ? Reduce::MINNUMF
                   : isSigned ? Reduce::MINSI
                              : Reduce::MINUI)
      .Case("max", isFloat    ? Reduce::MAXNUMF
                   : isSigned ? Reduce::MAXSI
                              : Reduce::MAXUI)
      .Cases({"and", "logical_and"}, Reduce::AND)
      .Cases({"or", "logical_or"}, Reduce::OR)
      .Cases({"xor", "logical_xor"}, Reduce::XOR)
      .Default(std::nullopt);
}

static std::optional<gen::Reduction> scanOf(StringRef name, bool isFloat, bool isSigned) {
  using R = gen::Reduction;
  return llvm::StringSwitch<std::optional<R>>(name)
      .Case("add", R::Add)
      .Case("mul", R::Mul)
      .Case("min", isFloat    ? R::Min
                   : isSigned ? R::SMin
                              : R::UMin)
      .Case("max", isFloat    ? R::Max
                   : isSigned ? R::SMax
                              : R::UMax)
      .Case("and", R::And)
      .Case("or", R::Or)
      .Case("xor", R::Xor)
      .Default(std::nullopt);
}

static Value reduce(Call &c, Value x, Reduce how, bool isWorkgroup) {
  if (!isWorkgroup)
    return gpu::SubgroupReduceOp::create(c.b, c.loc, x, how, /*uniform=*/false);
  return gpu::AllReduceOp::create(
      c.b, c.loc, x, gpu::AllReduceOperationAttr::get(c.b.getContext(), how), /*uniform=*/true);
}

/// Returns whether all or any work-items give a number other than zero.
static Value vote(Call &c, bool all, bool isWorkgroup) {
  Value zero = c.constant(c.x[0].getType(), int64_t(0));
  Value holds = c.compare(arith::CmpIPredicate::ne, c.x[0], zero);
  if (isWorkgroup) // over integers, which all_reduce keeps in memory
    return reduce(c, c.op<arith::ExtUIOp>(c.result, holds), all ? Reduce::AND : Reduce::OR, true);
  Value made = reduce(c, holds, all ? Reduce::AND : Reduce::OR, false);
  return c.op<arith::ExtUIOp>(c.result, made);
}

/// Returns the value of one work-item of the workgroup: the only one that is not zero in a
/// reduction of bits.
static Value broadcastWithin(Call &c) {
  constexpr gpu::Dimension all[] = {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  Value isSource;
  for (unsigned d = 0; d + 1 < c.x.size(); ++d) {
    Value id = c.op<arith::IndexCastUIOp>(c.b.getI64Type(),
                                          gpu::ThreadIdOp::create(c.b, c.loc, all[d]).getResult());
    Value same = c.compare(arith::CmpIPredicate::eq, id,
                           c.resize(c.x[d + 1], c.b.getI64Type(), /*isSigned=*/false));
    isSource = isSource ? c.op<arith::AndIOp>(isSource, same) : same;
  }
  Value bits = c.toBits(c.x[0]);
  bits = c.select(isSource, bits, c.constant(bits.getType(), int64_t(0)));
  return c.fromBits(reduce(c, bits, Reduce::OR, /*isWorkgroup=*/true), c.result);
}

static Value shuffled(Call &c, gen::ShuffleKind kind) {
  return c.op<gen::SubGroupShuffleOp>(c.result, kind, c.x[0], c.x[1]);
}

static Made translateSubgroup(Call &c, StringRef name) {
  if (name == "barrier") {
    namespace spv = mlir::spirv;
    auto memory = spv::MemorySemantics::AcquireRelease | spv::MemorySemantics::UniformMemory |
                  spv::MemorySemantics::WorkgroupMemory;
    spv::ControlBarrierOp::create(c.b, c.loc, spv::Scope::Subgroup, spv::Scope::Subgroup, memory);
    return Value();
  }
  if (name == "broadcast" || name == "non_uniform_broadcast")
    return c.op<gen::SubGroupBroadcastOp>(c.result, c.x[0], c.x[1]);
  if (name == "shuffle")
    return shuffled(c, gen::ShuffleKind::Idx);
  if (name == "shuffle_xor")
    return shuffled(c, gen::ShuffleKind::Xor);
  if (name == "shuffle_up")
    return shuffled(c, gen::ShuffleKind::Up);
  if (name == "shuffle_down")
    return shuffled(c, gen::ShuffleKind::Down);
  if (name == "elect")
    return c.op<arith::ExtUIOp>(
        c.result, mlir::spirv::GroupNonUniformElectOp::create(c.b, c.loc, c.b.getI1Type(),
                                                              mlir::spirv::Scope::Subgroup)
                      .getResult());
  if (name == "ballot") {
    Value zero = c.constant(c.x[0].getType(), int64_t(0));
    return c.op<gen::SubGroupBallotOp>(c.result, c.compare(arith::CmpIPredicate::ne, c.x[0], zero));
  }
  return std::nullopt;
}

static Made position(Call &c) {
  auto index = [&](auto op) -> Made {
    return c.op<arith::IndexCastUIOp>(c.result, op.getResult());
  };
  Type type = c.b.getIndexType();
  IntegerAttr unbounded;
  if (c.name == "get_sub_group_local_id")
    return index(gpu::LaneIdOp::create(c.b, c.loc, type, unbounded));
  if (c.name == "get_sub_group_id")
    return index(gpu::SubgroupIdOp::create(c.b, c.loc, type, unbounded));
  if (c.name == "get_num_sub_groups" || c.name == "get_enqueued_num_sub_groups")
    return index(gpu::NumSubgroupsOp::create(c.b, c.loc, type, unbounded));
  if (c.name == "get_sub_group_size" || c.name == "get_max_sub_group_size")
    return index(gpu::SubgroupSizeOp::create(c.b, c.loc, type, unbounded));
  return std::nullopt;
}

Made llvm_import::translateGroup(Call &c) {
  if (Made made = position(c))
    return made;
  StringRef name = c.name;
  bool isWorkgroup = name.consume_front("work_group_");
  if (!isWorkgroup && !name.consume_front("sub_group_") && !name.consume_front("intel_sub_group_"))
    return std::nullopt;
  if (name == "all" || name == "any")
    return vote(c, name == "all", isWorkgroup);
  if (name == "broadcast" && isWorkgroup)
    return broadcastWithin(c);
  name.consume_front("non_uniform_");
  if (name.consume_front("reduce_"))
    if (std::optional<Reduce> how = reductionOf(name, c.isFloat(), c.isSigned()))
      return reduce(c, c.x[0], *how, isWorkgroup);
  bool isExclusive = name.consume_front("scan_exclusive_");
  if ((isExclusive || name.consume_front("scan_inclusive_")) && !isWorkgroup)
    if (std::optional<gen::Reduction> how = scanOf(name, c.isFloat(), c.isSigned()))
      return c.op<gen::SubGroupScanOp>(c.result, *how, c.x[0], isExclusive, /*uniform=*/false);
  return isWorkgroup ? Made() : translateSubgroup(c, name);
}
