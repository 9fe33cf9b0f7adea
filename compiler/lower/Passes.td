//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

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

def SplitKernels : Pass<"pumice-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every kernel a gpu.module of its own";
  let description = [{
    One SPIR-V module then holds one kernel: it needs no more of a device than that kernel does,
    and its workgroup size, which SPIR-V specializes for a whole module, is its own. Run after
    inlining; module-level buffers follow the kernels that use them.
  }];
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
