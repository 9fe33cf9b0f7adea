//===- DistributeTiles.cpp - tensors of a workgroup → registers of a lane ---===//
//   before: %i = tile.range 0 to 16 : tensor<16xi32, #l>        (two registers, eight lanes)
//           %t = tile.load from %x at %i : … -> tensor<16xf32, #l>
//           %s = tile.reduce %t axis 0 … -> f32 { addf }
//   after:  %l = gpu.lane_id
//           %a = memref.load %x[%l]
//           %b = memref.load %x[%l + 8]
//           %c = arith.addf %a, %b : f32
//           %d = arith.addf %c, (gpu.shuffle xor %c, 1) : f32      (and by 2, and by 4)
// Every layout of a kernel has the same lanes and subgroups; they become its workgroup.
// Needs: nothing. Leaves: no tensors with a layout, no operation of tile.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_DISTRIBUTETILES
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using tile::layoutOf;

/// A distributed tensor is a vector of a lane's registers; none, where no vector can hold such
/// elements.
static Type distributed(RankedTensorType type) {
  if (!tile::isDistributed(type))
    return type;
  if (!VectorType::isValidElementType(type.getElementType()))
    return {};
  return VectorType::get({registerCount(layoutOf(type))}, type.getElementType());
}

//===-------------------------------------------------------------------------===//
// Element by element
//===-------------------------------------------------------------------------===//

namespace {

/// The same operation on vectors.
struct DistributeElementwise final : ConversionPattern {
  DistributeElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) && !isa<ub::PoisonOp>(op))
      return rewriter.notifyMatchFailure(op, "does more than work on each element");
    auto converted = convertOpResultTypes(op, operands, *getTypeConverter(), rewriter);
    if (failed(converted))
      return failure();
    rewriter.replaceOp(op, (*converted)->getResults());
    return success();
  }
};

struct DistributeConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!type || !value)
      return op.emitOpError("has elements that differ; make them of tile.range, or load them");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
    return success();
  }
};

} // namespace

void tiles::addElementwisePatterns(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<DistributeElementwise, DistributeConstant>(types, patterns.getContext());
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

/// Calls `body(op, layout)` for the layout of each operand and result; stops at a failure.
static LogicalResult
forAllLayouts(gpu::GPUFuncOp func,
              llvm::function_ref<LogicalResult(Operation *, const tile::LinearLayout &)> body) {
  WalkResult walked = func->walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(llvm::to_vector_of<Type>(op->getOperandTypes()),
                                              llvm::to_vector_of<Type>(op->getResultTypes())))
      if (tile::isDistributed(type) && failed(body(op, layoutOf(type))))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

ArrayRef<BlockArgument> tiles::ownAttributions(gpu::GPUFuncOp func) {
  auto count = func->getAttrOfType<IntegerAttr>(ownAttributionsAttrName);
  return func.getWorkgroupAttributions().take_front(count ? static_cast<size_t>(count.getInt())
                                                          : 0);
}

void tiles::addOwnAttribution(gpu::GPUFuncOp func, Type element, uint64_t count) {
  Builder b(func.getContext());
  // Written in the generic form, a kernel may lack the count, which upstream then misses.
  StringRef attributions = gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName();
  if (!func->hasAttr(attributions))
    func->setAttr(attributions, b.getI64IntegerAttr(0));
  auto space = gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
  func.addWorkgroupAttribution(
      MemRefType::get({static_cast<int64_t>(count)}, element, MemRefLayoutAttrInterface(), space),
      func.getLoc());
  func->setAttr(ownAttributionsAttrName,
                b.getI32IntegerAttr(static_cast<int32_t>(func.getWorkgroupAttributions().size())));
}

/// The workgroup is what the layouts say: subgroups of so many lanes, all of them full.
static LogicalResult setWorkgroup(gpu::GPUFuncOp func) {
  std::optional<std::pair<unsigned, unsigned>> bits; // of lanes and subgroups
  LogicalResult agree = forAllLayouts(func, [&](Operation *op, const tile::LinearLayout &layout) {
    std::pair here{layout.input(tile::laneSpace).bits, layout.input(tile::subgroupSpace).bits};
    if (bits && *bits != here)
      return LogicalResult(op->emitOpError()
                           << "has " << (1 << here.first) << " lanes and " << (1 << here.second)
                           << " subgroups in " << tile::print(layout) << ", but others have "
                           << (1 << bits->first) << " and " << (1 << bits->second));
    bits = here;
    return success();
  });
  if (failed(agree) || !bits)
    return agree;
  // Trips use what attributions there are; these would not survive it.
  if (func.getWorkgroupAttributions().size() > ownAttributions(func).size())
    return func.emitOpError(
        "has workgroup memory of its own beside distributed tensors; store these "
        "and load them instead");
  int32_t size = 1 << (bits->first + bits->second);
  if (auto given = func.getKnownBlockSize(); given && *given != ArrayRef<int32_t>{size, 1, 1})
    return func.emitOpError() << "has a workgroup of [" << *given << "], but its layouts have "
                              << (1 << bits->first) << " lanes and " << (1 << bits->second)
                              << " subgroups: leave known_block_size away, or make it [" << size
                              << ", 1, 1]";
  Builder b(func.getContext());
  func.setKnownBlockSize(ArrayRef<int32_t>{size, 1, 1});
  if (!bits->first) // the device's subgroups do not matter
    return success();
  func->setAttr(requiredSubgroupSizeAttrName, b.getI32IntegerAttr(1 << bits->first));
  func->setAttr(fullSubgroupsAttrName, b.getUnitAttr());
  return success();
}

tile::WorkgroupMemory tiles::workgroupMemory(gpu::GPUModuleOp module) {
  tile::WorkgroupMemory memory;
  if (module->hasAttr(vk::targetEnvAttrName))
    if (FailureOr<target::TargetEnv> env = vk::lookupTarget(module); succeeded(env))
      memory.bytes = env->limits.maxComputeSharedMemorySize;
  return memory;
}

/// There a branch keeps what comes after it from starting; on a CPU masks cost little, and code is
/// made for all lanes together.
static bool isOnGpu(gpu::GPUModuleOp module) {
  if (!module->hasAttr(vk::targetEnvAttrName))
    return false;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(module);
  return succeeded(env) && !env->isCpu();
}

static void removeUnusedAttributions(gpu::GPUFuncOp func) {
  SmallVector<BlockArgument> all(func.getWorkgroupAttributions());
  int64_t count = static_cast<int64_t>(all.size());
  for (BlockArgument one : llvm::reverse(all))
    if (one.use_empty()) {
      func.getBody().front().eraseArgument(one.getArgNumber());
      func->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                    Builder(func).getI64IntegerAttr(--count));
    }
}

static uint64_t bytesOf(BlockArgument memory) {
  auto type = cast<MemRefType>(memory.getType());
  return static_cast<uint64_t>(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
}

static uint64_t ownBytes(gpu::GPUFuncOp func) {
  uint64_t bytes = 0;
  for (BlockArgument one : ownAttributions(func))
    bytes += bytesOf(one);
  return bytes;
}

/// Of the memory that trips ask for, the largest of each type serves all of them. The bytes of all
/// memory.
static uint64_t shareWorkgroupMemory(gpu::GPUFuncOp func) {
  llvm::MapVector<Type, BlockArgument> largest;
  uint64_t bytes = ownBytes(func);
  size_t own = ownAttributions(func).size();
  func->removeAttr(ownAttributionsAttrName);
  for (BlockArgument one : func.getWorkgroupAttributions().drop_front(own)) {
    auto type = cast<MemRefType>(one.getType());
    BlockArgument &best = largest[type.getElementType()];
    if (!best || cast<MemRefType>(best.getType()).getNumElements() < type.getNumElements())
      best = one;
  }
  for (BlockArgument one : llvm::to_vector(func.getWorkgroupAttributions().drop_front(own))) {
    BlockArgument best = largest[cast<MemRefType>(one.getType()).getElementType()];
    if (best == one)
      bytes += bytesOf(one);
    else
      one.replaceAllUsesWith(best);
  }
  removeUnusedAttributions(func);
  return bytes;
}

namespace {

struct DistributeTiles final : tiles::impl::DistributeTilesBase<DistributeTiles> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(setWorkgroup(func)))
        return signalPassFailure();
    const tile::WorkgroupMemory memory = workgroupMemory(getOperation());
    // Trips of several types have memory of their own, each of which may be all there is: where
    // that is too much, they get less, and go in more pieces.
    constexpr uint64_t mostParts = 16;
    for (uint64_t parts = 1;; parts *= 2) {
      OwningOpRef<gpu::GPUModuleOp> before = getOperation().clone();
      FailureOr<bool> fits = distribute(memory, parts, /*isLast=*/parts == mostParts);
      if (failed(fits))
        return signalPassFailure();
      if (*fits)
        return;
      getOperation().getBodyRegion().takeBody(before->getBodyRegion());
    }
  }

  /// Whether it needs no more than there is; if this is the last attempt, that is an error.
  FailureOr<bool> distribute(const tile::WorkgroupMemory &all, uint64_t parts, bool isLast) {
    markEachLanesPrints(getOperation());
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion(distributed);
    ConversionTarget target(getContext());
    target.addIllegalDialect<tile::TileDialect>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return types.isLegal(op); });
    RewritePatternSet patterns(&getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    addElementwisePatterns(types, patterns);
    addMemoryPatterns(types, patterns, isOnGpu(getOperation()));
    addArrayPatterns(types, patterns);
    addDebugPatterns(types, patterns);
    addViewPatterns(types, patterns);
    tile::WorkgroupMemory memory = all;
    uint64_t forFragments = bytesForFragments(all);
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      memory.bytes = std::min(memory.bytes, all.bytes - addFragmentMemory(func, forFragments));
    memory.bytes /= parts;
    addFragmentPatterns(types, patterns, forFragments);
    addMovementPatterns(types, patterns, memory);
    addProductPatterns(types, patterns, memory);
    addAtomicPatterns(types, patterns, memory);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return failure();
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      carryFragments(func);
      placePrefetches(func);
      uint64_t bytes = shareWorkgroupMemory(func);
      if (bytes <= all.bytes)
        continue;
      if (!isLast)
        return false;
      return func.emitOpError() << "needs " << bytes << " bytes of workgroup memory; there are "
                                << all.bytes;
    }
    return true;
  }
};

} // namespace
