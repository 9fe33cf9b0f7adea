// RUN: pumice-opt %s -split-input-file -pumice-flatten-spirv | FileCheck %s
// Structured control flow in text becomes flat functions with marked headers.

// CHECK: module attributes {spvx.addressing = 0 : i32, spvx.capabilities = array<i32: 1>, spvx.memory_model = 1 : i32, spvx.version = array<i32: 1, 5>}
// CHECK-NOT: spirv.module
// CHECK: spirv.GlobalVariable @flag
// CHECK-LABEL: spirv.func @choose
// CHECK-SAME: lane.workgroup_size = array<i32: 8, 4, 1>
// CHECK-SAME: spvx.entry_point = "choose"
// CHECK-SAME: spvx.execution_model = "GLCompute"
// CHECK-SAME: spvx.modes = {ContractionOff}
spirv.module Logical GLSL450 requires #spirv.vce<v1.5, [Shader], []> {
  spirv.GlobalVariable @flag : !spirv.ptr<i32, Private>
  spirv.SpecConstant @size = 40 : i32
  spirv.func @choose() "None" {
    // CHECK: %[[SIZE:.*]] = spirv.Constant 40 : i32
    %size = spirv.mlir.referenceof @size : i32
    %zero = spirv.Constant 0 : i32
    %p = spirv.mlir.addressof @flag : !spirv.ptr<i32, Private>
    %x = spirv.Load "Private" %p : i32
    %c = spirv.IEqual %x, %zero : i32
    // CHECK: cf.br ^[[HEADER:bb[0-9]+]]
    // CHECK: ^[[HEADER]]:
    // CHECK: cf.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]] {lane.control = 1 : i32, lane.merge = 1 : i32, lane.weights = array<i32: 3, 1>}
    %r = spirv.mlir.selection control(Flatten) -> i32 {
      spirv.BranchConditional %c [3, 1], ^then, ^else
    // CHECK: ^[[THEN]]:
    // CHECK: cf.br ^[[MERGE:bb[0-9]+]](%[[SIZE]] : i32)
    ^then:
      spirv.Branch ^merge(%size : i32)
    // CHECK: ^[[ELSE]]:
    // CHECK: cf.br ^[[MERGE]](%{{.*}} : i32)
    ^else:
      spirv.Branch ^merge(%x : i32)
    // CHECK: ^[[MERGE]](%[[R:.*]]: i32):
    // CHECK-NEXT: lane.label 1
    // CHECK-NEXT: spirv.Store "Private" %{{.*}}, %[[R]] : i32
    ^merge(%m: i32):
      spirv.mlir.merge %m : i32
    }
    spirv.Store "Private" %p, %r : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @choose
  spirv.ExecutionMode @choose "LocalSize", 8, 4, 1
  spirv.ExecutionMode @choose "ContractionOff"
}

// -----

// A loop in a selection, and a switch in the loop.
// CHECK-LABEL: spirv.func @count
spirv.module Logical GLSL450 {
  spirv.func @count(%n: i32) -> i32 "None" {
    %zero = spirv.Constant 0 : i32
    %one = spirv.Constant 1 : i32
    %i = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
    // CHECK: spirv.Variable : !spirv.ptr<i32, Function>
    // CHECK-NEXT: spirv.Store "Function"
    %c = spirv.SGreaterThan %n, %zero : i32
    // CHECK: cf.cond_br {{.*}} {lane.merge = [[OUTER:[0-9]+]] : i32}
    spirv.mlir.selection {
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      // CHECK: cf.br ^[[ENTRY:bb[0-9]+]]
      // CHECK: ^[[ENTRY]]:
      // CHECK: cf.br ^[[HEADER:bb[0-9]+]]
      spirv.mlir.loop control(Unroll) {
        spirv.Branch ^header
      // CHECK: ^[[HEADER]]:
      // CHECK: cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^{{.*}} {lane.continue = [[CONTINUE:[0-9]+]] : i32, lane.control = 1 : i32, lane.merge = [[MERGE:[0-9]+]] : i32}
      ^header:
        %v = spirv.Load "Function" %i : i32
        %again = spirv.SLessThan %v, %n : i32
        spirv.BranchConditional %again, ^body, ^after
      ^body:
        // CHECK: cf.switch %{{.*}} : i32, [
        // CHECK: default: ^
        // CHECK: 3: ^
        // CHECK: ] {lane.merge = [[CHOICE:[0-9]+]] : i32}
        spirv.mlir.selection {
          spirv.Switch %v : i32, [
            default: ^end,
            3: ^three
          ]
        ^three:
          spirv.Branch ^end
        // CHECK: lane.label [[CHOICE]]
        ^end:
          spirv.mlir.merge
        }
        spirv.Branch ^next
      // CHECK: lane.label [[CONTINUE]]
      ^next:
        %w = spirv.IAdd %v, %one : i32
        spirv.Store "Function" %i, %w : i32
        // CHECK: cf.br ^[[HEADER]]
        spirv.Branch ^header
      // CHECK: lane.label [[MERGE]]
      ^after:
        spirv.mlir.merge
      }
      spirv.Branch ^merge
    // CHECK: lane.label [[OUTER]]
    ^merge:
      spirv.mlir.merge
    }
    %r = spirv.Load "Function" %i : i32
    // CHECK: spirv.ReturnValue
    spirv.ReturnValue %r : i32
  }
}

// -----

// Composite constants are lists of their members.
// CHECK-LABEL: spirv.func @constants
spirv.module Logical GLSL450 {
  spirv.SpecConstant @a = 1.5 : f32
  spirv.SpecConstant @b = 2.5 : f32
  spirv.SpecConstantComposite @pair (@a, @b) : !spirv.array<2 x f32>
  spirv.func @constants() "None" {
    // CHECK: spvx.op "ConstantComposite"() {value = [1.500000e+00 : f32, 2.500000e+00 : f32]} : () -> !spirv.array<2 x f32>
    %0 = spirv.mlir.referenceof @pair : !spirv.array<2 x f32>
    // CHECK: spvx.op "ConstantComposite"() {value = [1 : i32, 2 : i32, 3 : i32]} : () -> !spirv.array<3 x i32>
    %1 = spirv.Constant dense<[1, 2, 3]> : tensor<3xi32> : !spirv.array<3 x i32>
    // CHECK: spirv.Constant dense<[1, 2]> : vector<2xi32>
    %2 = spirv.Constant dense<[1, 2]> : vector<2xi32>
    spirv.Return
  }
}

// -----

// A selection in the header block of another one. The inner branch keeps the mark of the outer
// selection.
// CHECK-LABEL: spirv.func @within
spirv.module Logical GLSL450 {
  spirv.func @within(%c: i1, %d: i1) "None" {
    spirv.mlir.selection {
      // CHECK: cf.cond_br %arg1, ^{{.*}}, ^[[INNER:bb[0-9]+]] {lane.merge = [[N:[0-9]+]] : i32}
      spirv.mlir.selection {
        spirv.BranchConditional %d, ^a, ^b
      ^a:
        spirv.Branch ^b
      ^b:
        spirv.mlir.merge
      }
      // CHECK: ^[[INNER]]:
      // CHECK-NEXT: lane.label [[N]]
      // CHECK-NEXT: cf.cond_br %arg0, ^{{.*}}, ^{{.*}} {lane.merge = [[M:[0-9]+]] : i32}
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      spirv.Branch ^merge
    // CHECK: lane.label [[M]]
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
}

// -----

// Each decoration is an attribute of MLIR in text. All of them are kept.
// CHECK: spirv.GlobalVariable @alone {{.*}}{spvx.decorations = {Restrict}}
// CHECK-LABEL: spirv.func @decorated
spirv.module Logical GLSL450 {
  spirv.GlobalVariable @alone bind(0, 0) {restrict} : !spirv.ptr<!spirv.struct<(i32 [0])>, StorageBuffer>
  spirv.func @decorated(%x: f32) -> f32 "None" {
    // CHECK: spirv.FMul %{{.*}} {spvx.decorations = {NoContraction}}
    %product = spirv.FMul %x, %x {no_contraction} : f32
    // CHECK: spirv.FAdd %{{.*}} {spvx.decorations = {FPFastMathMode = array<i32: 5>}}
    %sum = spirv.FAdd %product, %x {fp_fast_math_mode = #spirv.fastmath_mode<NotNaN|NSZ>} : f32
    // CHECK: spirv.ConvertFToS %{{.*}} {other, spvx.decorations = {FPRoundingMode = array<i32: 1>, SaturatedConversion}}
    %n = spirv.ConvertFToS %sum {fp_rounding_mode = #spirv.fp_rounding_mode<RTZ>, other, saturated_conversion} : f32 to i32
    %y = spirv.ConvertSToF %n : i32 to f32
    spirv.ReturnValue %y : f32
  }
}

// -----

// All members have the same value, at any depth.
// CHECK-LABEL: spirv.func @replicated
spirv.module Logical GLSL450 {
  spirv.func @replicated() "None" {
    // CHECK: spirv.Constant dense<1> : vector<2xi32>
    %v = spirv.EXT.ConstantCompositeReplicate [1 : i32] : vector<2xi32>
    // CHECK: spvx.op "ConstantComposite"() {value = [dense<2> : vector<2xi32>, dense<2> : vector<2xi32>]}
    %a = spirv.EXT.ConstantCompositeReplicate [2 : i32] : !spirv.array<2 x vector<2xi32>>
    // CHECK: spvx.op "ConstantComposite"() {value = [3 : i32]}
    %m = spirv.EXT.ConstantCompositeReplicate [3 : i32] : !spirv.coopmatrix<4x4xi32, Subgroup, MatrixA>
    spirv.Return
  }
}
