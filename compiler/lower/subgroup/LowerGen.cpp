//===- LowerGen.cpp - the gen dialect in kernels of gpu ---------------------===//
//   before: %i = gen.local_id %c0_i32
//           %d = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
//   after:  %i = gpu.thread_id x
//           %x = vector.extract %a[0] ...   %w = spirv.CompositeConstruct %x, ... : vector<8xi16>
//           %e = gen.matrix_mad f16 %w, ...          (if the target has the instruction)
//           %y = spirv.CompositeExtract %e[0] ...   %d = vector.from_elements %y, ...
//   or:     shuffles, multiplications and additions   (otherwise)
//
// Needs: one function per kernel. Leaves: of gen, scans, and operations on matrices and blocks that
// are instructions of the target. Only these hold long vectors.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/gen/Emulation.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/subgroup/Subgroups.h"
#include "compiler/target/Spirv.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERGEN
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

namespace spv = mlir::spirv;
using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

namespace {

//===-------------------------------------------------------------------------===//
// Positions
//===-------------------------------------------------------------------------===//

/// Replaces the position by that of gpu. A dimension that is known only at run time selects it.
template <typename GpuOp, typename GridOp> void lowerPosition(GridOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value result = arith::ConstantIndexOp::create(b, loc, beyondGrid<GridOp>());
  APInt number;
  bool isConstant = matchPattern(op.getDimension(), m_ConstantInt(&number));
  for (unsigned i = 0; i < gridDimensions; ++i) {
    if (isConstant && number != i)
      continue;
    Value position = GpuOp::create(b, loc, static_cast<gpu::Dimension>(i));
    if (isConstant) {
      result = position;
      continue;
    }
    Value isThis = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getDimension(),
                                         lower::constantI32(b, loc, i));
    result = arith::SelectOp::create(b, loc, isThis, position, result);
  }
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

template <typename GpuOp> void lowerInSubgroup(Operation *op) {
  OpBuilder b(op);
  Value position = GpuOp::create(b, op->getLoc(), /*upper_bound=*/nullptr);
  op->getResult(0).replaceAllUsesWith(
      arith::IndexCastUIOp::create(b, op->getLoc(), b.getI32Type(), position));
  op->erase();
}

//===-------------------------------------------------------------------------===//
// Sub-groups together
//===-------------------------------------------------------------------------===//

gpu::ShuffleMode modeOf(ShuffleKind kind) {
  switch (kind) {
  case ShuffleKind::Xor:
    return gpu::ShuffleMode::XOR;
  case ShuffleKind::Up:
    return gpu::ShuffleMode::UP;
  case ShuffleKind::Down:
    return gpu::ShuffleMode::DOWN;
  case ShuffleKind::Idx:
    return gpu::ShuffleMode::IDX;
  }
  llvm_unreachable("four kinds of shuffles");
}

gpu::AllReduceOperation operationOf(Reduction kind) {
  using Operation = gpu::AllReduceOperation;
  switch (kind) {
  case Reduction::Add:
    return Operation::ADD;
  case Reduction::Mul:
    return Operation::MUL;
  case Reduction::Min:
    return Operation::MINNUMF;
  case Reduction::Max:
    return Operation::MAXNUMF;
  case Reduction::SMin:
    return Operation::MINSI;
  case Reduction::SMax:
    return Operation::MAXSI;
  case Reduction::UMin:
    return Operation::MINUI;
  case Reduction::UMax:
    return Operation::MAXUI;
  case Reduction::And:
    return Operation::AND;
  case Reduction::Or:
    return Operation::OR;
  case Reduction::Xor:
    return Operation::XOR;
  }
  llvm_unreachable("all kinds of reductions");
}

void lowerShuffle(SubGroupShuffleOp op) {
  OpBuilder b(op);
  // The width only matters for the second result, which is not used.
  Value width = lower::constantI32(b, op.getLoc(), 1);
  auto shuffle = gpu::ShuffleOp::create(b, op.getLoc(), op.getValue(), op.getLane(), width,
                                        modeOf(op.getKind()));
  op.getResult().replaceAllUsesWith(shuffle.getShuffleResult());
  op.erase();
}

void lowerBroadcast(SubGroupBroadcastOp op) {
  OpBuilder b(op);
  Value result = gpu::SubgroupBroadcastOp::create(b, op.getLoc(), op.getType(), op.getValue(),
                                                  op.getLane(), gpu::BroadcastType::specific_lane);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void lowerReduce(SubGroupReduceOp op) {
  OpBuilder b(op);
  Value result = gpu::SubgroupReduceOp::create(b, op.getLoc(), op.getValue(),
                                               operationOf(op.getKind()), op.getUniform());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void lowerBallot(SubGroupBallotOp op) {
  OpBuilder b(op);
  Value result = spv::GroupNonUniformBallotOp::create(b, op.getLoc(), op.getType(),
                                                      spv::Scope::Subgroup, op.getPredicate());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

//===-------------------------------------------------------------------------===//
// Matrices and blocks
//===-------------------------------------------------------------------------===//

/// Returns the number of work-items that an operation needs in a sub-group, or 0 if any will do.
uint32_t subgroupSizeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, uint32_t>(op)
      .Case<MatrixMadOp, BlockLoad2DOp, BlockStore2DOp>(
          [](auto op) { return op.getSubGroupSize(); })
      .Default([](Operation *) { return 0u; });
}

/// Fixes the size of the kernel's sub-groups.
LogicalResult requireSize(Operation *op, const target::TargetEnv &env) {
  uint32_t size = subgroupSizeOf(op);
  if (!size)
    return success();
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  lower::SubgroupSizes sizes = lower::subgroupSizes(kernel, env);
  if (size < sizes.least || size > sizes.most)
    return op->emitError("'") << op->getName() << "' needs sub-groups of " << size << ", but "
                              << lower::subgroupLimit(kernel, env) << " is "
                              << (size < sizes.least ? sizes.least : sizes.most);
  kernel->setAttr(lower::requiredSubgroupSizeAttrName,
                  Builder(op->getContext()).getI32IntegerAttr(static_cast<int32_t>(size)));
  if (failed(lower::requireFullSubgroups(kernel, env)))
    return op->emitError("'") << op->getName()
                              << "' needs full sub-groups: give the kernel a known_block_size "
                                 "whose x is a multiple of "
                              << size;
  return success();
}

bool isInstruction(Operation *op, const target::TargetEnv &env) {
  auto allows = [&](StringRef extension) {
    return env.isOpenCl() && target::allowsSpirvExtension(env, extension);
  };
  if (auto product = dyn_cast<MatrixMadOp>(op))
    return allows("SPV_INTEL_subgroup_matrix_multiply_accumulate") &&
           llvm::isPowerOf2_32(product.getRepeatCount()) &&
           !getElementTypeOrSelf(product.getType()).isBF16();
  return isa<BlockLoad2DOp, BlockStore2DOp, BlockPrefetch2DOp>(op) &&
         allows("SPV_INTEL_2d_block_io");
}

bool isLong(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getNumElements() > 4;
}

/// Takes long vectors apart around an instruction, because later passes split all others.
void isolate(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isLong(value.getType()))
      continue;
    SmallVector<Value> elements;
    for (int64_t i = 0; i < cast<VectorType>(value.getType()).getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, value, i));
    operand.set(spv::CompositeConstructOp::create(b, loc, value.getType(), elements));
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!isLong(result.getType()))
      continue;
    SmallVector<Value> elements;
    SmallPtrSet<Operation *, 16> users;
    for (int32_t i = 0; i < cast<VectorType>(result.getType()).getNumElements(); ++i) {
      elements.push_back(spv::CompositeExtractOp::create(b, loc, result, ArrayRef<int32_t>(i)));
      users.insert(elements.back().getDefiningOp());
    }
    Value all = vector::FromElementsOp::create(b, loc, result.getType(), elements);
    result.replaceUsesWithIf(all, [&](OpOperand &use) { return !users.contains(use.getOwner()); });
  }
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

struct LowerGen final : lower::impl::LowerGenBase<LowerGen> {
  using LowerGenBase::LowerGenBase;

  void runOnOperation() override {
    SmallVector<Operation *> matrices;
    getOperation().walk([&](Operation *op) {
      if (isa<MatrixMadOp, BlockLoad2DOp, BlockStore2DOp, BlockPrefetch2DOp, SubGroupBlockReadOp,
              SubGroupBlockWriteOp>(op))
        matrices.push_back(op);
    });
    if (!matrices.empty() && failed(lowerMatrices(matrices)))
      return signalPassFailure();
    getOperation().walk(lowerOne); // also what emulation has made
    if (auto target = getOperation()->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName))
      lowerScans(vk::toTargetEnv(target));
  }

  LogicalResult lowerMatrices(ArrayRef<Operation *> ops) {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return failure();
    for (Operation *op : ops)
      if (failed(checkAddress(op)) || failed(requireSize(op, *env)))
        return failure();
    sharedMemory.clear();
    ElementMemory memory(MemoryDialect::Vk, indexBits);
    for (Operation *op : ops) {
      auto product = dyn_cast<MatrixMadOp>(op);
      if (isInstruction(op, *env)) {
        isolate(op);
      } else if (product && !env->hasSubgroup(target::SubgroupShuffle)) {
        if (failed(multiplyInMemory(product, *env)))
          return failure();
      } else {
        emulate(op, memory);
      }
    }
    return success();
  }

  /// Emulates a product for targets without shuffles. Barriers need the whole work-group, so it
  /// must be one sub-group, whose work-items execute the operation together.
  LogicalResult multiplyInMemory(MatrixMadOp op, const target::TargetEnv &env) {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    uint32_t size = op.getSubGroupSize();
    if (lower::knownInvocations(kernel) != size)
      return lower::missingSubgroupOperation(op, env, target::SubgroupShuffle,
                                             "work-groups of one sub-group");
    Type type = op.getA().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t words = int64_t(size) * (vector ? vector.getNumElements() : 1);
    auto workgroup = gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Workgroup);
    auto memory = MemRefType::get({words}, getElementTypeOrSelf(type), MemRefLayoutAttrInterface(),
                                  workgroup);
    Value &shared = sharedMemory[{kernel, memory}];
    if (!shared)
      shared = kernel.addWorkgroupAttribution(memory, op.getLoc());
    emulateMatrix(op, shared);
    return success();
  }

  /// Drops the promise of uniform control flow, unless the target only has scans that need it.
  void lowerScans(const target::TargetEnv &env) {
    if (!env.isOpenCl() || env.hasSubgroup(target::SubgroupArithmetic))
      getOperation().walk([](SubGroupScanOp scan) { scan.setUniform(false); });
  }

  /// Rejects addresses that have lost their upper half, and those of another dialect.
  LogicalResult checkAddress(Operation *op) {
    for (Type type : op->getOperandTypes()) {
      if (isa<LLVM::LLVMPointerType>(type))
        return op->emitError("'") << op->getName()
                                  << "' has an LLVM pointer, but kernels of gpu have addresses of "
                                     "type i64: use vk.address_of";
      if (isa<IndexType>(type) && indexBits != 64)
        return op->emitError("'") << op->getName() << "' has an address of type index, which has "
                                  << unsigned(indexBits)
                                  << " bits: use an i64, as vk.address_of returns it, or "
                                     "--index-bits 64";
    }
    return success();
  }

  /// The memory for products of a kernel, by its type. All its products share it.
  DenseMap<std::pair<Operation *, Type>, Value> sharedMemory;

  static void lowerOne(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([](LocalIdOp op) { lowerPosition<gpu::ThreadIdOp>(op); })
        .Case([](WorkGroupIdOp op) { lowerPosition<gpu::BlockIdOp>(op); })
        .Case([](WorkGroupSizeOp op) { lowerPosition<gpu::BlockDimOp>(op); })
        .Case([](NumWorkGroupsOp op) { lowerPosition<gpu::GridDimOp>(op); })
        .Case([](SubGroupLocalIdOp op) { lowerInSubgroup<gpu::LaneIdOp>(op); })
        .Case([](SubGroupSizeOp op) { lowerInSubgroup<gpu::SubgroupSizeOp>(op); })
        .Case([](SubGroupIdOp op) { lowerInSubgroup<gpu::SubgroupIdOp>(op); })
        .Case([](NumSubGroupsOp op) { lowerInSubgroup<gpu::NumSubgroupsOp>(op); })
        .Case([](BarrierOp op) {
          OpBuilder b(op);
          gpu::BarrierOp::create(b, op.getLoc());
          op.erase();
        })
        .Case([](SubGroupShuffleOp op) { lowerShuffle(op); })
        .Case([](SubGroupBroadcastOp op) { lowerBroadcast(op); })
        .Case([](SubGroupReduceOp op) { lowerReduce(op); })
        .Case([](SubGroupBallotOp op) { lowerBallot(op); });
  }
};

} // namespace
