//===- Passes.td - passes that turn a workgroup's tensors into lane code ----===//
include "mlir/Pass/PassBase.td"

def DistributeTiles : Pass<"pumice-distribute-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each lane its registers of every tensor";
  let description = [{
    Converts a tensor with a #tile.layout to a vector of the registers that a lane has for it.
    Element-wise operations of arith and math stay the same. Operations of tile become loads,
    stores, shuffles and selects, as their plans say (compiler/dialect/tile/plan). Kernels get the
    workgroup and the subgroup size of their layouts. Operations of scf may carry tensors.

    Elements that go through workgroup memory use attributions of the kernel, between barriers. All
    invocations must reach these operations. Products of matrices are unrolled, and each lane
    computes its own results.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::pumice::vk::VkDialect"];
}

def SplitDimensions : Pass<"pumice-split-dimensions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give large tensors a shape that has small blocks";
  let description = [{
    Blocks are ranges of coordinates. If a reshape made a dimension from several others, for example
    after a transposition, the smallest block may be most of the tensor. This pass finds
    element-wise operations on tensors whose smallest blocks have more than `registers` registers in
    a lane. It computes them in another shape, in which the dimension is split again. Reshapes
    connect the two shapes, and consecutive reshapes are merged.
  }];
  let options = [
    Option<"registers", "registers", "unsigned", /*default=*/"16",
           "Registers of a block in a lane above which dimensions are split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::tile::TileDialect"];
}

def FuseFragmentLoops : Pass<"pumice-fuse-fragment-loops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Process large tensors block by block, in fused loops";
  let description = [{
    Turns operations on tensors with more than `registers` registers in a lane into loops over
    blocks of `unrolled` registers. Chains of loads, arithmetic, stores, atomic updates, scans and
    partial reductions share a loop, as long as each needs only the current block of the others. A
    value that is needed after its loop is kept in a private array of the lane (tile.array_load,
    tile.array_store). It is computed again instead if that is cheap and no write can have changed
    it. Large variables of scf.for are kept in arrays too.

    A reduction stays in its loop if blocks contain its whole dimension. A reshape only gives
    registers another name. Arrays that are not needed at the same time share memory. Products of
    matrices are computed in blocks of `product-registers`. Their factors are in workgroup memory,
    and take at most `workgroup-bytes` of it. Operations that do not work on blocks (histograms,
    joins) get the whole tensor.
  }];
  let options = [
    Option<"registers", "registers", "unsigned", /*default=*/"16",
           "Registers of a tensor in a lane above which it gets a loop">,
    Option<"unrolled", "unrolled", "unsigned", /*default=*/"4",
           "Registers that one iteration of a loop handles">,
    Option<"turns", "turns", "uint64_t", /*default=*/"0",
           "Iterations above which a loop handles more registers in each; 0: any number">,
    Option<"mostTurns", "most-turns", "uint64_t", /*default=*/"0",
           "Iterations that all loops of a kernel may have, if they are known; 0: any number">,
    Option<"depthUnrolled", "depth-unrolled", "uint64_t", /*default=*/"1",
           "Steps along a product's depth in one iteration">,
    Option<"productRegisters", "product-registers", "unsigned", /*default=*/"16",
           "Registers of a product that are computed at once">,
    Option<"multiplications", "multiplications", "uint64_t", /*default=*/"1024",
           "Multiplications of a product in a lane up to which it is unrolled">,
    Option<"workgroupBytes", "workgroup-bytes", "uint64_t", /*default=*/"32768",
           "Workgroup memory for factors of products">,
    Option<"privateBytes", "private-bytes", "uint64_t", /*default=*/"0",
           "Bytes for a lane's private arrays; 0: any number">,
    Option<"overlap", "overlap", "bool", /*default=*/"false",
           "Arguments of the kernel may share memory">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::pumice::tile::TileDialect"];
}

def TakeFullBlocks : Pass<"pumice-take-full-blocks", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Run loops without masks if all masks hold";
  let description = [{
    Applies to loops whose loads and stores have masks that compare indices with a limit that is
    constant in the loop. A condition before the loop tests whether all indices are within the limit
    in all iterations. If so, a copy of the loop without masks runs, else the original. Indices may
    be ranges, variables of loops with constant bounds, and sums of these with numbers from before
    the loop. Masks may also be conjunctions and views of such masks.

    The checks of a checked kernel are marked with `tile.inside`. They are decided before the loop
    in the same way, or by the kernel's own mask of the same indices.
  }];
  let options = [
    Option<"onlyChecks", "only-checks", "bool", "false",
           "leave the masks of loops without products to pumice-split-masked-loops">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitMaskedLoops : Pass<"pumice-split-masked-loops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Run the iterations without masks in which all masks hold";
  let description = [{
    Applies to innermost loops whose loads and stores have masks that compare indices with a limit
    that is constant in the loop. The first iterations, in which all masks hold, become a loop
    without masks. A second loop runs the others. It ends where no mask holds for any element, if
    nothing changes from there on. Masks may be those of `pumice-take-full-blocks`, which takes
    either all iterations or none. Two loops suit processors on which dynamic bounds cost nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PlaceLoads : Pass<"pumice-place-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Report where the values of each load are kept, for statistics";
  let description = [{
    Runs after `pumice-fuse-fragment-loops`, on loads that `pumice-number-loads` has numbered. A
    kernel gets the attribute `pumice.loads`. For each load it says how many registers of a lane the
    load fills at once, how many times the code loads all elements, and whether it loads an
    iteration ahead. It also says how many elements an access moves, how many bytes private arrays
    and workgroup memory keep, and whether values become fragments of cooperative matrices. Values
    are followed through views, casts, selects, layouts and loops, but not through other
    computations.
  }];
}

def PrefetchLoads : Pass<"pumice-prefetch-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Load the next iteration's factors during multiplications";
  let description = [{
    Applies to loops that write no memory and multiply fragments of cooperative matrices (tile.dot, if the
    target's measured layouts allow them). The loads for a product run one iteration ahead, and the loop
    carries their values. The first iteration's loads come before the loop. Masks keep loads for iterations
    that do not exist from accessing memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::tile::TileDialect"];
}

def PipelineProducts : Pass<"pumice-pipeline-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Overlap the loads, stores and multiplications of products in loops";
  let description = [{
    Applies to loops that write no memory and multiply fragments of cooperative matrices. Factors
    pass three stages: from memory to registers, from there to workgroup memory, and from there to
    fragments. Each stage runs ahead of the next one. Factors that the loop does not change are kept
    in fragments.

    If the loop loads both factors, the depth is cut into pieces, which pass the stages one after the
    other. Loops with several products are left to `pumice-prefetch-loads`.
  }];
  let options = [
    Option<"firstDepth", "first-depth", "uint64_t", /*default=*/"32",
           "Depth of a piece of the first factor, in elements">,
    Option<"secondDepth", "second-depth", "uint64_t", /*default=*/"16",
           "Depth of a piece of the second factor, in elements">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::pumice::tile::TileDialect", "::pumice::vk::VkDialect"];
}
