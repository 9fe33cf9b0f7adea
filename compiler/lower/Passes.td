//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

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

def LowerKernelArguments : Pass<"pumice-lower-kernel-arguments", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Replace what a kernel is given by operations that read its interface";
  let description = [{
    A Vulkan entry point has no parameters. Scalars, extents, strides and offsets become
    `vk.parameter` of one parameter block; buffers become addresses in that block, or storage-buffer
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
                           "::pumice::vk::VkDialect"];
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
