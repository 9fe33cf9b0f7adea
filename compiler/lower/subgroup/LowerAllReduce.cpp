//===- LowerAllReduce.cpp - reductions over a workgroup ---------------------===//
//   before: %r = gpu.all_reduce add %x uniform {} : (f32) -> f32
//   after:  %p = gpu.subgroup_reduce add %x uniform : (f32) -> f32
//           %leader = spirv.GroupNonUniformElect <Subgroup> : i1
//           scf.if %leader { memref.store %p, %scratch[%subgroup_id] }
//           gpu.barrier
//           %first = memref.load %scratch[%c0]
//           %r = scf.for %i = %c1 to %num_subgroups step %c1 iter_args(%s = %first) {
//             scf.yield (%s + memref.load %scratch[%i]) }
//
// Here %scratch is a workgroup attribution. Every invocation adds the partial results in the same
// order, so that all get the same bits. Without subgroup arithmetic, or if the region is not a
// known operation, a tree over workgroup memory reduces the values.
//
// Needs: one function per kernel, structured control flow. Leaves: no gpu.all_reduce. Leaves
// gpu.subgroup_reduce for LowerSubgroupOps.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/subgroup/Reduction.h"
#include "compiler/lower/subgroup/Subgroups.h"

#include "mlir/IR/IRMapping.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERALLREDUCE
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

namespace spv = mlir::spirv;
using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {

/// Combines two values of the scratch memory's element type.
using Combine = llvm::function_ref<Value(OpBuilder &, Location, Value, Value)>;

/// The scratch memory of one kernel: an attribution for each element type, which its reductions
/// share.
class Scratch {
public:
  Scratch(gpu::GPUFuncOp func, const target::TargetEnv &env) : func(func), env(env) {}

  /// Returns memory for `size` elements of `type`. Emits a barrier first if an earlier reduction
  /// may still be reading.
  FailureOr<Value> acquire(OpBuilder &b, Operation *op, Type type, uint64_t size) {
    auto [it, fresh] = buffers.try_emplace({type, size});
    if (fresh) {
      bytes += size * type.getIntOrFloatBitWidth() / 8;
      if (bytes > env.limits.maxComputeSharedMemorySize)
        return op->emitError("gpu.all_reduce needs ")
               << bytes << " bytes of workgroup memory, but maxComputeSharedMemorySize is "
               << env.limits.maxComputeSharedMemorySize
               << ": give the kernel a smaller known_block_size";
      auto space = gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
      auto memory =
          MemRefType::get({static_cast<int64_t>(size)}, type, MemRefLayoutAttrInterface(), space);
      // A kernel in generic form may lack this attribute, which upstream's function requires.
      StringRef count = gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName();
      if (!func->hasAttr(count))
        func->setAttr(count, b.getI64IntegerAttr(0));
      it->second = func.addWorkgroupAttribution(memory, op->getLoc());
    }
    // Other invocations may still be reading results of the last reduction, or of this one in the
    // previous iteration.
    if (!fresh || op->getParentOfType<LoopLikeOpInterface>())
      gpu::BarrierOp::create(b, op->getLoc());
    return it->second;
  }

private:
  gpu::GPUFuncOp func;
  const target::TargetEnv &env;
  DenseMap<std::pair<Type, uint64_t>, Value> buffers;
  uint64_t bytes = 0;
};

struct LowerAllReduce final : lower::impl::LowerAllReduceBase<LowerAllReduce> {
  void runOnOperation() override;
};

} // namespace

static uint64_t mostInvocations(gpu::GPUFuncOp func, const target::TargetEnv &env) {
  return knownInvocations(func).value_or(env.limits.maxComputeWorkGroupInvocations);
}

/// Reduces each subgroup. Every invocation then combines the partial results.
static FailureOr<Value> reduceBySubgroups(gpu::AllReduceOp op, const Reduction &reduction,
                                          const target::TargetEnv &env, Scratch &scratch) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  // Devices may have smaller subgroups than the target, or fill them only in part. Unless the
  // kernel requires full subgroups, only the number of invocations limits the number of subgroups.
  uint64_t subgroups = mostInvocations(func, env);
  if (func->hasAttr(requiredSubgroupSizeAttrName) && func->hasAttr(fullSubgroupsAttrName))
    subgroups = llvm::divideCeil(subgroups, subgroupSizes(func, env).least);

  Value value = reduction.encode(b, loc, op.getValue());
  Value partial = gpu::SubgroupReduceOp::create(b, loc, value, reduction.kind(), /*uniform=*/true);
  FailureOr<Value> memory = scratch.acquire(b, op, reduction.encodedType(), subgroups);
  if (failed(memory))
    return failure();
  auto subgroup = spv::ScopeAttr::get(b.getContext(), spv::Scope::Subgroup);
  Value leader = spv::GroupNonUniformElectOp::create(b, loc, b.getI1Type(), subgroup);
  Value id = gpu::SubgroupIdOp::create(b, loc, /*upper_bound=*/nullptr);
  scf::IfOp::create(b, loc, leader, [&](OpBuilder &b, Location loc) {
    memref::StoreOp::create(b, loc, partial, *memory, id);
    scf::YieldOp::create(b, loc);
  });
  gpu::BarrierOp::create(b, loc);

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value count = gpu::NumSubgroupsOp::create(b, loc, /*upper_bound=*/nullptr);
  Value first = memref::LoadOp::create(b, loc, *memory, zero);
  auto fold = scf::ForOp::create(
      b, loc, one, count, one, first, [&](OpBuilder &b, Location loc, Value i, ValueRange sum) {
        Value next = memref::LoadOp::create(b, loc, *memory, i);
        scf::YieldOp::create(b, loc, reduction.combine(b, loc, sum[0], next));
      });
  return reduction.decode(b, loc, fold.getResult(0));
}

/// Returns the invocation's number in its workgroup. This number does not determine the subgroup.
static Value linearInvocation(OpBuilder &b, Location loc) {
  auto id = [&](gpu::Dimension d) { return gpu::ThreadIdOp::create(b, loc, d); };
  auto extent = [&](gpu::Dimension d) { return gpu::BlockDimOp::create(b, loc, d); };
  Value plane = arith::MulIOp::create(b, loc, id(gpu::Dimension::z), extent(gpu::Dimension::y));
  Value row = arith::AddIOp::create(b, loc, plane, id(gpu::Dimension::y));
  Value rows = arith::MulIOp::create(b, loc, row, extent(gpu::Dimension::x));
  return arith::AddIOp::create(b, loc, rows, id(gpu::Dimension::x));
}

/// Emits one level of the tree, which combines the upper half of `live` elements into the lower
/// half.
static void buildTreeStep(OpBuilder &b, Location loc, Value memory, Value self, Value live,
                          Combine combine) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value half = arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, live, one), one);
  Value other = arith::AddIOp::create(b, loc, self, half);
  Value joins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, other, live);
  scf::IfOp::create(b, loc, joins, [&](OpBuilder &b, Location loc) {
    Value lhs = memref::LoadOp::create(b, loc, memory, self);
    Value rhs = memref::LoadOp::create(b, loc, memory, other);
    memref::StoreOp::create(b, loc, combine(b, loc, lhs, rhs), memory, self);
    scf::YieldOp::create(b, loc);
  });
  gpu::BarrierOp::create(b, loc);
  scf::YieldOp::create(b, loc, half);
}

/// Reduces values by a tree in workgroup memory. This needs neither subgroup operations nor an
/// identity.
static FailureOr<Value> reduceByTree(gpu::AllReduceOp op, Value value, Scratch &scratch,
                                     const target::TargetEnv &env, Combine combine) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  FailureOr<Value> memory = scratch.acquire(b, op, value.getType(), mostInvocations(func, env));
  if (failed(memory))
    return failure();
  Value self = linearInvocation(b, loc);
  memref::StoreOp::create(b, loc, value, *memory, self);
  gpu::BarrierOp::create(b, loc);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  scf::WhileOp::create(
      b, loc, b.getIndexType(), workgroupInvocations(b, loc, func),
      [&](OpBuilder &b, Location loc, ValueRange live) {
        Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, live[0], one);
        scf::ConditionOp::create(b, loc, more, live);
      },
      [&](OpBuilder &b, Location loc, ValueRange live) {
        buildTreeStep(b, loc, *memory, self, live[0], combine);
      });
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return Value(memref::LoadOp::create(b, loc, *memory, zero));
}

static FailureOr<Value> reduceByRegion(gpu::AllReduceOp op, Scratch &scratch,
                                       const target::TargetEnv &env) {
  Type type = op.getType();
  if (type.getIntOrFloatBitWidth() > 64)
    return op.emitError("cannot reduce values of type ") << type << ": 64 bits at most";
  if (!op.getBody().hasOneBlock())
    return op.emitError("gpu.all_reduce has a region of several blocks: run "
                        "pumice-structure-control-flow first");
  Block &body = op.getBody().front();
  auto combine = [&](OpBuilder &b, Location loc, Value lhs, Value rhs) -> Value {
    IRMapping map;
    map.map(body.getArgument(0), fromWhole(b, loc, lhs, type));
    map.map(body.getArgument(1), fromWhole(b, loc, rhs, type));
    for (Operation &inner : body.without_terminator())
      b.clone(inner, map);
    return toWhole(b, loc, map.lookupOrDefault(body.getTerminator()->getOperand(0)));
  };
  OpBuilder b(op);
  FailureOr<Value> whole =
      reduceByTree(op, toWhole(b, op.getLoc(), op.getValue()), scratch, env, combine);
  if (failed(whole))
    return failure();
  return fromWhole(b, op.getLoc(), *whole, type);
}

static LogicalResult lowerOne(gpu::AllReduceOp op, Scratch &scratch, const target::TargetEnv &env) {
  if (!op.getUniform() && underVaryingControl(op))
    return op.emitError("gpu.all_reduce is under control flow that depends on the "
                        "invocation's id: move it out, or mark it `uniform` if all invocations "
                        "of a workgroup reach it together");
  std::optional<gpu::AllReduceOperation> kind = op.getOp();
  if (!kind)
    kind = matchReductionRegion(op.getBody());
  FailureOr<Value> result;
  if (!kind) {
    result = reduceByRegion(op, scratch, env);
  } else {
    FailureOr<Reduction> reduction = Reduction::get(op, *kind, op.getType());
    if (failed(reduction))
      return failure();
    if (reducesNatively(env, reduction->encodedType())) {
      result = reduceBySubgroups(op, *reduction, env, scratch);
    } else {
      OpBuilder b(op);
      Value value = reduction->encode(b, op.getLoc(), op.getValue());
      result = reduceByTree(op, value, scratch, env,
                            [&](OpBuilder &b, Location loc, Value lhs, Value rhs) {
                              return reduction->combine(b, loc, lhs, rhs);
                            });
      if (succeeded(result))
        result = reduction->decode(b, op.getLoc(), *result);
    }
  }
  if (failed(result))
    return failure();
  op.replaceAllUsesWith(*result);
  op.erase();
  return success();
}

void LowerAllReduce::runOnOperation() {
  SmallVector<gpu::AllReduceOp> ops;
  getOperation().walk([&](gpu::AllReduceOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
  if (failed(env))
    return signalPassFailure();
  DenseMap<Operation *, std::unique_ptr<Scratch>> scratch;
  for (gpu::AllReduceOp op : ops) {
    auto func = op->getParentOfType<gpu::GPUFuncOp>();
    if (!func) {
      op.emitError("gpu.all_reduce outside of a gpu.func: run pumice-inline-calls first");
      return signalPassFailure();
    }
    std::unique_ptr<Scratch> &memory = scratch[func];
    if (!memory)
      memory = std::make_unique<Scratch>(func, *env);
    if (failed(lowerOne(op, *memory, *env)))
      return signalPassFailure();
  }
}
