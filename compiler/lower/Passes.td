//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"pumice-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand math operations that Vulkan lacks or gets wrong";
  let description = [{
    Every `math` operation whose SPIR-V or GLSL.std.450 instruction does not exist for its type, or
    is less accurate than GLSL asks elsewhere, or wrong for special values, becomes arithmetic.
    `afn` allows GLSL's instructions where they exist. docs/precision.md has methods and bounds.
    Types other than f16, f32, f64 and what widens to f32 are refused.
  }];
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
