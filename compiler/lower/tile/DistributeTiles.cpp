//===- DistributeTiles.cpp - tensors to registers of lanes ------------------===//
//   before: %i = tile.range 0 to 16 : tensor<16xi32, #l>        (two registers, eight lanes)
//           %t = tile.load from %x at %i : … -> tensor<16xf32, #l>
//           %s = tile.reduce %t axis 0 … -> f32 { addf }
//   after:  %l = gpu.lane_id
//           %a = memref.load %x[%l]
//           %b = memref.load %x[%l + 8]
//           %c = arith.addf %a, %b : f32
//           %d = arith.addf %c, (gpu.shuffle xor %c, 1) : f32      (and by 2, and by 4)
//
// All layouts of a kernel have the same lanes and subgroups, which become its workgroup.
// Needs: nothing. Leaves: no tensors with a layout, and no operations of the tile dialect.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupMemory.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_DISTRIBUTETILES
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using tile::layoutOf;

/// Converts a distributed tensor to a vector of a lane's registers. Returns nothing if a vector
/// cannot hold such elements.
static Type distributed(RankedTensorType type) {
  if (!tile::isDistributed(type))
    return type;
  if (!VectorType::isValidElementType(type.getElementType()))
    return {};
  return VectorType::get({registerCount(layoutOf(type))}, type.getElementType());
}

/// Calls `body(op, layout)` for the layout of each operand and result. Stops at a failure.
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

/// Sets the workgroup's size to the number of lanes times the number of subgroups in the layouts.
/// Requires full subgroups of that number of lanes.
static LogicalResult setWorkgroup(gpu::GPUFuncOp func) {
  std::optional<std::pair<unsigned, unsigned>> bits; // of lanes and subgroups
  LogicalResult agree = forAllLayouts(func, [&](Operation *op, const tile::LinearLayout &layout) {
    std::pair here{layout.input(tile::laneSpace).bits, layout.input(tile::subgroupSpace).bits};
    if (bits && *bits != here)
      return LogicalResult(op->emitOpError()
                           << "has " << (1 << here.first) << " lanes and " << (1 << here.second)
                           << " subgroups in " << tile::print(layout) << ", but other layouts have "
                           << (1 << bits->first) << " and " << (1 << bits->second));
    bits = here;
    return success();
  });
  if (failed(agree) || !bits)
    return agree;
  // Trips share existing attributions, which would overwrite the contents of other attributions.
  if (func.getWorkgroupAttributions().size() > ownAttributions(func).size())
    return func.emitOpError(
        "has workgroup memory of its own as well as distributed tensors; store these "
        "and load them instead");
  int32_t size = 1 << (bits->first + bits->second);
  if (auto given = func.getKnownBlockSize(); given && *given != ArrayRef<int32_t>{size, 1, 1})
    return func.emitOpError() << "has a workgroup of [" << *given << "], but its layouts have "
                              << (1 << bits->first) << " lanes and " << (1 << bits->second)
                              << " subgroups: leave known_block_size out, or make it [" << size
                              << ", 1, 1]";
  Builder b(func.getContext());
  func.setKnownBlockSize(ArrayRef<int32_t>{size, 1, 1});
  if (!bits->first) // one lane per subgroup: the size of the device's subgroups does not matter
    return success();
  func->setAttr(requiredSubgroupSizeAttrName, b.getI32IntegerAttr(1 << bits->first));
  func->setAttr(fullSubgroupsAttrName, b.getUnitAttr());
  return success();
}

/// Returns whether the target is a GPU. On a GPU, a branch delays the code after it. On a CPU,
/// masks are cheap, and code runs for all lanes together.
static bool isOnGpu(gpu::GPUModuleOp module) {
  if (!module->hasAttr(vk::targetEnvAttrName))
    return false;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(module);
  return succeeded(env) && !env->isCpu();
}

namespace {

/// One attempt to distribute a module. The trips of each type get a fraction, 1 / `parts`, of the
/// workgroup memory.
class Attempt {
public:
  Attempt(gpu::GPUModuleOp module, const tile::WorkgroupMemory &all, uint64_t parts)
      : module(module), all(all), parts(parts) {}

  /// Fails with a diagnostic if an operation cannot be distributed.
  LogicalResult run();

  /// The first kernel that needs more workgroup memory than the target has, and the bytes that it
  /// needs.
  gpu::GPUFuncOp tooLarge;
  uint64_t neededBytes = 0;

private:
  LogicalResult convert();
  /// Reserves memory for fragments in each kernel. Returns the memory for the trips of one type
  /// (MemoryTrip.h): 1 / `parts` of what the kernel with the largest fragments leaves.
  tile::WorkgroupMemory memoryOfTrips();

  gpu::GPUModuleOp module;
  const tile::WorkgroupMemory &all;
  uint64_t parts;
  uint64_t forFragments = 0; // the memory that products outside of pipelines may take
};

struct DistributeTiles final : tiles::impl::DistributeTilesBase<DistributeTiles> {
  void runOnOperation() override;
};

} // namespace

tile::WorkgroupMemory Attempt::memoryOfTrips() {
  tile::WorkgroupMemory memory = all;
  forFragments = bytesForFragments(all);
  for (auto func : module.getOps<gpu::GPUFuncOp>())
    forFragments = std::min(forFragments, all.bytes - ownBytes(func));
  for (auto func : module.getOps<gpu::GPUFuncOp>()) {
    uint64_t pipelined = ownBytes(func), others = addFragmentMemory(func, forFragments);
    memory.bytes = std::min(memory.bytes, all.bytes - std::min(all.bytes, pipelined + others));
  }
  memory.bytes = std::max<uint64_t>(memory.bytes, 1024);
  memory.bytes /= parts;
  return memory;
}

LogicalResult Attempt::convert() {
  markEachLanesPrints(module);
  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion(distributed);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<tile::TileDialect>();
  target.addLegalOp<tile::BeginLoadsOp>(); // placePieces removes it
  target.markUnknownOpDynamicallyLegal([&](Operation *op) { return types.isLegal(op); });
  RewritePatternSet patterns(module.getContext());
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  addElementwisePatterns(types, patterns);
  addMemoryPatterns(types, patterns, isOnGpu(module));
  addArrayPatterns(types, patterns);
  addDebugPatterns(types, patterns);
  addViewPatterns(types, patterns);
  tile::WorkgroupMemory memory = memoryOfTrips();
  addFragmentPatterns(types, patterns, forFragments);
  addStagePatterns(types, patterns);
  addMovementPatterns(types, patterns, memory);
  addProductPatterns(types, patterns, memory);
  addAtomicPatterns(types, patterns, memory);
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult Attempt::run() {
  if (failed(convert()))
    return failure();
  for (auto func : module.getOps<gpu::GPUFuncOp>()) {
    carryFragments(func);
    placePieces(func);
    placePrefetches(func);
    uint64_t bytes = shareWorkgroupMemory(func);
    if (bytes <= all.bytes)
      continue;
    tooLarge = func;
    neededBytes = bytes;
    break;
  }
  return success();
}

void DistributeTiles::runOnOperation() {
  for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
    if (failed(setWorkgroup(func)))
      return signalPassFailure();
  const tile::WorkgroupMemory memory = workgroupMemory(getOperation());
  // Trips of each type have their own memory, which may be as large as all workgroup memory. If all
  // types together need too much, the next attempt gives each type half of that. Trips then move
  // their elements in more pieces.
  constexpr uint64_t mostParts = 16;
  for (uint64_t parts = 1;; parts *= 2) {
    OwningOpRef<gpu::GPUModuleOp> before = getOperation().clone();
    Attempt attempt(getOperation(), memory, parts);
    if (failed(attempt.run()))
      return signalPassFailure();
    if (!attempt.tooLarge)
      return;
    if (parts == mostParts) {
      attempt.tooLarge.emitOpError() << "needs " << attempt.neededBytes
                                     << " bytes of workgroup memory; there are " << memory.bytes;
      return signalPassFailure();
    }
    getOperation().getBodyRegion().takeBody(before->getBodyRegion());
  }
}
