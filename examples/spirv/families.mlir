// A few instructions of each family; docs/spirv-to-llvm.md shows what becomes of them.
!words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>
!floats = !spirv.struct<(!spirv.rtarray<vector<2xf32>, stride=8> [0])>
!shared = !spirv.array<32 x i32>

spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader, GroupNonUniformArithmetic], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @local built_in("LocalInvocationIndex") : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>
  spirv.GlobalVariable @floats bind(0, 1) : !spirv.ptr<!floats, StorageBuffer>
  spirv.GlobalVariable @shared : !spirv.ptr<!shared, Workgroup>

  spirv.func @division() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %q = spirv.UDiv %x, %i : i32
    spirv.Store "StorageBuffer" %p, %q : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @division, @words, @local
  spirv.ExecutionMode @division "LocalSize", 32, 1, 1

  spirv.func @vectors() "None" {
    %floats = spirv.mlir.addressof @floats : !spirv.ptr<!floats, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %floats[%0, %i] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<2xf32>, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %p : vector<2xf32>
    %w = spirv.VectorShuffle [1 : i32, 0 : i32] %v, %v : vector<2xf32>, vector<2xf32> -> vector<2xf32>
    %s = spirv.FAdd %v, %w : vector<2xf32>
    spirv.Store "StorageBuffer" %p, %s : vector<2xf32>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @vectors, @floats, @local
  spirv.ExecutionMode @vectors "LocalSize", 32, 1, 1

  spirv.func @addresses() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %q = spirv.AccessChain %words[%0, %x] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %y = spirv.Load "StorageBuffer" %q : i32
    %r = spirv.AccessChain %words[%0, %0] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %z = spirv.Load "StorageBuffer" %r : i32
    %s = spirv.IAdd %y, %z : i32
    spirv.Store "StorageBuffer" %p, %s : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @addresses, @words, @local
  spirv.ExecutionMode @addresses "LocalSize", 32, 1, 1

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

  spirv.func @loops() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %n = spirv.Load "StorageBuffer" %p : i32
    %v = spirv.Variable : !spirv.ptr<i32, Function>
    spirv.Store "Function" %v, %n : i32
    spirv.mlir.loop {
      spirv.Branch ^header
    ^header:
      %x = spirv.Load "Function" %v : i32
      %more = spirv.INotEqual %x, %0 : i32
      spirv.BranchConditional %more, ^body, ^merge
    ^body:
      spirv.Branch ^continue
    ^continue:
      %y = spirv.Load "Function" %v : i32
      %less = spirv.ShiftRightLogical %y, %1 : i32, i32
      spirv.Store "Function" %v, %less : i32
      spirv.Branch ^header
    ^merge:
      spirv.mlir.merge
    }
    %end = spirv.Load "Function" %v : i32
    spirv.Store "StorageBuffer" %p, %end : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @loops, @words, @local
  spirv.ExecutionMode @loops "LocalSize", 32, 1, 1
}
