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

def LowerAllReduce : Pass<"pumice-lower-all-reduce", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn reductions over a workgroup into subgroup reductions and workgroup memory";
  let description = [{
    Every subgroup reduces its values, its first lane stores the partial result to a workgroup
    attribution that this pass adds, and after a barrier every invocation folds all partial results
    in the same order. The number of subgroups is asked at run time; the attribution has room for
    the workgroup's size (known_block_size, the entry point's ABI, or else
    maxComputeWorkGroupInvocations) divided by the smallest subgroup size.

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

    A cluster larger than the smallest subgroup sets `pumice.required_subgroup_size` on the kernel.
    What remains for the last conversion is gpu.lane_id, gpu.subgroup_id, gpu.num_subgroups and
    gpu.subgroup_size. A missing bit of subgroupFeatures is named in the error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect", "::mlir::vector::VectorDialect"];
}
