//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/driver/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def CarryLoopResults : Pass<"pumice-carry-loop-results", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let what an scf.while computes leave it as a loop variable";
  let description = [{
    CPU drivers that run a subgroup in lockstep (SwiftShader, lavapipe of Mesa 22) lose values that
    are computed in a loop and used after it, for lanes that leave the loop before others do: such
    values are computed again for these lanes too. Afterwards a used result of an scf.while is a
    variable of the loop, which such drivers keep; loops that are so already, and every scf.for,
    stay as they are. An arith.select of matrices, which SPIR-V does not have, becomes an scf.if.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CheckOperations : Pass<"pumice-check-operations", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse by name what no kernel can execute";
  let description = [{
    Runs first, so that the error stands at the operation as the user wrote it. The table is
    compiler/source/Operations.def; docs/operations.md prints it.
  }];
}

def EmulateAtomics : Pass<"pumice-emulate-atomics", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn atomic updates that the target lacks into compare-and-swap loops";
  let description = [{
    What remains are memref.atomic_rmw that the target has as one operation and
    `vk.atomic_cmpxchg` of 32- and 64-bit integers. Private memory needs no atomics: updates of it
    become a load and a store. Results are the values before the update, as in memref.atomic_rmw's
    lowering to LLVM. 64-bit updates without the 64-bit atomics feature are refused by its name.
    Integer updates with a float's bits are loops for targets with `noFloatBitsInAtomics`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::pumice::vk::VkDialect"];
}

def EmulateMatrices : Pass<"pumice-emulate-matrices", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn matrix operations that the target does not have into subgroup FMA code";
  let description = [{
    A web of !gpu.mma_matrix values whose products (m, n, k, types, subgroup scope) are all among
    the target's KHR cooperative-matrix shapes is left alone. Targets without a shape, also those
    that have VK_NV_cooperative_matrix only, get the same operations on vectors: every lane holds
    m·n/S elements, where S becomes the kernel's `pumice.required_subgroup_size` (with full
    subgroups). Element e = row · n + column lies in lane e mod S. Factors travel by gpu.shuffle and
    gpu.subgroup_broadcast; products are summed in the accumulator's type, in the order of k.

    Shapes must be powers of two with at least S elements. Integers are signed unless their type is
    unsigned. Memory is addressed by the memref's strides where they agree with leadDimension, else
    by leadDimension from the last index on. Minima and maxima propagate NaN.

    With `require-native`, what the target does not have is refused by name instead.
  }];
  let options = [Option<"requireNative", "require-native", "bool", /*default=*/"false",
                        "Refuse matrix operations that the target does not have">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def ExpandArith : Pass<"pumice-expand-arith", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand arith, index and ub operations that SPIR-V lacks or leaves undefined";
  let description = [{
    Divisions that round, signed remainders, products of double width, arithmetic on i1, minima and
    maxima with NaN and signed zeros, float remainders (exact), explicit rounding modes, floats of
    4 to 8 bits (exact; only moved and bit-cast afterwards), every `index` operation, and poison
    (zero) become operations that SPIR-V has. Comparisons of integers that were extended from 32 bits
    or fewer, with such or with a constant, are of 32 bits; others by signed order are unsigned, with
    signs flipped, for targets with `noSignedLongOrders`.
  }];
  let options = [Option<"indexBits", "index-bits", "unsigned", /*default=*/"32",
                        "Width of index, which index.sizeof tells: 32 or 64">];
}

def ExpandMath : Pass<"pumice-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand math operations that Vulkan lacks or gets wrong";
  let description = [{
    Every `math` operation whose SPIR-V or GLSL.std.450 instruction does not exist for its type, or
    is less accurate than GLSL asks elsewhere, or wrong for special values, becomes arithmetic.
    `afn` allows GLSL's instructions where they exist. docs/precision.md has methods and bounds.
    Types other than f16, f32, f64 and what widens to f32 are refused.
  }];
}

def FixIndexWidth : Pass<"pumice-fix-index-width", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute index values on integers where their width decides the result";
  let description = [{
    Unsigned divisions, remainders, minima, maxima and comparisons, right shifts, and casts to and
    from other widths than that of index become operations on integers of this width, and constants
    are what their bits mean there. MLIR folds index values with 64 bits, and casts to narrow
    integers and back away: with this, before anything is folded, results do not depend on what is
    constant. A constant that does not fit is refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [Option<"indexBits", "index-bits", "unsigned", /*default=*/"32",
                        "Width of index: 32 or 64">];
}

def FlattenMemory : Pass<"pumice-flatten-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every access one linear index into a one-dimensional buffer of scalars";
  let description = [{
    Views (subview, reinterpret_cast, cast, expand_shape, collapse_shape, transpose,
    extract_strided_metadata, memory_space_cast) dissolve into index arithmetic, also where loops
    and conditionals carry them as long as they stay within one buffer. memref.copy becomes a loop,
    memref.dim its extent. What remains are memref.load/store, vector.load/store, atomics and
    gpu.subgroup_mma_load/store_matrix on `memref<?xT>` (static for workgroup and private buffers)
    of scalar T, rooted in vk.parameter, vk.binding, memref.get_global, memref.alloca,
    gpu.dynamic_shared_memory or a one-dimensional memref.view of these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::pumice::vk::VkDialect"];
}

def InlineCalls : Pass<"pumice-inline-calls", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline every call between device functions";
  let description = [{
    A kernel becomes one function. Recursion, which neither SPIR-V shaders nor this pass can
    express, is refused at the call. Functions that no kernel needs are gone afterwards.
  }];
}

def LegalizeStorage : Pass<"pumice-legalize-storage", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every buffer an element type that the target can declare in its memory";
  let description = [{
    Elements that the target cannot store as they are become integers of their size, or parts of
    32-bit words read with shifts and written with atomic and/or. The host's layout of buffers is
    kept: i1 and i4 take one byte, i24 four, index eight. memref.view, and so one buffer under
    several types, dissolves on the way. Values keep their types (pumice-widen-types is next).
    64-bit elements without the feature are refused by its name.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::pumice::vk::VkDialect"];
}

def LowerAllReduce : Pass<"pumice-lower-all-reduce", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn reductions over a workgroup into subgroup reductions and workgroup memory";
  let description = [{
    Every subgroup reduces its values, its first lane stores the partial result to a workgroup
    attribution that this pass adds, and after a barrier every invocation folds all partial results
    in the same order. The number of subgroups is asked at run time; the attribution has room for
    as many as there are invocations (known_block_size, the entry point's ABI, or else
    maxComputeWorkGroupInvocations), divided by the required subgroup size if there is one.

    Where the target has no subgroup arithmetic for the type, and for a region that is none of the
    known operations, the values are folded by a tree over workgroup memory. Sums and products of
    floats narrower than f32 are kept in f32 and rounded once. Regions must be associative and
    commutative.

    A reduction without `uniform` that stands under control flow which depends on an invocation's
    id is refused. Afterwards: no gpu.all_reduce; gpu.subgroup_reduce on i32, i64, f32 and f64.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect"];
}

def LowerKernelArguments : Pass<"pumice-lower-kernel-arguments", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Replace what a kernel is given by operations that read its interface";
  let description = [{
    A Vulkan entry point has no parameters. Scalars, vectors (element by element), extents, strides
    and offsets become `vk.parameter` of one parameter block; buffers become addresses in that block, or storage-buffer
    bindings. Workgroup attributions become module-level buffers, private ones stack buffers. How
    a launch must fill the block stands in the kernel's `pumice.interface` attribute afterwards.
  }];
  let options = [
    Option<"addressing", "addressing", "::pumice::Addressing",
           "::pumice::Addressing::Automatic", "how kernels reach their buffers",
           [{::llvm::cl::values(
               clEnumValN(::pumice::Addressing::Automatic, "auto",
                          "device addresses where the target has them"),
               clEnumValN(::pumice::Addressing::Physical, "physical", "device addresses"),
               clEnumValN(::pumice::Addressing::Descriptors, "descriptors",
                          "one storage-buffer binding a buffer"))}]>,
    Option<"indexBits", "index-bits", "unsigned", "32", "width of index values: 32 or 64">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::pumice::vk::VkDialect"];
}

def LowerPrintf : Pass<"pumice-lower-printf", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn gpu.printf into records in a buffer";
  let description = [{
    A kernel that prints gets a last argument `memref<?xi32>`, marked `pumice.printf_buffer`, and
    the attribute `pumice.printf_formats`. Every gpu.printf reserves room by one atomic addition and
    writes the format's number and its arguments if they fit. docs/printf.md has the layout. Formats
    that do not agree with their arguments are refused, with the conversion in question.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerSubgroupOps : Pass<"pumice-lower-subgroup-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn gpu subgroup operations into the target's SPIR-V group instructions";
  let description = [{
    gpu.subgroup_reduce, gpu.shuffle, gpu.rotate and gpu.subgroup_broadcast become
    `spirv.GroupNonUniform…` operations on types that the target takes there: i1, i32, f32, f64,
    and with shaderSubgroupExtendedTypes i8, i16, i64 and f16. Vectors go element by element,
    64-bit integers as two words, narrow types as i32 and f32, index as two words.

    * subgroup_reduce: Reduce; ClusteredReduce for clusters of neighbours; All and Any for `and` and
      `or` of i1; otherwise exchanges between lanes. Minima and maxima of floats are reduced as
      integers that sort alike, so that NaN and -0 are exact.
    * shuffle: its own instruction where the offset is constant, else
      OpGroupNonUniformShuffle with the lane computed; `valid` is computed where it is used.
    * rotate: OpGroupNonUniformRotateKHR, else a shuffle.
    * subgroup_broadcast: OpGroupNonUniformBroadcast from constant lanes, else a shuffle.

    Exchanges that count on all lanes, and clusters larger than the target's smallest subgroup, set
    `pumice.required_subgroup_size` on the kernel; clusters and rotations note how many lanes they
    need in `pumice.least_subgroup_size`.
    What remains for the last conversion is gpu.lane_id, gpu.subgroup_id, gpu.num_subgroups and
    gpu.subgroup_size. A missing bit of subgroupFeatures is named in the error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect"];
}

def LowerVectors : Pass<"pumice-lower-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn vector operations into arith, memory accesses and movements of elements";
  let description = [{
    Transfers, masked accesses, gather and scatter become contiguous loads and stores of one dimension
    where all of a row is accessed, and conditional ones of single elements where not: masks and
    bounds that are known at run time only hold exactly. Contractions, outer products, reductions and
    scans become arithmetic on rows, in order of the iteration space; sums of float products are
    `math.fma`. `vector.reduction` of floats is in order too, unless `reassoc` allows another.
    Masks are comparisons and constants.

    Afterwards the `vector` operations left are `load` and `store` of one dimension on memrefs of
    scalars, and those that only move elements, on any static shape: `bitcast`, `broadcast`,
    `deinterleave`, `extract`, `extract_strided_slice`, `from_elements`, `insert`,
    `insert_strided_slice`, `interleave`, `shape_cast`, `shuffle`, `to_elements`, `transpose`.
    Scalable vectors, tensors and `vector.print` are refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def NarrowIntegers : Pass<"pumice-narrow-integers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute with 32 bits what is cut to 32 bits";
  let description = [{
    Sums, differences, products, bit operations, selections and shifts to the left on wider integers of
    which nothing but the low 32 bits is used, by arith.trunci in the end, are computed on i32; so are
    variables of scf.for and results of scf.if. What they are made of (loads, arguments) is cut.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SelectTarget : Pass<"pumice-select-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every gpu.module its target environment";
  let description = [{
    Sets `vk.target_env`, which our passes read, and `spirv.target_env`, which upstream's patterns
    read, by the tables in compiler/target. Without the option, a module that carries (or whose
    parent carries) `vk.target_env` gets `spirv.target_env` from that.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "a triple such as rdna3, a file, or #vk.target_env<...>">
  ];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::pumice::vk::VkDialect"];
}

def SplitKernels : Pass<"pumice-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every kernel a gpu.module of its own";
  let description = [{
    One SPIR-V module then holds one kernel: it needs no more of a device than that kernel does,
    and its workgroup size, which SPIR-V specializes for a whole module, is its own. Run after
    inlining; module-level buffers follow the kernels that use them.
  }];
}

def SplitVectors : Pass<"pumice-split-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Cut vectors into scalars and vectors of 2, 3 and 4 elements";
  let description = [{
    A SPIR-V shader holds no other vectors. One of any static shape becomes its elements in row-major
    order in pieces of four; the last piece is a vector of 3 or 2, or a scalar. It goes through
    elementwise operations, exchanges between lanes, structured control flow, constants, contiguous
    loads and stores (their alignment stays true for each piece), and everything that moves elements.
    Positions that are known at run time only become selections, or an array in private memory.

    Afterwards the `vector` operations left are `bitcast` (between 2, 3, 4 elements of one width, or 2
    and 4), `broadcast` of a scalar, `extract` and `insert` of a scalar (the position may be a value),
    `from_elements`, `load`, `shuffle` and `store`. What cannot be split is refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def StructureControlFlow : Pass<"pumice-structure-control-flow", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn branches between blocks into scf, and scf into for, while and if";
  let description = [{
    cf.br, cf.cond_br and cf.switch in functions, and in the regions of operations within them,
    become scf.if and scf.while; several returns become one, and loops with several entries get a
    variable that says where to go. A loop that cannot end is refused. Values that a path does not
    define are ub.poison there.

    scf.index_switch then becomes a chain of scf.if, scf.execute_region its contents. scf.parallel
    and scf.forall become loops that each invocation runs in full; scf.forall on tensors is
    refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def WidenTypes : Pass<"pumice-widen-types", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute in wider types what the target has no arithmetic for";
  let description = [{
    Integers without a native width (i8 and i16 without their features, i4, i24, i48, ...) are held
    by the next width that the target has, with exact wrap-around; bf16, and f16 without
    shaderFloat16, by f32 that is rounded to the narrow type after each operation; f8 by its bits,
    which can be moved but not computed with. i1 used as a number becomes i32. 64-bit types without
    their feature, wider integers, and operations that no rule covers are refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect"];
}
