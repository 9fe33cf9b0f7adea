//===- Passes.td - passes on imported Triton kernels ------------------------===//
include "mlir/Pass/PassBase.td"

def InlineTritonCalls : Pass<"pumice-inline-triton-calls", "::mlir::ModuleOp"> {
  let summary = "Inline all calls, so that each kernel is one function";
  let description = [{
    Functions with `noinline` are inlined too, and so are calls in the regions of reductions.
    Recursive calls are rejected. So are kernels that inlining would grow to more than a million
    operations. An inlined operation keeps its line, and records the line of the call.
  }];
}

def NumberLoads : Pass<"pumice-number-loads", "::mlir::ModuleOp"> {
  let summary = "Number the loads of kernels, for statistics";
  let description = [{
    Each `tt.load`, `tt.descriptor_load` and `tt.descriptor_gather` gets the attribute
    `pumice.load`. It holds a number, the form in which the kernel gives the address, and the type.
    Operations that replace a load keep the attribute, and `pumice-place-loads` uses it to report
    where the loaded values are kept. Pipelines run this pass only if statistics are requested.
  }];
}

def LowerDescriptors : Pass<"pumice-lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "Turn tensor descriptors into pointers and masks";
  let description = [{
    Triton's own pass for this makes every offset an i64, and loses the fact that the last stride is
    one. This pass computes the first element of a block in scalars. Offsets along the last
    dimension stay consecutive i32 values. Elements beyond the edges are masked, and read as zero or
    NaN.

    A descriptor argument of a kernel becomes a pointer that is a multiple of 16 bytes. For floats,
    an i1 with the attribute `pumice.pads_with_nan` follows it. The arguments for the shape and
    strides come next, as before.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def ExpandScaledProducts : Pass<"pumice-expand-scaled-products", "::mlir::ModuleOp"> {
  let summary = "Replace every tt.dot_scaled by a tt.dot of floats";
  let description = [{
    Operands become f32, and each element is multiplied by the scale of its group. This is exact if
    the scale is a power of two, since f32 can represent every product of an e2m1, f8 or
    bf16 number and such a scale.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WidenProducts : Pass<"pumice-widen-products", "::mlir::ModuleOp"> {
  let summary = "Sum products of f16 and bf16 in f32, and round once";
  let description = [{
    A sum of a hundred numbers that are each rounded to f16 is off by several units in the last
    place. GPUs with f16 matrices sum them in f32 at the same speed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandPolls : Pass<"pumice-expand-polls", "::mlir::ModuleOp"> {
  let summary = "Replace every tt.atomic_poll by a loop over atomic loads";
  let description = [{
    The loop ends once every element was seen with its expected value, or after as many iterations
    as the timeout allows. Each iteration counts as 64 ns, because not every device has a clock. An
    element that was seen is not read again.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadInlineAssembly : Pass<"pumice-read-inline-assembly", "::mlir::ModuleOp"> {
  let summary = "Translate the PTX of inline assembly into arith, math and memory accesses";
  let description = [{
    docs/inline-assembly.md lists the supported instructions. If elements are packed, several share
    a register, and the code becomes a `tt.map_elementwise` over that many elements. Any other
    instruction is an error at the kernel's line, which names the instruction and the closest
    operation of triton.language.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::pumice::vk::VkDialect"];
}

def PrintIndexFacts : Pass<"pumice-print-index-facts", "::mlir::ModuleOp"> {
  let summary = "Print the facts about each integer and pointer: contiguity, constancy, divisibility";
  let description = [{
    Emits a remark at each operation with such a result, and at each loop for its variables. For
    each dimension, the remark has the lengths of runs of consecutive and of equal elements, and a
    divisor of the first element of each run. Then it lists how much each bit of the index adds to
    the value, from the lowest bit on; `?` means that this varies. For pointers, contiguity counts
    elements, and all other numbers are bytes. The module does not change.
  }];
}

def StructureTriton : Pass<"pumice-structure-triton", "::mlir::ModuleOp"> {
  let summary = "Turn branches that early returns leave into scf operations";
  let description = [{
    This covers every region in functions, including those of `tt.reduce`, `tt.scan` and
    `tt.map_elementwise`. Each region then has one block. Code that a branch skips goes into the
    other region of an `scf.if`. A value that only one side computes is `ub.poison` on the other
    side.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TritonToTile : Pass<"pumice-triton-to-tile", "::mlir::ModuleOp"> {
  let summary = "Give every tensor of a kernel a layout, and every pointer a base and offsets";
  let description = [{
    Each kernel becomes a gpu.func of the same name, for workgroups of `subgroups` subgroups of
    `lanes` lanes. A pointer argument becomes a memref without extent, and pointers become offsets
    from it: an i32 for each element if that is exact, else an i64. A pointer that is loaded from
    memory is an address. If a kernel computes with addresses, or chooses between its arguments, all
    its pointers are addresses. With `has-addresses`, this also holds if a kernel atomically updates
    16-bit elements of an argument that may not begin at a multiple of 4 bytes.

    Loads choose layouts. Lanes are along the dimension that is contiguous in memory, and each lane
    loads `access-bytes` of neighbouring elements at once. Ranges, masks and offsets need no memory,
    so they are computed in the layouts of their users. Any other operation uses the layout of one
    of its operands, chosen so that conversions of the other operands cost least.

    Operations without an equivalent in the tile dialect are rejected, at the kernel's line.
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
