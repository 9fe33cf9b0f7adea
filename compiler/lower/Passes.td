//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each pass lowers one thing for the target that its gpu.module carries. Passes are in alphabetical
// order here. compiler/driver/Pipeline.cpp has the order in which they run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def CarryLoopResults : Pass<"pumice-carry-loop-results", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Carry values that an scf.while computes out of it as loop variables";
  let description = [{
    CPU drivers that run a subgroup in lockstep (SwiftShader, lavapipe of Mesa 22) corrupt values
    that a loop computes and later code uses. Lanes that leave the loop early get values that later
    iterations computed. This pass makes each used result of an scf.while a variable of the loop,
    which such drivers keep. Every scf.for, and loops already in this form, do not change. An
    arith.select of matrices, which SPIR-V does not have, becomes an scf.if.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CheckOperations : Pass<"pumice-check-operations", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Reject by name the operations that no kernel can execute";
  let description = [{
    This pass runs first, so that the error refers to the operation as the user wrote it. The table
    is compiler/source/Operations.def; docs/operations.md prints it.
  }];
}

def EmulateAtomics : Pass<"pumice-emulate-atomics", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn atomic updates that the target lacks into compare-and-swap loops";
  let description = [{
    Afterwards, the only atomic operations are memref.atomic_rmw that the target supports as one
    operation, and `vk.atomic_cmpxchg` of 32- and 64-bit integers. Private memory needs no atomics:
    updates of it become a load and a store. Results are the values before the update, as in
    memref.atomic_rmw's lowering to LLVM. 64-bit updates without the 64-bit atomics feature are
    rejected, and the error names the feature. For targets with `noFloatBitsInAtomics`, integer
    updates with a float's bits become loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::pumice::vk::VkDialect"];
}

def EmulateMatrices : Pass<"pumice-emulate-matrices", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn matrix operations that the target does not have into subgroup FMA code";
  let description = [{
    A group of connected !gpu.mma_matrix values does not change if all its products (m, n, k,
    types, subgroup scope) are among the target's KHR cooperative-matrix shapes. Targets without a
    shape get the same operations on vectors, even if they have VK_NV_cooperative_matrix. Every
    lane then holds m·n/S elements. S becomes the kernel's `pumice.required_subgroup_size` (with
    full subgroups). Element e = row · n + column lies in lane e mod S. gpu.shuffle and
    gpu.subgroup_broadcast move factors. Products are summed in the accumulator's type, in the
    order of k.

    Shapes must be powers of two with at least S elements. Integers are signed unless their type is
    unsigned. If the memref's second-last stride equals leadDimension, the last two indices select
    row and column. Otherwise the row times leadDimension is added to the last index. Minima and
    maxima propagate NaN.

    With `require-native`, operations that the target does not support are rejected by name
    instead.
  }];
  let options = [Option<"requireNative", "require-native", "bool", /*default=*/"false",
                        "Reject matrix operations that the target lacks">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def ExpandArith : Pass<"pumice-expand-arith", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand arith, index and ub operations that SPIR-V lacks or leaves undefined";
  let description = [{
    The following become operations that SPIR-V has: divisions that round, signed remainders,
    products of double width, and arithmetic on i1; minima and maxima with NaN and signed zeros,
    float remainders (exact), and explicit rounding modes; floats of 4 to 8 bits (exact; after this,
    they are only moved and bit-cast), every `index` operation, and poison (zero). Comparisons use
    32 bits if each side is a constant, or an integer that was extended from 32 bits or fewer. For
    targets with `noSignedLongOrders`, other signed comparisons become unsigned comparisons of
    values with flipped signs. For targets with `noLongDivisions`, divisions of 64-bit integers
    become products.
  }];
  let options = [Option<"indexBits", "index-bits", "unsigned", /*default=*/"32",
                        "Width of index, which index.sizeof returns: 32 or 64">];
}

def ExpandMath : Pass<"pumice-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand math operations that Vulkan lacks or computes wrongly";
  let description = [{
    A `math` operation becomes arithmetic in three cases. Its SPIR-V or GLSL.std.450 instruction
    does not exist for its type, is less accurate than GLSL otherwise requires, or is wrong for
    special values. `afn` allows GLSL's instructions if they exist. docs/precision.md lists methods
    and bounds. Types other than f16, f32, f64 and those that widen to f32 are rejected.
  }];
}

def FixIndexWidth : Pass<"pumice-fix-index-width", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute index values on integers if their width decides the result";
  let description = [{
    Some operations on index depend on its width: unsigned divisions, remainders, minima, maxima and
    comparisons, right shifts, and casts to and from other widths. They become operations on
    integers of this width, and a constant keeps its lowest bits. MLIR folds index values with 64
    bits, and folds casts to narrow integers and back. This pass runs before any folding, so results
    do not depend on which values are constant. A constant that does not fit is rejected.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [Option<"indexBits", "index-bits", "unsigned", /*default=*/"32",
                        "Width of index: 32 or 64">];
}

def FlattenMemory : Pass<"pumice-flatten-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every access one linear index into a one-dimensional buffer of scalars";
  let description = [{
    Views (subview, reinterpret_cast, cast, expand_shape, collapse_shape, transpose,
    extract_strided_metadata, memory_space_cast) become index arithmetic. Loops and conditionals
    may carry them, as long as they stay within one buffer. memref.copy becomes a loop, and
    memref.dim becomes the size itself. The remaining accesses are memref.load/store,
    vector.load/store, atomics and gpu.subgroup_mma_load/store_matrix. They access a `memref<?xT>`
    of scalar T, with a static size for workgroup and private buffers. Its root is vk.parameter,
    vk.binding, memref.get_global, memref.alloca, gpu.dynamic_shared_memory or a one-dimensional
    memref.view of these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::pumice::vk::VkDialect"];
}

def InlineCalls : Pass<"pumice-inline-calls", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline every call between device functions";
  let description = [{
    A kernel becomes one function. Recursion, which neither SPIR-V shaders nor this pass can
    express, is rejected at the call. Functions that no kernel needs are removed.
  }];
}

def LegalizeStorage : Pass<"pumice-legalize-storage", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every buffer an element type that the target can declare in its memory";
  let description = [{
    Elements that the target cannot store become integers of their size, or parts of 32-bit words.
    These are read with shifts and written with atomic and/or. The host's layout of buffers does not
    change: i1 and i4 take one byte, i24 takes four, and index takes eight. memref.view disappears,
    so each buffer has a single type. Values keep their types (pumice-widen-types is next). 64-bit
    elements without the feature are rejected, and the error names the feature.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::pumice::vk::VkDialect"];
}

def LowerAllReduce : Pass<"pumice-lower-all-reduce", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn reductions over a workgroup into subgroup reductions and workgroup memory";
  let description = [{
    Every subgroup reduces its values, and its first lane stores the partial result to a workgroup
    attribution that this pass adds. After a barrier, every invocation folds all partial results in
    the same order. The number of subgroups is read at run time. The attribution has room for as
    many results as there are invocations, divided by the required subgroup size if there is one.
    The number of invocations comes from known_block_size, the entry point's ABI, or else
    maxComputeWorkGroupInvocations.

    If the target has no subgroup arithmetic for the type, a tree over workgroup memory folds the
    values. The same happens if the region is not one of the known operations. Sums and products of
    floats narrower than f32 are kept in f32 and rounded once. Regions must be associative and
    commutative.

    A reduction without `uniform` under control flow that depends on an invocation's id is
    rejected. Afterwards, no gpu.all_reduce remains, and gpu.subgroup_reduce only on i32, i64, f32
    and f64.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect"];
}

def LowerKernelArguments : Pass<"pumice-lower-kernel-arguments", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Replace a kernel's arguments with operations that read its interface";
  let description = [{
    A Vulkan entry point has no parameters. Scalars, vectors (element by element), extents, strides
    and offsets become `vk.parameter` of one parameter block. Buffers become addresses in that
    block, or storage-buffer bindings. Workgroup attributions become module-level buffers, and
    private ones stack buffers. The kernel's `pumice.interface` attribute then describes how a
    launch must fill the block.
  }];
  let options = [
    Option<"addressing", "addressing", "::pumice::Addressing",
           "::pumice::Addressing::Automatic", "how kernels reach their buffers",
           [{::llvm::cl::values(
               clEnumValN(::pumice::Addressing::Automatic, "auto",
                          "device addresses if the target has them"),
               clEnumValN(::pumice::Addressing::Physical, "physical", "device addresses"),
               clEnumValN(::pumice::Addressing::Descriptors, "descriptors",
                          "one storage-buffer binding for each buffer"))}]>,
    Option<"indexBits", "index-bits", "unsigned", "32", "width of index values: 32 or 64">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::pumice::vk::VkDialect"];
}

def LowerPrintf : Pass<"pumice-lower-printf", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn gpu.printf into records in a buffer";
  let description = [{
    A kernel that prints gets a last argument `memref<?xi32>`, marked `pumice.printf_buffer`, and
    the attribute `pumice.printf_formats`. Every gpu.printf reserves room by one atomic addition,
    and writes the format's number and its arguments if they fit. docs/printf.md describes the
    layout. Formats that do not match their arguments are rejected, and the error names the
    conversion.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerGen : Pass<"pumice-lower-gen", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn the gen dialect in kernels into gpu, or into instructions of the target";
  let description = [{
    Positions, barriers, shuffles, broadcasts, reductions and ballots become those of gpu, or of
    SPIR-V, for every target. Scans remain for the conversion to SPIR-V.

    An operation on matrices or on blocks of matrices remains if the target has the OpenCL extension
    cl_intel_subgroup_matrix_multiply_accumulate or cl_intel_subgroup_2d_block_io. Its vectors are
    put together before it and taken apart after it, since the vectors of all other operations get
    split. Otherwise it becomes shuffles, arithmetic and accesses to elements, and so do operations
    on consecutive elements. The operation fixes `pumice.required_subgroup_size`.
  }];
  let options = [Option<"indexBits", "index-bits", "unsigned", /*default=*/"32",
                        "Bits of index: 32 or 64">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect",
                           "::pumice::vk::VkDialect"];
}

def LowerSubgroupOps : Pass<"pumice-lower-subgroup-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn gpu subgroup operations into the target's SPIR-V group instructions";
  let description = [{
    gpu.subgroup_reduce, gpu.shuffle, gpu.rotate and gpu.subgroup_broadcast become
    `spirv.GroupNonUniform…` operations on types that the target supports there: i1, i32, f32, f64,
    and with shaderSubgroupExtendedTypes i8, i16, i64 and f16. Vectors are lowered element by
    element, 64-bit integers and index as two words, and narrow types as i32 and f32.

    * subgroup_reduce: Reduce; ClusteredReduce for clusters of neighbours; All and Any for `and`
      and `or` of i1; otherwise exchanges between lanes. Minima and maxima of floats are reduced as
      integers with the same order, so that NaN and -0 are exact.
    * shuffle: its own instruction if the offset is constant, else OpGroupNonUniformShuffle with
      the computed lane. `valid` is computed at its uses.
    * rotate: OpGroupNonUniformRotateKHR, else a shuffle.
    * subgroup_broadcast: OpGroupNonUniformBroadcast from constant lanes, else a shuffle.

    Exchanges that rely on all lanes, and clusters larger than the target's smallest subgroup, set
    `pumice.required_subgroup_size` on the kernel. Clusters and rotations record how many lanes
    they need in `pumice.least_subgroup_size`. gpu.lane_id, gpu.subgroup_id, gpu.num_subgroups and
    gpu.subgroup_size remain for the last conversion. An error names a missing bit of
    subgroupFeatures.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect"];
}

def LowerVectors : Pass<"pumice-lower-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn vector operations into arith, memory accesses and moves of elements";
  let description = [{
    Transfers, masked accesses, gather and scatter become contiguous one-dimensional loads and
    stores if a whole row is accessed. Otherwise they become conditional accesses of single
    elements, so that masks and bounds known only at run time hold exactly. Contractions, outer
    products, reductions and scans become arithmetic on rows, in order of the iteration space. Sums
    of float products are `math.fma`. `vector.reduction` of floats is in order too, unless
    `reassoc` allows another. Masks become comparisons and constants.

    Of `vector`, only one-dimensional `load` and `store` on memrefs of scalars remain, and
    operations that move elements, on any static shape: `bitcast`, `broadcast`, `deinterleave`,
    `extract`, `extract_strided_slice`, `from_elements`, `insert`, `insert_strided_slice`,
    `interleave`, `shape_cast`, `shuffle`, `to_elements`, `transpose`. Scalable vectors, tensors
    and `vector.print` are rejected.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def NarrowIntegers : Pass<"pumice-narrow-integers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute integers that are truncated to 32 bits with 32 bits";
  let description = [{
    Rewrites operations on wider integers if a final arith.trunci uses only the low 32 bits of their
    result. Sums, differences, products, bit operations, selections and left shifts are computed on
    i32. So are variables of scf.for and results of scf.if. Their inputs (loads, arguments) are
    truncated.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SelectTarget : Pass<"pumice-select-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Set the target environment of every gpu.module";
  let description = [{
    Sets `vk.target_env`, which our passes read, and `spirv.target_env`, which upstream's patterns
    read, from the tables in compiler/target. Without the option, a module gets `spirv.target_env`
    from its own `vk.target_env`, or from its parent's.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "a triple such as rdna3, a file, or #vk.target_env<...>">
  ];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::pumice::vk::VkDialect"];
}

def SplitKernels : Pass<"pumice-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every kernel its own gpu.module";
  let description = [{
    Each SPIR-V module then holds one kernel. It requires no more of a device than that kernel does.
    SPIR-V specializes the workgroup size for a whole module, so each kernel can now have its own.
    This pass runs after inlining. Module-level buffers go to the kernels that use them.
  }];
}

def SplitVectors : Pass<"pumice-split-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Cut vectors into scalars and vectors of 2, 3 and 4 elements";
  let description = [{
    A SPIR-V shader supports no other vectors. A vector of any static shape becomes its elements in
    row-major order, in pieces of four. The last piece is a vector of 3 or 2, or a scalar. The pass
    handles element-wise operations, exchanges between lanes, structured control flow, constants,
    and everything that moves elements. It also handles contiguous loads and stores, with the
    correct alignment for each piece. Positions that are only known at run time become selections,
    or an array in private memory.

    The remaining `vector` operations are `bitcast` (between 2, 3, 4 elements of one width, or 2
    and 4), `broadcast` of a scalar, `extract` and `insert` of a scalar (the position may be a
    value), `from_elements`, `load`, `shuffle` and `store`. Operations that cannot be split are
    rejected.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def StructureControlFlow : Pass<"pumice-structure-control-flow", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn branches between blocks into scf, and scf into for, while and if";
  let description = [{
    cf.br, cf.cond_br and cf.switch in functions, and in the regions of operations within them,
    become scf.if and scf.while. Several returns become one. Loops with several entries get a
    variable for the entry. A loop that cannot end is rejected. Values that a path does not define
    are ub.poison there.

    scf.index_switch then becomes a chain of scf.if, and scf.execute_region its contents.
    scf.parallel and scf.forall become loops that each invocation runs in full. scf.forall on
    tensors is rejected.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def WidenTypes : Pass<"pumice-widen-types", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute types without arithmetic on the target in wider types";
  let description = [{
    Integers without a native width (i8 and i16 without their features, i4, i24, i48, ...) are held
    by the next wider integer of the target, with exact wrap-around. bf16, and f16 without
    shaderFloat16, are held by f32, which is rounded to the narrow type after each operation. f8 is
    held by its bits, which can be moved but not computed with. i1 used as a number becomes i32.
    64-bit types without their feature, wider integers, and operations without a rule are rejected.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect"];
}
