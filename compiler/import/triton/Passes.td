//===- Passes.td - passes on what Triton's text becomes ---------------------===//
include "mlir/Pass/PassBase.td"

def InlineTritonCalls : Pass<"pumice-inline-triton-calls", "::mlir::ModuleOp"> {
  let summary = "Make one function of every kernel";
  let description = [{
    Also of functions that their author wants kept (`noinline`), and of those that a reduction's region
    calls. Functions that call each other in a circle are refused, and calls that would make more than
    a million operations of a kernel. What is copied keeps its line, called at the caller's line.
  }];
}

def NumberLoads : Pass<"pumice-number-loads", "::mlir::ModuleOp"> {
  let summary = "Number the loads of kernels, for statistics";
  let description = [{
    `tt.load`, `tt.descriptor_load` and `tt.descriptor_gather` get the attribute `pumice.load`: a number,
    how the kernel says where to load from, and the type. What becomes of them carries it;
    `pumice-place-loads` tells, by it, where their values are kept. Only run where that is asked for.
  }];
}

def LowerDescriptors : Pass<"pumice-lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "Turn tensor descriptors into pointers and masks";
  let description = [{
    Triton's own pass for this makes every offset an i64 and forgets that the last stride is one. Here
    a block's first element is found in scalars, and offsets along the last dimension stay i32 and
    consecutive. What lies beyond the edges is masked, and read as zero or NaN.

    A descriptor that is a kernel's argument becomes a pointer, which 16 divides, and for floats an
    i1 after it, with the attribute `pumice.pads_with_nan`; its shape and strides follow, as they did.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def ExpandScaledProducts : Pass<"pumice-expand-scaled-products", "::mlir::ModuleOp"> {
  let summary = "Make a tt.dot of floats of every tt.dot_scaled";
  let description = [{
    Operands become f32, each element times its group's scale, and are multiplied as such: what e2m1,
    f8 and bf16 hold, times a power of two, is exact in f32.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WidenProducts : Pass<"pumice-widen-products", "::mlir::ModuleOp"> {
  let summary = "Sum what tt.dot gives as f16 or bf16 in f32, and round it once";
  let description = [{
    A sum of a hundred numbers, each rounded to f16, is off by several units in the last place. GPUs
    with matrices of f16 sum them in f32 as fast.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandPolls : Pass<"pumice-expand-polls", "::mlir::ModuleOp"> {
  let summary = "Make a loop over atomic loads of every tt.atomic_poll";
  let description = [{
    The loop ends once every element was seen with its expected value, or after as many turns as the
    time allows, of which each counts for 64 ns: kernels have no clock. An element that was seen is not
    read again.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadInlineAssembly : Pass<"pumice-read-inline-assembly", "::mlir::ModuleOp"> {
  let summary = "Turn inline assembly into arith, math and accesses, by what its PTX means";
  let description = [{
    Of the instructions that docs/inline-assembly.md lists. Where elements are packed, several share a
    register, and the code becomes that of a `tt.map_elementwise` over as many. All else is an error
    at the kernel's line that names the instruction, and the closest operation of triton.language.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::pumice::vk::VkDialect"];
}

def PrintIndexFacts : Pass<"pumice-print-index-facts", "::mlir::ModuleOp"> {
  let summary = "Say what is known of each integer and pointer: contiguity, constancy, divisibility";
  let description = [{
    A remark at each operation that has such a result, and at each loop for its variables. Runs of
    equal or consecutive elements, and what divides the first of each, stand for each dimension; then
    what setting each bit of the index adds to the value, from the lowest bit on (`?`: it depends). Of
    pointers, runs are in elements, all else in bytes. The module stays as it is.
  }];
}

def StructureTriton : Pass<"pumice-structure-triton", "::mlir::ModuleOp"> {
  let summary = "Turn branches into scf: what early returns leave";
  let description = [{
    Of every region in functions, those of `tt.reduce`, `tt.scan` and `tt.map_elementwise` too. Each
    then has one block. What a branch skips becomes the other side of an `scf.if`; values that one
    side alone has are `ub.poison` on the other.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TritonToTile : Pass<"pumice-triton-to-tile", "::mlir::ModuleOp"> {
  let summary = "Give every tensor of a kernel a layout, and every pointer a base and offsets";
  let description = [{
    Each kernel becomes a gpu.func of the same name, for workgroups of `subgroups` subgroups of
    `lanes` lanes. Pointers are memrefs without extent, where places are counted from: an i32 for
    each element where that is exact, else an i64; what comes from memory is an address. A kernel that
    computes with addresses, or chooses between its arguments, takes all of these as addresses; so
    does, with `has-addresses`, one that updates elements of 16 bits atomically of which nothing says
    that they begin with a word. Loads
    choose layouts: lanes run along the dimension that is contiguous in memory, with as many
    neighbours each as `access-bytes` hold. What needs no memory (ranges, masks, offsets) is made in
    the layout of those who use it; all other operations work where most of their operands are held.

    What the tile dialect has no operation for is refused, at the kernel's line.
  }];
  let options = [
    Option<"lanes", "lanes", "uint64_t", /*default=*/"16", "lanes of a subgroup">,
    Option<"subgroups", "subgroups", "uint64_t", /*default=*/"1", "subgroups of a program">,
    Option<"accessBytes", "access-bytes", "uint64_t", /*default=*/"0",
           "how much a lane loads at once where memory is contiguous; 0: one element">,
    Option<"hasAddresses", "has-addresses", "bool", /*default=*/"false",
           "arguments may become addresses where a word that an atomic needs may begin before them">,
    Option<"layoutSeed", "layout-seed", "uint64_t", /*default=*/"0",
           "for tests: random layouts instead of good ones; 0: good ones">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
                           "::pumice::tile::TileDialect", "::pumice::vk::VkDialect"];
}
