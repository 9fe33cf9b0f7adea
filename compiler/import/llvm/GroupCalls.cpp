//===- GroupCalls.cpp - OpenCL's functions of workgroups and subgroups ------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Returns the value of one work-item of the workgroup, which writes it to workgroup memory.
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
  auto space = gpu::AddressSpaceAttr::get(c.b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({1}, c.result, MemRefLayoutAttrInterface{}, space);
  Value memory = c.f.kernel().addWorkgroupAttribution(type, c.loc);
  Value first = c.op<arith::ConstantIndexOp>(0);
  auto choice = scf::IfOp::create(c.b, c.loc, isSource, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(choice.thenBlock());
    memref::StoreOp::create(c.b, c.loc, c.x[0], memory, first);
  }
  gpu::BarrierOp::create(c.b, c.loc);
  Value made = memref::LoadOp::create(c.b, c.loc, memory, first);
  gpu::BarrierOp::create(c.b, c.loc); // a later broadcast in a loop writes the memory again
  return made;
}

static Value combine(Call &c, gen::Reduction how, Value x, Value y) {
  using R = gen::Reduction;
  switch (how) {
  case R::Add:
    return c.isFloat() ? c.op<arith::AddFOp>(x, y) : c.op<arith::AddIOp>(x, y);
  case R::Min:
    return c.op<arith::MinNumFOp>(x, y);
  case R::Max:
    return c.op<arith::MaxNumFOp>(x, y);
  case R::SMin:
    return c.op<arith::MinSIOp>(x, y);
  case R::SMax:
    return c.op<arith::MaxSIOp>(x, y);
  case R::UMin:
    return c.op<arith::MinUIOp>(x, y);
  case R::UMax:
    return c.op<arith::MaxUIOp>(x, y);
  default:
    return {};
  }
}

/// Returns the value that changes nothing when it is combined with others.
static Value neutral(Call &c, gen::Reduction how) {
  using R = gen::Reduction;
  double infinity = std::numeric_limits<double>::infinity();
  if (how == R::Min || how == R::Max)
    return c.constant(c.result, how == R::Min ? infinity : -infinity);
  if (how == R::SMin || how == R::UMin)
    return c.most(c.result, how == R::SMin);
  if (how == R::SMax || how == R::UMax)
    return c.least(c.result, how == R::SMax);
  return c.constant(c.result, int64_t(0));
}

/// Returns the number of work-items of a workgroup.
static Value workgroupSize(Call &c) {
  Value size;
  for (gpu::Dimension d : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z}) {
    Value along = c.op<arith::IndexCastUIOp>(c.b.getI64Type(),
                                             gpu::BlockDimOp::create(c.b, c.loc, d).getResult());
    size = size ? c.op<arith::MulIOp>(size, along) : along;
  }
  return size;
}

/// Scans the workgroup in turns: each work-item adds its value to one cell of workgroup memory. The
/// time is that of a barrier for each work-item, but no size of a workgroup is too large.
static Value scanWithin(Call &c, gen::Reduction how, bool isExclusive) {
  Type i64 = c.b.getI64Type();
  Value size = workgroupSize(c);
  Value id = linearId(c, /*isGlobal=*/false);
  auto space = gpu::AddressSpaceAttr::get(c.b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({1}, c.result, MemRefLayoutAttrInterface{}, space);
  Value memory = c.f.kernel().addWorkgroupAttribution(type, c.loc);
  Value first = c.op<arith::ConstantIndexOp>(0);
  auto isAt = [&](Value turn) { return c.compare(arith::CmpIPredicate::eq, id, turn); };
  Value zero = c.constant(i64, 0), start = neutral(c, how);
  auto loop = scf::ForOp::create(c.b, c.loc, zero, size, c.constant(i64, 1), ValueRange(start));
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(loop.getBody());
  Value turn = loop.getInductionVar();
  auto mine = scf::IfOp::create(c.b, c.loc, TypeRange(c.result), isAt(turn), true, true);
  c.b.setInsertionPointToStart(mine.elseBlock());
  scf::YieldOp::create(c.b, c.loc, loop.getRegionIterArgs()[0]);
  c.b.setInsertionPointToStart(mine.thenBlock());
  Value isFirst = c.compare(arith::CmpIPredicate::eq, turn, zero);
  Value held = memref::LoadOp::create(c.b, c.loc, memory, first);
  Value before = c.select(isFirst, start, held);
  Value after = combine(c, how, before, c.x[0]);
  memref::StoreOp::create(c.b, c.loc, after, memory, first);
  scf::YieldOp::create(c.b, c.loc, isExclusive ? before : after);
  c.b.setInsertionPointAfter(mine);
  gpu::BarrierOp::create(c.b, c.loc);
  scf::YieldOp::create(c.b, c.loc, mine.getResult(0));
  return loop.getResult(0);
}

/// Copies elements between global and local memory. The work-items of the group share the work, and
/// wait for each other later. A stride applies to global memory.
static Made copyWithin(Call &c, bool hasStride) {
  const Parameter &element = c.parameters[0];
  if (!element.isPointer || !element.bits)
    return std::nullopt;
  Type i64 = c.b.getI64Type();
  Type type = element.isFloat ? element.bits == 16   ? Type(c.b.getF16Type())
                                : element.bits == 32 ? Type(c.b.getF32Type())
                                                     : Type(c.b.getF64Type())
                              : Type(c.b.getIntegerType(element.bits));
  if (element.lanes > 1)
    type = VectorType::get({element.lanes}, type);
  uint64_t bytes = element.bits / 8, step = bytes * llvm::PowerOf2Ceil(element.lanes);
  Value size = workgroupSize(c);
  auto loop = scf::ForOp::create(c.b, c.loc, linearId(c, /*isGlobal=*/false), c.x[2], size);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(loop.getBody());
  auto place = [&](unsigned argument) {
    Value number = loop.getInductionVar();
    bool isGlobal = c.pointer(argument)->getType()->getPointerAddressSpace() == Global;
    if (hasStride && isGlobal)
      number = c.op<arith::MulIOp>(number, c.x[3]);
    number = c.op<arith::MulIOp>(number, c.constant(i64, int64_t(step)));
    return c.op<arith::AddIOp>(c.x[argument], number);
  };
  if (Value moved = c.f.load(c.pointer(1), place(1), type, bytes))
    c.f.store(c.pointer(0), place(0), moved, bytes);
  c.b.setInsertionPointAfter(loop);
  return c.constant(c.result, int64_t(0));
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
  if (c.name == "async_work_group_copy" || c.name == "async_work_group_strided_copy")
    return copyWithin(c, c.name.contains("strided"));
  if (c.name == "wait_group_events") {
    gpu::BarrierOp::create(c.b, c.loc);
    return Value();
  }
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
  if (isExclusive || name.consume_front("scan_inclusive_"))
    if (std::optional<gen::Reduction> how = scanOf(name, c.isFloat(), c.isSigned()))
      return isWorkgroup ? scanWithin(c, *how, isExclusive)
                         : c.op<gen::SubGroupScanOp>(c.result, *how, c.x[0], isExclusive,
                                                     /*uniform=*/false);
  return isWorkgroup ? Made() : translateSubgroup(c, name);
}
