// Types in memory, pointers and constants; docs/spirv-to-llvm.md shows their lowered code.
!words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>
!matrix = !spirv.matrix<3 x vector<2xf32>>
!records = !spirv.struct<(!spirv.rtarray<!spirv.struct<(i8 [0], !matrix [16, RowMajor, MatrixStride=16])>, stride=48> [0])>
!shared = !spirv.struct<(i32 [0], i32 [4])>
!pushed = !spirv.struct<(!spirv.ptr<!words, PhysicalStorageBuffer> [0], i32 [8]), Block>

spirv.module PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.6, [Shader, Int8, StorageBuffer8BitAccess, PhysicalStorageBufferAddresses], []> {
  spirv.GlobalVariable @local built_in("LocalInvocationIndex") : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>
  spirv.GlobalVariable @records bind(0, 1) : !spirv.ptr<!records, StorageBuffer>
  spirv.GlobalVariable @pushed : !spirv.ptr<!pushed, PushConstant>
  spirv.SpecConstant @factor spec_id(7) = 12 : i32

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

  spirv.func @layout() "None" {
    %records = spirv.mlir.addressof @records : !spirv.ptr<!records, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %2 = spirv.Constant 2 : i32
    %p = spirv.AccessChain %records[%0, %i, %1, %2] : !spirv.ptr<!records, StorageBuffer>, i32, i32, i32, i32 -> !spirv.ptr<vector<2xf32>, StorageBuffer>
    %column = spirv.Load "StorageBuffer" %p : vector<2xf32>
    %q = spirv.AccessChain %records[%0, %i, %0] : !spirv.ptr<!records, StorageBuffer>, i32, i32, i32 -> !spirv.ptr<i8, StorageBuffer>
    %x = spirv.CompositeExtract %column[0 : i32] : vector<2xf32>
    %y = spirv.CompositeExtract %column[1 : i32] : vector<2xf32>
    %sum = spirv.FAdd %x, %y : f32
    %b = spirv.ConvertFToU %sum : f32 to i8
    spirv.Store "StorageBuffer" %q, %b : i8
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @layout, @records, @local
  spirv.ExecutionMode @layout "LocalSize", 32, 1, 1

  spirv.func @variables() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %3 = spirv.Constant 3 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %few = spirv.Variable : !spirv.ptr<!spirv.array<4 x i32>, Function>
    %many = spirv.Variable : !spirv.ptr<!spirv.array<4 x i32>, Function>
    %a = spirv.AccessChain %few[%3] : !spirv.ptr<!spirv.array<4 x i32>, Function>, i32 -> !spirv.ptr<i32, Function>
    spirv.Store "Function" %a, %x : i32
    %y = spirv.Load "Function" %a : i32
    %n = spirv.BitwiseAnd %x, %3 : i32
    %b = spirv.AccessChain %many[%n] : !spirv.ptr<!spirv.array<4 x i32>, Function>, i32 -> !spirv.ptr<i32, Function>
    spirv.Store "Function" %b, %y : i32
    %c = spirv.AccessChain %many[%3] : !spirv.ptr<!spirv.array<4 x i32>, Function>, i32 -> !spirv.ptr<i32, Function>
    %z = spirv.Load "Function" %c : i32
    spirv.Store "StorageBuffer" %p, %z : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @variables, @words, @local
  spirv.ExecutionMode @variables "LocalSize", 32, 1, 1

  spirv.func @pointers() "None" {
    %pushed = spirv.mlir.addressof @pushed : !spirv.ptr<!pushed, PushConstant>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %a = spirv.AccessChain %pushed[%0] : !spirv.ptr<!pushed, PushConstant>, i32 -> !spirv.ptr<!spirv.ptr<!words, PhysicalStorageBuffer>, PushConstant>
    %words = spirv.Load "PushConstant" %a : !spirv.ptr<!words, PhysicalStorageBuffer>
    %b = spirv.AccessChain %pushed[%1] : !spirv.ptr<!pushed, PushConstant>, i32 -> !spirv.ptr<i32, PushConstant>
    %n = spirv.Load "PushConstant" %b : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, PhysicalStorageBuffer>, i32, i32 -> !spirv.ptr<i32, PhysicalStorageBuffer>
    spirv.Store "PhysicalStorageBuffer" %p, %n ["Aligned", 4] : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @pointers, @pushed, @local
  spirv.ExecutionMode @pointers "LocalSize", 32, 1, 1

  spirv.func @constants() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %3 = spirv.Constant 3 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %primes = spirv.Constant [2 : i32, 3 : i32, 5 : i32, 7 : i32] : !spirv.array<4 x i32>
    %v = spirv.Variable init(%primes) : !spirv.ptr<!spirv.array<4 x i32>, Function>
    %n = spirv.BitwiseAnd %i, %3 : i32
    %q = spirv.AccessChain %v[%n] : !spirv.ptr<!spirv.array<4 x i32>, Function>, i32 -> !spirv.ptr<i32, Function>
    %x = spirv.Load "Function" %q : i32
    %factor = spirv.mlir.referenceof @factor : i32
    %y = spirv.IMul %x, %factor : i32
    %u = spirv.Undef : i32
    %z = spirv.IAdd %y, %u : i32
    spirv.Store "StorageBuffer" %p, %z : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @constants, @words, @local
  spirv.ExecutionMode @constants "LocalSize", 32, 1, 1
}
