// Branches, loops and calls; docs/spirv-to-llvm.md shows the code that they are lowered to.
!words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>

spirv.module Logical GLSL450 requires #spirv.vce<v1.6, [Shader], []> {
  spirv.GlobalVariable @local built_in("LocalInvocationIndex") : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>

  spirv.func @branches() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %3 = spirv.Constant 3 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %c = spirv.SLessThan %x, %0 : i32
    %y = spirv.mlir.selection -> i32 {
      spirv.BranchConditional %c, ^then, ^else
    ^then:
      %minus = spirv.SNegate %x : i32
      spirv.Branch ^merge(%minus : i32)
    ^else:
      %times = spirv.IMul %x, %3 : i32
      spirv.Branch ^merge(%times : i32)
    ^merge(%either : i32):
      spirv.mlir.merge %either : i32
    }
    spirv.Store "StorageBuffer" %p, %y : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @branches, @words, @local
  spirv.ExecutionMode @branches "LocalSize", 32, 1, 1

  spirv.func @switches() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    spirv.mlir.selection {
      spirv.Switch %x : i32, [
        default: ^merge,
        1: ^one,
        5: ^five
      ]
    ^one:
      spirv.Store "StorageBuffer" %p, %i : i32
      spirv.Branch ^five
    ^five:
      spirv.Return
    ^merge:
      spirv.mlir.merge
    }
    spirv.Store "StorageBuffer" %p, %0 : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @switches, @words, @local
  spirv.ExecutionMode @switches "LocalSize", 32, 1, 1

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

  spirv.func @clamped(%x : i32) -> i32 "Inline" {
    %0 = spirv.Constant 0 : i32
    %c = spirv.SLessThan %x, %0 : i32
    spirv.mlir.selection {
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      spirv.ReturnValue %0 : i32
    ^merge:
      spirv.mlir.merge
    }
    spirv.ReturnValue %x : i32
  }
  spirv.func @calls() "None" {
    %words = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
    %local = spirv.mlir.addressof @local : !spirv.ptr<i32, Input>
    %i = spirv.Load "Input" %local : i32
    %0 = spirv.Constant 0 : i32
    %p = spirv.AccessChain %words[%0, %i] : !spirv.ptr<!words, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %p : i32
    %y = spirv.FunctionCall @clamped(%x) : (i32) -> i32
    spirv.Store "StorageBuffer" %p, %y : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @calls, @words, @local
  spirv.ExecutionMode @calls "LocalSize", 32, 1, 1
}
