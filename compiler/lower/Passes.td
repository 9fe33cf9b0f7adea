//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def EmulateAtomics : Pass<"pumice-emulate-atomics", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn atomic updates that the target lacks into compare-and-swap loops";
  let description = [{
    What remains are memref.atomic_rmw that the target has as one operation and
    `vk.atomic_cmpxchg` of 32- and 64-bit integers. Private memory needs no atomics: updates of it
    become a load and a store. Results are the values before the update, as in memref.atomic_rmw's
    lowering to LLVM. 64-bit updates without the 64-bit atomics feature are refused by its name.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::pumice::vk::VkDialect"];
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
