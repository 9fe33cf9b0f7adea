//===- Passes.td - from tensors of a workgroup to what a lane does ----------===//
include "mlir/Pass/PassBase.td"

def DistributeTiles : Pass<"pumice-distribute-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each lane the registers that it holds of every tensor";
  let description = [{
    A tensor with a #tile.layout becomes a vector of as many elements as a lane has registers for it.
    Element by element, arith and math stay what they are; tile operations become loads, stores,
    shuffles and selects, as their plans say (compiler/dialect/tile/plan). Kernels get the workgroup
    and the subgroup size that their layouts have. Tensors may be carried by scf operations.

    What goes through workgroup memory does so in attributions of the kernel, between barriers: these
    operations must be reached by all invocations. Products of matrices are written
    out, each lane by itself.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::pumice::vk::VkDialect"];
}

def SplitDimensions : Pass<"pumice-split-dimensions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give large tensors that have no small blocks a shape in which they do";
  let description = [{
    Blocks are ranges of coordinates, and a lane's registers hold so many: where a dimension was made of several by a
    reshape, after a transposition, say, that may be most of the tensor. What works on such tensors element by element, with
    blocks of more than `registers`, works on another shape of theirs instead, in which the dimension is several again.
    Reshapes stand between, of which those one after the other are one.
  }];
  let options = [
    Option<"registers", "registers", "unsigned", /*default=*/"16",
           "Registers of a block in a lane above which dimensions are split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::tile::TileDialect"];
}

def FuseFragmentLoops : Pass<"pumice-fuse-fragment-loops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Take tensors that are large in a lane by blocks, in fused loops";
  let description = [{
    What works on tensors of more than `registers` in a lane becomes loops over blocks of `unrolled`
    registers: chains of loads, arithmetic, stores, atomic updates, scans and partial reductions share
    one, as far as they need each other block by block. What outlives its loop is kept in an array of the
    lane (tile.array_load, tile.array_store), or made again where that is cheap and no write can have
    come between; so are large variables of scf.for. A reduction along a dimension that blocks have all
    of stays in its loop; a reshape is another name for registers. Arrays are shared where one is needed
    no more when another begins. Products of matrices are computed by blocks of
    `product-registers`, from factors in workgroup memory, of which they take `workgroup-bytes` at
    most. Whatever works on no blocks (histograms, joins) gets the whole tensor.
  }];
  let options = [
    Option<"registers", "registers", "unsigned", /*default=*/"16",
           "Registers of a tensor in a lane above which it is looped over">,
    Option<"unrolled", "unrolled", "unsigned", /*default=*/"4",
           "Registers that one turn of a loop takes">,
    Option<"turns", "turns", "uint64_t", /*default=*/"0",
           "Turns above which a loop takes more registers in each; 0: any number">,
    Option<"mostTurns", "most-turns", "uint64_t", /*default=*/"0",
           "Turns that all loops of a kernel may take, as far as they are known; 0: any number">,
    Option<"depthUnrolled", "depth-unrolled", "uint64_t", /*default=*/"1",
           "Steps along a product's depth that one turn takes">,
    Option<"productRegisters", "product-registers", "unsigned", /*default=*/"16",
           "Registers of a product that are computed at once">,
    Option<"multiplications", "multiplications", "uint64_t", /*default=*/"1024",
           "Multiplications of a product in a lane up to which it is written out">,
    Option<"narrowMultiplications", "narrow-multiplications", "uint64_t", /*default=*/"32",
           "or so many, where lanes tell rows and columns apart">,
    Option<"workgroupBytes", "workgroup-bytes", "uint64_t", /*default=*/"32768",
           "Workgroup memory for factors of products">,
    Option<"privateBytes", "private-bytes", "uint64_t", /*default=*/"0",
           "Memory for a lane's arrays; 0: any number">,
    Option<"overlap", "overlap", "bool", /*default=*/"false",
           "Arguments of the kernel may share memory">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::pumice::tile::TileDialect"];
}

def TakeFullBlocks : Pass<"pumice-take-full-blocks", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Loop without masks where numbers tell that they hold";
  let description = [{
    Of a loop whose loads and stores have masks: where a mask compares indices with a limit that the loop
    does not change, a condition before it asks whether all of them keep it, in all turns; there the
    loop has no masks, else it is as it was. Indices may be ranges, variables of loops with constant
    bounds, and sums of these with numbers from before the loop; conjunctions and views of such masks
    are known too.

    The tests of a checked kernel, which are marked with `tile.inside`, are answered before the loop
    in the same way, or by the kernel's own mask of the same indices.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PlaceLoads : Pass<"pumice-place-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Say of each load where its values are kept, for statistics";
  let description = [{
    After `pumice-fuse-fragment-loops`, of loads that `pumice-number-loads` has numbered. A kernel gets
    the attribute `pumice.loads`: for each load how many registers of a lane it takes at once, how often
    it is done (each time for all its elements), whether a turn ahead, how many elements an access moves,
    what the lane's own arrays and workgroup memory keep of it in bytes, and whether it comes to be in
    fragments of cooperative matrices. Values are followed through views, casts, choices, layouts and
    loops; what is computed of them is something else.
  }];
}

def PrefetchLoads : Pass<"pumice-prefetch-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Load the next turn's factors while this one multiplies";
  let description = [{
    Of loops that multiply fragments of cooperative matrices (tile.dot, where the target's measured
    layouts say so) and write no memory: what is loaded for a product is loaded a turn ahead, and
    carried. The first turn's loads come before the loop; masks keep those of turns that do not exist
    from memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::tile::TileDialect"];
}
