// Operations across invocations; docs/spirv-to-llvm.md shows the code that they are lowered to.
!words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>
!shared = !spirv.array<32 x i32>

spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, VulkanMemoryModelDeviceScope, GroupNonUniformArithmetic, GroupNonUniformClustered, GroupNonUniformVote, GroupNonUniformBallot, GroupNonUniformRotateKHR], [SPV_KHR_subgroup_rotate]> {
  spirv.GlobalVariable @local built_in("LocalInvocationIndex") : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>
  spirv.GlobalVariable @shared : !spirv.ptr<!shared, Workgroup>

  spirv.func @atomics() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %0] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %old = spirv.AtomicIAdd <Device> <None> %p, %i : !spirv.ptr<i32, StorageBuffer>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @atomics, @words, @local
  spirv.ExecutionMode @atomics "LocalSize", 32, 1, 1

  spirv.func @exchanges() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %shared = spirv.mlir.addressof @shared : !spirv.ptr<!shared, Workgroup>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %q = spirv.AccessChain %words[%0, %x] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %old = spirv.AtomicCompareExchange <Device> <AcquireRelease|UniformMemory> <Acquire|UniformMemory> %q, %i, %x : !spirv.ptr<i32, StorageBuffer>
    %s = spirv.AccessChain %shared[%i] : !spirv.ptr<!shared, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    %own = spirv.AtomicUMax <Workgroup> <None> %s, %old : !spirv.ptr<i32, Workgroup>
    spirv.Store "StorageBuffer" %p, %own : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @exchanges, @words, @shared, @local
  spirv.ExecutionMode @exchanges "LocalSize", 32, 1, 1

  spirv.func @groups() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %sum = spirv.GroupNonUniformIAdd <Subgroup> <Reduce> %x : i32 -> i32
    spirv.Store "StorageBuffer" %p, %sum : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @groups, @words, @local
  spirv.ExecutionMode @groups "LocalSize", 32, 1, 1

  spirv.func @shuffles() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %4 = spirv.Constant 4 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %c = spirv.SLessThan %x, %0 : i32
    %any = spirv.GroupNonUniformAny <Subgroup> %c : i1
    %r = spirv.GroupNonUniformRotateKHR <Subgroup> %x, %1 : i32, i32 -> i32
    %part = spirv.GroupNonUniformIAdd <Subgroup> <ClusteredReduce> %r cluster_size(%4) : i32, i32 -> i32
    %b = spirv.GroupNonUniformBroadcast <Subgroup> %part, %0 : i32, i32
    %y = spirv.Select %any, %b, %part : i1, i32
    spirv.Store "StorageBuffer" %p, %y : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @shuffles, @words, @local
  spirv.ExecutionMode @shuffles "LocalSize", 32, 1, 1

  spirv.func @barriers() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %shared = spirv.mlir.addressof @shared : !spirv.ptr<!shared, Workgroup>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %31 = spirv.Constant 31 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %q = spirv.AccessChain %shared[%i] : !spirv.ptr<!shared, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    spirv.Store "Workgroup" %q, %x : i32
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
    %other = spirv.ISub %31, %i : i32
    %r = spirv.AccessChain %shared[%other] : !spirv.ptr<!shared, Workgroup>, i32 -> !spirv.ptr<i32, Workgroup>
    %y = spirv.Load "Workgroup" %r : i32
    spirv.Store "StorageBuffer" %p, %y : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @barriers, @words, @shared, @local
  spirv.ExecutionMode @barriers "LocalSize", 32, 1, 1

  spirv.func @fences() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    spirv.Store "StorageBuffer" %p, %i : i32
    spirv.MemoryBarrier <Device>, <AcquireRelease|UniformMemory>
    spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|UniformMemory>
    spirv.Store "StorageBuffer" %p, %0 : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @fences, @words, @local
  spirv.ExecutionMode @fences "LocalSize", 32, 1, 1
}
