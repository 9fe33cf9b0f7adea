//===- Pipeline.cpp - START HERE: every pass from kernel to SPIR-V ----------===//
// The order of the passes is the design. A comment at each pass says why it cannot move.
//===-------------------------------------------------------------------------===//
#include "compiler/driver/Pipeline.h"

#include "compiler/import/triton/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/spirv/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <bit>

using namespace mlir;
using namespace pumice;

//===-------------------------------------------------------------------------===//
// Triton kernels: tensors first, then lanes like those of any other kernel
//===-------------------------------------------------------------------------===//

TritonOptions pumice::tritonOptionsFor(const target::TargetEnv &target, unsigned warps) {
  const target::Limits &limits = target.limits;
  TritonOptions options;
  options.lanes = limits.subgroupSize;
  // On a CPU, neighbouring lanes form a vector. On a GPU, each lane loads a vector of its own.
  options.accessBytes = target.isCpu() ? 0 : 16;
  options.hasAddresses =
      target.has(target::Feature::bufferDeviceAddress) && target.has(target::Feature::shaderInt64);
  if (target.isCpu())
    return options;
  uint32_t most =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  if (!target.hasSubgroup(target::SubgroupShuffle)) {
    // If lanes cannot exchange values, each lane is a subgroup of its own. They exchange values
    // through memory.
    constexpr uint32_t lanesOfWarp = 32;
    options.lanes = 1;
    options.subgroups = std::bit_floor(std::clamp(warps * lanesOfWarp, 1u, std::min(most, 1024u)));
    return options;
  }
  most /= limits.subgroupSize;
  if (limits.maxComputeWorkgroupSubgroups)
    most = std::min(most, limits.maxComputeWorkgroupSubgroups);
  options.subgroups = std::bit_floor(std::clamp(warps, 1u, std::max(most, 1u)));
  return options;
}

/// Returns a canonicalizer without the pattern that writes constant offsets of views into their
/// types. A view of a view may have a negative offset. The pattern would turn it into a view that
/// the verifier rejects.
static std::unique_ptr<Pass> canonicalizer() {
  return createCanonicalizerPass(GreedyRewriteConfig(),
                                 {"(anonymous namespace)::ReinterpretCastOpConstantFolder"});
}

void pumice::buildTritonPipeline(OpPassManager &pm, const TritonOptions &options) {
  pm.addPass(triton::createReadInlineAssembly()); // makes operations that all passes below support
  pm.addPass(triton::createStructureTriton()); // makes functions of one block, which inlining needs
  pm.addPass(triton::createInlineTritonCalls()); // makes one function of each kernel
  if (options.reportsLoads)
    pm.addPass(triton::createNumberLoads());    // after inlining, but before addresses change form
  pm.addPass(triton::createLowerDescriptors()); // makes pointers, before these become offsets
  pm.addPass(triton::createExpandPolls());      // makes atomic loads, which the last pass converts
  pm.addPass(triton::createExpandScaledProducts()); // makes products, which the next passes convert
  pm.addPass(triton::createWidenProducts());
  // The canonicalizer must follow the analysis in the next pass. Before the analysis, it would
  // remove the hints about multiples, since they look unused.
  triton::TritonToTileOptions tiles;
  tiles.lanes = options.lanes;
  tiles.subgroups = options.subgroups;
  tiles.accessBytes = options.accessBytes;
  tiles.layoutSeed = options.layoutSeed;
  tiles.hasAddresses = options.hasAddresses;
  pm.addPass(triton::createTritonToTile(tiles));
  pm.addPass(canonicalizer());
  pm.addPass(createCSEPass()); // merges equal ranges and masks before they are expanded
}

/// Returns the options for loops. A CPU has few registers, but fast memory. A lane of a GPU has
/// hundreds of registers.
static lower::tiles::FuseFragmentLoopsOptions loopOptions(const target::TargetEnv &target) {
  lower::tiles::FuseFragmentLoopsOptions options;
  options.registers = target.isCpu() ? 8 : 64;
  options.unrolled = target.isCpu() ? 4 : 16;
  // An unrolled product loads all its factors before it multiplies the first one, and needs too
  // many registers.
  options.multiplications = target.isCpu() ? 1024 : 128;
  options.productRegisters = target.limits.subgroupSize >= 16 ? 16 : 8;
  if (target.needs(target::Workaround::fewLoopTurns)) {
    options.registers = 16; // the driver takes minutes to compile long code without loops
    options.unrolled = 4;
    options.turns = 1024;
    options.mostTurns = 65535;
    options.depthUnrolled = 32;
  }
  // Vulkan has no limit for this. NVIDIA's lanes have 512 KiB, and the lanes of lavapipe share a
  // thread's stack. The CPU's stack is measured where its code is made.
  options.privateBytes = target.isCpu() ? 0 : 256 << 10;
  uint64_t bytes = target.limits.maxComputeSharedMemorySize;
  if (!target.isCpu())
    bytes -= bytes / 8; // the rest remains for other uses of workgroup memory
  options.workgroupBytes = std::min<uint64_t>(bytes, 128 << 10);
  return options;
}

void pumice::buildTilePipeline(OpPassManager &pm, const target::TargetEnv &target,
                               const TileOptions &options) {
  OpPassManager &modules = pm.nest<gpu::GPUModuleOp>();
  lower::tiles::FuseFragmentLoopsOptions loops = loopOptions(target);
  loops.overlap = options.overlap;
  // This pass precedes the one that makes loops, since it makes their blocks small.
  modules.addPass(lower::tiles::createSplitDimensions({std::min(4 * loops.unrolled, 64u)}));
  // This pass divides layouts, so it needs whole tensors.
  modules.addPass(lower::tiles::createFuseFragmentLoops(loops));
  // Removes repeated computations from each loop before it is unrolled.
  modules.addPass(createCSEPass());
  if (options.reportsLoads)
    modules.addPass(lower::tiles::createPlaceLoads()); // before the next pass copies loops
  lower::tiles::TakeFullBlocksOptions masks;
  masks.onlyChecks = target.isCpu();
  modules.addPass(lower::tiles::createTakeFullBlocks(masks)); // needs loops, and merged masks
  if (target.isCpu())
    modules.addPass(lower::tiles::createSplitMaskedLoops());
  modules.addPass(lower::tiles::createPipelineProducts()); // needs loops without masks
  modules.addPass(lower::tiles::createPrefetchLoads());    // for products that have no pipeline
  modules.addPass(createCSEPass());
  modules.addPass(lower::tiles::createDistributeTiles()); // divides the target's workgroup memory
  modules.addPass(canonicalizer());
}

//===-------------------------------------------------------------------------===//
// All kernels
//===-------------------------------------------------------------------------===//

/// Makes every kernel one structured function in a separate module.
static void addFunctionPasses(OpPassManager &pm, const KernelOptions &options) {
  OpPassManager &modules = pm.nest<gpu::GPUModuleOp>();
  // This pass comes first, so that errors are about the user's code.
  modules.addPass(lower::createCheckOperations());
  modules.addPass(lower::createFixIndexWidth({options.indexBits})); // before anything is folded
  modules.addPass(
      lower::createStructureControlFlow()); // makes functions of one block, which inlining needs
  modules.addPass(lower::createInlineCalls());
  modules.addPass(lower::createNarrowIntegers()); // narrows casts to index of the final width
  pm.addPass(lower::createSplitKernels()); // after inlining, so that kernels call no functions
}

/// Replaces operations that SPIR-V lacks with arithmetic, while memrefs still have their shapes.
static void addOperationPasses(OpPassManager &pm, const KernelOptions &options) {
  OpPassManager &modules = pm.nest<gpu::GPUModuleOp>();
  // Needs inlined calls, since it fixes the subgroup size of the kernel. Emulation makes vectors.
  modules.addPass(lower::createLowerGen({options.indexBits}));
  modules.addPass(lower::createLowerVectors()); // makes arith and math that later passes expand
  lower::EmulateMatricesOptions matrices;
  matrices.requireNative = options.requireNativeMatrices;
  modules.addPass(lower::createEmulateMatrices(matrices)); // makes shuffles, lowered below
  modules.addPass(lower::createLowerPrintf());             // adds an argument, lowered later
  modules.addPass(lower::createLowerAllReduce());   // makes subgroup reductions and attributions
  modules.addPass(lower::createLowerSubgroupOps()); // may fix the subgroup size of the kernel
  modules.addPass(lower::createExpandArith({options.indexBits})); // all passes above make arith
  modules.addPass(lower::createExpandMath()); // also expands the bit counts of expanded remainders
}

/// Replaces arguments and views by indexed buffers of types that the target can store and compute.
static void addMemoryPasses(OpPassManager &pm, const KernelOptions &options) {
  OpPassManager &modules = pm.nest<gpu::GPUModuleOp>();
  lower::LowerKernelArgumentsOptions arguments;
  arguments.addressing = options.addressing;
  arguments.indexBits = options.indexBits;
  modules.addPass(lower::createLowerKernelArguments(arguments)); // makes views for the next pass
  modules.addPass(lower::createFlattenMemory());
  modules.addPass(lower::createSplitVectors()); // needs flat accesses
  modules.addPass(canonicalizer());
  modules.addPass(createCSEPass());
  modules.addPass(lower::createLegalizeStorage()); // after views are gone, so buffers have one type
  modules.addPass(canonicalizer()); // before the next pass, whose extended values it would narrow
  modules.addPass(lower::createWidenTypes());     // needs the final types of loads and stores
  modules.addPass(lower::createEmulateAtomics()); // needs the words that narrow atomics became
  modules.addPass(lower::createExpandArith(
      {options.indexBits})); // expands minima of atomics and remainders; canonicalizes i1
  modules.addPass(lower::createCarryLoopResults()); // needs all loops, including those of atomics
  modules.addPass(createCSEPass());
}

static void addSpirvPasses(OpPassManager &pm, const KernelOptions &options) {
  pumice::spirv::ConvertToSpirvOptions conversion;
  conversion.indexBits = options.indexBits;
  pm.addPass(pumice::spirv::createConvertToSpirv(conversion));
  OpPassManager &modules = pm.nest<mlir::spirv::ModuleOp>();
  modules.addPass(createCSEPass()); // merges constants and interface reads that patterns repeated
  // This pass comes after dead loads have been removed, so it sees only the others.
  modules.addPass(pumice::spirv::createJoinHalves());
  modules.addPass(pumice::spirv::createJoinWords());  // after equal indices became one value
  modules.addPass(pumice::spirv::createAddOffsets()); // removes indices that the pass above needs
  modules.addPass(pumice::spirv::createSplitIntegers());
  // This pass comes last, since it collects what the final operations require.
  modules.addPass(pumice::spirv::createFinalizeSpirv());
}

void pumice::buildKernelPipeline(OpPassManager &pm, const KernelOptions &options) {
  addFunctionPasses(pm, options);
  addOperationPasses(pm, options);
  addMemoryPasses(pm, options);
  addSpirvPasses(pm, options);
}
