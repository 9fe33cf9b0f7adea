// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// Each block becomes one block. Arguments become scalars, and headers keep their marks.

// CHECK-LABEL: func.func @flow
spirv.func @flow() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %1 = spirv.Constant 1 : i32
  %n = spirv.Constant 10 : i32
  %v = spirv.Constant dense<0.0> : vector<2xf32>
  %w = spirv.Constant dense<[1.0, 2.0]> : vector<2xf32>
  // CHECK: cf.br ^[[HEADER:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}} : i32, f32, f32)
  cf.br ^header(%0, %v : i32, vector<2xf32>)
^header(%i: i32, %sum: vector<2xf32>):
  // CHECK: ^[[HEADER]](%[[I:.*]]: i32, %[[A:.*]]: f32, %[[B:.*]]: f32):
  %more = spirv.SLessThan %i, %n : i32
  // CHECK: cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[MERGE:bb[0-9]+]] {lane.continue = 9 : i32, lane.control = 1 : i32, lane.merge = 7 : i32}
  cf.cond_br %more, ^body, ^merge {lane.merge = 7 : i32, lane.continue = 9 : i32, lane.control = 1 : i32}
^body:
  // CHECK: cf.switch %[[I]] : i32, [
  // CHECK-NEXT: default: ^[[CONTINUE:bb[0-9]+]](%[[A]], %[[B]] : f32, f32),
  // CHECK-NEXT: 4294967295: ^{{.*}},
  // CHECK-NEXT: 5: ^[[CONTINUE]](
  // CHECK-NEXT: ] {lane.merge = 9 : i32}
  cf.switch %i : i32, [
    default: ^continue(%sum : vector<2xf32>),
    -1: ^case,
    5: ^continue(%w : vector<2xf32>)
  ] {lane.merge = 9 : i32}
^case:
  %u = spirv.Undef : vector<2xf32>
  cf.br ^continue(%u : vector<2xf32>)
^continue(%next: vector<2xf32>):
  // CHECK: lane.label 9
  lane.label 9
  // CHECK-COUNT-2: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
  %s = spirv.FAdd %sum, %next : vector<2xf32>
  %j = spirv.IAdd %i, %1 : i32
  // CHECK: cf.br ^[[HEADER]](
  cf.br ^header(%j, %s : i32, vector<2xf32>)
^merge:
  // CHECK: ^[[MERGE]]:
  // CHECK-NEXT: lane.label 7
  lane.label 7
  cf.cond_br %more, ^a, ^b {lane.weights = array<i32: 3, 1>}
^a:
  // CHECK: lane.unreachable
  spirv.Unreachable
^b:
  // CHECK: return
  spirv.Return
}
