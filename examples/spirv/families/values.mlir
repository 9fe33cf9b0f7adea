// Arithmetic; docs/spirv-to-llvm.md shows the code that it is lowered to.
!words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>
!floats = !spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>
!pairs = !spirv.struct<(!spirv.rtarray<vector<2xf32>, stride=8> [0])>

spirv.module Logical GLSL450 requires #spirv.vce<v1.6, [Shader, Float16, Int16, DotProduct, DotProductInput4x8BitPacked], []> {
  spirv.GlobalVariable @local built_in("LocalInvocationIndex") : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>
  spirv.GlobalVariable @floats bind(0, 1) : !spirv.ptr<!floats, StorageBuffer>
  spirv.GlobalVariable @pairs bind(0, 2) : !spirv.ptr<!pairs, StorageBuffer>

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

  spirv.func @bits() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %5 = spirv.Constant 5 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %s = spirv.ShiftLeftLogical %x, %i : i32, i32
    %r = spirv.BitReverse %s : i32
    %f = spirv.BitFieldUExtract %r, %i, %5 : i32, i32, i32
    %n = spirv.BitCount %f : i32
    spirv.Store "StorageBuffer" %p, %n : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @bits, @words, @local
  spirv.ExecutionMode @bits "LocalSize", 32, 1, 1

  spirv.func @conversions() "None" {
    %floats = spirv.mlir.addressof @floats : !spirv.ptr<!floats, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %floats[%0, %i] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : f32
    %n = spirv.ConvertFToS %x : f32 to i32
    %h = spirv.FConvert %x : f32 to f16
    %b = spirv.Bitcast %h : f16 to i16
    %w = spirv.SConvert %b : i16 to i32
    %s = spirv.IAdd %n, %w : i32
    %y = spirv.ConvertUToF %s : i32 to f32
    spirv.Store "StorageBuffer" %p, %y : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @conversions, @floats, @local
  spirv.ExecutionMode @conversions "LocalSize", 32, 1, 1

  spirv.func @choices() "None" {
    %floats = spirv.mlir.addressof @floats : !spirv.ptr<!floats, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %8 = spirv.Constant 8 : i32
    %one = spirv.Constant 1.0 : f32
    %p = spirv.AccessChain %floats[%0, %i] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : f32
    %a = spirv.FUnordLessThan %x, %one : f32
    %b = spirv.ULessThan %i, %8 : i32
    %c = spirv.LogicalAnd %a, %b : i1
    %y = spirv.Select %c, %one, %x : i1, f32
    spirv.Store "StorageBuffer" %p, %y : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @choices, @floats, @local
  spirv.ExecutionMode @choices "LocalSize", 32, 1, 1

  spirv.func @sums() "None" {
    %floats = spirv.mlir.addressof @floats : !spirv.ptr<!floats, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %floats[%0, %i] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : f32
    %xx = spirv.FMul %x, %x : f32
    %a = spirv.FAdd %xx, %x : f32
    %aa = spirv.FMul %a, %a {no_contraction} : f32
    %b = spirv.FAdd %aa, %x {no_contraction} : f32
    spirv.Store "StorageBuffer" %p, %b : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @sums, @floats, @local
  spirv.ExecutionMode @sums "LocalSize", 32, 1, 1

  spirv.func @vectors() "None" {
    %pairs = spirv.mlir.addressof @pairs : !spirv.ptr<!pairs, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %pairs[%0, %i] : !spirv.ptr<!pairs, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<2xf32>, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %p : vector<2xf32>
    %w = spirv.VectorShuffle [1 : i32, 0 : i32] %v, %v : vector<2xf32>, vector<2xf32> -> vector<2xf32>
    %s = spirv.FAdd %v, %w : vector<2xf32>
    spirv.Store "StorageBuffer" %p, %s : vector<2xf32>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @vectors, @pairs, @local
  spirv.ExecutionMode @vectors "LocalSize", 32, 1, 1

  spirv.func @products() "None" {
    %pairs = spirv.mlir.addressof @pairs : !spirv.ptr<!pairs, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %pairs[%0, %i] : !spirv.ptr<!pairs, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<2xf32>, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %p : vector<2xf32>
    %m = spirv.CompositeConstruct %v, %v : (vector<2xf32>, vector<2xf32>) -> !spirv.matrix<2 x vector<2xf32>>
    %t = spirv.Transpose %m : !spirv.matrix<2 x vector<2xf32>> -> !spirv.matrix<2 x vector<2xf32>>
    %w = spirv.MatrixTimesVector %t, %v : !spirv.matrix<2 x vector<2xf32>>, vector<2xf32> -> vector<2xf32>
    spirv.Store "StorageBuffer" %p, %w : vector<2xf32>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @products, @pairs, @local
  spirv.ExecutionMode @products "LocalSize", 32, 1, 1

  spirv.func @functions() "None" {
    %pairs = spirv.mlir.addressof @pairs : !spirv.ptr<!pairs, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %pairs[%0, %i] : !spirv.ptr<!pairs, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<2xf32>, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %p : vector<2xf32>
    %n = spirv.GL.Normalize %v : vector<2xf32>
    %e = spirv.GL.Exp %n : vector<2xf32>
    %m = spirv.GL.FMax %e, %v : vector<2xf32>
    spirv.Store "StorageBuffer" %p, %m : vector<2xf32>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @functions, @pairs, @local
  spirv.ExecutionMode @functions "LocalSize", 32, 1, 1

  spirv.func @dots() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %d = spirv.SDotAccSat %x, %x, %i, <PackedVectorFormat4x8Bit> : i32 -> i32
    spirv.Store "StorageBuffer" %p, %d : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @dots, @words, @local
  spirv.ExecutionMode @dots "LocalSize", 32, 1, 1
}
