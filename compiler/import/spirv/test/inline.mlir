// RUN: pumice-opt %s -split-input-file -pumice-inline-spirv-calls | FileCheck %s
// Calls become scopes, and returns leave these scopes. Only entry points remain.

// CHECK-NOT: @unused
spirv.GlobalVariable @unused : !spirv.ptr<i32, Private>
spirv.GlobalVariable @out : !spirv.ptr<i32, Private>

// CHECK-LABEL: spirv.func @main
spirv.func @main(%x: i32) "None" attributes {spvx.entry_point = "main"} {
  // CHECK: spirv.Variable
  // CHECK: cf.br ^[[CALLEE:bb[0-9]+]](%{{.*}} : i32) {lane.merge = [[SCOPE:[0-9]+]] : i32}
  %p = spirv.mlir.addressof @out : !spirv.ptr<i32, Private>
  %r = spirv.FunctionCall @clamp(%x) : (i32) -> i32
  // CHECK: ^[[CALLEE]](%{{.*}}: i32):
  // CHECK: cf.cond_br {{.*}} {lane.merge = [[INNER:[0-9]+]] : i32}
  // CHECK: cf.br ^[[MERGE:bb[0-9]+]](%{{.*}} : i32)
  // CHECK: lane.label [[INNER]]
  // CHECK: cf.br ^[[MERGE]](%{{.*}} : i32)
  // CHECK: ^[[MERGE]](%[[R:.*]]: i32):
  // CHECK-NEXT: lane.label [[SCOPE]]
  // CHECK-NEXT: spirv.Store "Private" %{{.*}}, %[[R]]
  spirv.Store "Private" %p, %r : i32
  spirv.Return
}
// CHECK-NOT: spirv.func
spirv.func @clamp(%a: i32) -> i32 "None" {
  %v = spirv.Variable : !spirv.ptr<i32, Function>
  %zero = spirv.Constant 0 : i32
  %c = spirv.SLessThan %a, %zero : i32
  cf.cond_br %c, ^low, ^high {lane.merge = 77 : i32}
^low:
  spirv.ReturnValue %zero : i32
^high:
  lane.label 77
  spirv.ReturnValue %a : i32
}
spirv.func @never() "None" {
  spirv.Return
}

// -----

// A call splits the header of a loop. The mark stays with the block to which the loop branches
// back.
// CHECK-LABEL: spirv.func @loop
spirv.func @loop(%x: i32) "None" attributes {spvx.entry_point = "loop"} {
  // CHECK: cf.br ^[[HEADER:bb[0-9]+]]
  cf.br ^header
  // CHECK: ^[[HEADER]]:
  // CHECK-NEXT: cf.br ^[[REST:bb[0-9]+]] {lane.continue = [[CONTINUE:[0-9]+]] : i32, lane.merge = [[MERGE:[0-9]+]] : i32}
^header:
  // CHECK: ^[[REST]]:
  // CHECK-NEXT: cf.br ^{{.*}} {lane.merge = {{[0-9]+}} : i32}
  %c = spirv.FunctionCall @test(%x) : (i32) -> i1
  // CHECK: cf.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^{{bb[0-9]+}}
  // CHECK-NOT: lane.continue
  cf.cond_br %c, ^again, ^end {lane.merge = 5 : i32, lane.continue = 6 : i32}
  // CHECK: lane.label [[CONTINUE]]
^again:
  lane.label 6
  cf.br ^header
  // CHECK: lane.label [[MERGE]]
^end:
  lane.label 5
  spirv.Return
}
spirv.func @test(%a: i32) -> i1 "None" {
  %zero = spirv.Constant 0 : i32
  %c = spirv.SLessThan %a, %zero : i32
  spirv.ReturnValue %c : i1
}
