// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// Tests that the use of a variable decides its representation.

!record = !spirv.struct<(f32, vector<2xi32>)>
!table = !spirv.array<4 x f32>

spirv.GlobalVariable @gid built_in("LocalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
spirv.GlobalVariable @private {spvx.initializer = 5 : i32} : !spirv.ptr<i32, Private>
spirv.GlobalVariable @zeroed {spvx.initializer} : !spirv.ptr<!spirv.array<20 x f32>, Workgroup>

// With constant indices, each scalar is a lane.var, which is zero at first.
// CHECK-LABEL: func.func @scalars
spirv.func @scalars() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK: %[[F:.*]] = lane.var f32
  // CHECK: %[[X:.*]] = lane.var i32
  // CHECK: %[[Y:.*]] = lane.var i32
  // CHECK: lane.set %[[F]], %{{.*}} : f32
  // CHECK: lane.set %[[Y]], %{{.*}} : i32
  %0 = spirv.Constant 0 : i32
  %1 = spirv.Constant 1 : i32
  %v = spirv.Variable : !spirv.ptr<!record, Function>
  %p = spirv.AccessChain %v[%1, %1] : !spirv.ptr<!record, Function>, i32, i32 -> !spirv.ptr<i32, Function>
  // CHECK: lane.set %[[Y]], %[[ONE:.*]] : i32
  spirv.Store "Function" %p, %1 : i32
  // CHECK: lane.get %[[F]] : f32
  // CHECK: lane.get %[[X]] : i32
  // CHECK: lane.get %[[Y]] : i32
  %all = spirv.Load "Function" %v : !record
  spirv.Return
}

// With indices known only at run time, there is an array for each scalar type.
// CHECK-LABEL: func.func @arrays
spirv.func @arrays() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK-DAG: %[[FS:.*]] = lane.array 3 x f32
  // CHECK-DAG: %[[IS:.*]] = lane.array 6 x i32
  // CHECK-DAG: %[[I:.*]] = lane.builtin local_id_x
  %0 = spirv.Constant 0 : i32
  %1 = spirv.Constant 1 : i32
  %2 = spirv.Constant 2 : i32
  %gid = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi32>, Input>
  %px = spirv.AccessChain %gid[%0] : !spirv.ptr<vector<3xi32>, Input>, i32 -> !spirv.ptr<i32, Input>
  %i = spirv.Load "Input" %px : i32
  %v = spirv.Variable : !spirv.ptr<!spirv.array<3 x !record>, Function>
  // The second integer of element i is at index 2 i + 1.
  // CHECK: %[[TWICE:.*]] = arith.muli %[[I]]
  // CHECK: %[[AT:.*]] = arith.addi %[[TWICE]]
  // CHECK: lane.array_set %[[IS]][%[[AT]]], %{{.*}} : i32
  %p = spirv.AccessChain %v[%i, %1, %1] : !spirv.ptr<!spirv.array<3 x !record>, Function>, i32, i32, i32 -> !spirv.ptr<i32, Function>
  spirv.Store "Function" %p, %i : i32
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK: lane.array_get %[[FS]][%[[TWO]]] : f32
  %q = spirv.AccessChain %v[%2, %0] : !spirv.ptr<!spirv.array<3 x !record>, Function>, i32, i32 -> !spirv.ptr<f32, Function>
  %f = spirv.Load "Function" %q : f32
  spirv.Return
}

// A variable that only holds one constant becomes a table with its bytes.
// CHECK-LABEL: func.func @constant
spirv.func @constant() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %c = spvx.op "ConstantComposite"() {value = [0.0 : f32, 1.0 : f32, 2.0 : f32, -1.0 : f32]} : () -> !table
  %gid = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi32>, Input>
  %px = spirv.AccessChain %gid[%0] : !spirv.ptr<vector<3xi32>, Input>, i32 -> !spirv.ptr<i32, Input>
  %i = spirv.Load "Input" %px : i32
  %v = spirv.Variable : !spirv.ptr<!table, Function>
  // CHECK: %[[T:.*]] = lane.table [0, 0, 0, 0, 0, 0, -128, 63, 0, 0, 0, 64, 0, 0, -128, -65]
  // CHECK-NOT: lane.store
  spirv.Store "Function" %v, %c : !table
  // CHECK: %[[P:.*]] = lane.offset %[[T]]
  // CHECK: lane.load %[[P]] align 4 : f32
  %p = spirv.AccessChain %v[%i] : !spirv.ptr<!table, Function>, i32 -> !spirv.ptr<f32, Function>
  %f = spirv.Load "Function" %p : f32
  spirv.Return
}

// A variable whose address is selected is in memory.
// CHECK-LABEL: func.func @escapes
spirv.func @escapes() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK-DAG: lane.private 12
  // CHECK-DAG: lane.private 4
  %true = spirv.Constant true
  %a = spirv.Variable : !spirv.ptr<f32, Function>
  %b = spirv.Variable : !spirv.ptr<!spirv.array<3 x f32>, Function>
  %2 = spirv.Constant 2 : i32
  %p = spirv.AccessChain %b[%2] : !spirv.ptr<!spirv.array<3 x f32>, Function>, i32 -> !spirv.ptr<f32, Function>
  // CHECK: arith.select %{{.*}} : !llvm.ptr
  // CHECK: lane.load %{{.*}} align 4 : f32
  %q = spirv.Select %true, %a, %p : i1, !spirv.ptr<f32, Function>
  %f = spirv.Load "Function" %q : f32
  // CHECK: cf.br ^{{.*}}(%{{.*}} : !llvm.ptr)
  cf.br ^next(%a : !spirv.ptr<f32, Function>)
^next(%r: !spirv.ptr<f32, Function>):
  // CHECK: ^{{.*}}(%[[R:.*]]: !llvm.ptr):
  // CHECK: lane.store %{{.*}} to %[[R]] align 4 : f32
  spirv.Store "Function" %r, %f : f32
  spirv.Return
}

// Module variables start with their initial values. All invocations together clear workgroup
// memory.
// CHECK-LABEL: func.func @globals
// CHECK-SAME: lane.shared_bytes = 80 : i64
spirv.func @globals() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK: %[[S:.*]] = lane.shared 0
  // CHECK: %[[V:.*]] = lane.var i32
  // CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
  // CHECK: lane.set %[[V]], %[[FIVE]] : i32
  // CHECK: lane.builtin local_index
  // CHECK-COUNT-3: lane.store %{{.*}} to %{{.*}} align 4 : i32
  // CHECK-NOT: lane.store
  // CHECK: lane.barrier
  %z = spirv.mlir.addressof @zeroed : !spirv.ptr<!spirv.array<20 x f32>, Workgroup>
  %p = spirv.mlir.addressof @private : !spirv.ptr<i32, Private>
  // CHECK: lane.get %[[V]] : i32
  %x = spirv.Load "Private" %p : i32
  spirv.Return
}

// Each invocation clears more than 64 words, so a loop does it. The kernel's branches then become
// unmarked.
// CHECK-LABEL: func.func @large
// CHECK-SAME: lane.unmarked
spirv.GlobalVariable @zeros {spvx.initializer} : !spirv.ptr<!spirv.array<70000 x f32>, Workgroup>
spirv.func @large() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK: cf.br ^[[HEADER:bb[0-9]+]](%{{.*}} : i32)
  // CHECK: ^[[REST:bb[0-9]+]]:
  // CHECK-NEXT: return
  // CHECK: ^[[HEADER]](%[[FIRST:.*]]: i32):
  // CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[FIRST]], %{{.*}} : i32
  // CHECK: cf.cond_br %[[MORE]], ^[[BODY:bb[0-9]+]], ^[[DONE:bb[0-9]+]]
  // CHECK: ^[[BODY]]:
  // CHECK-COUNT-1: lane.store %{{.*}} to %{{.*}} align 4 : i32
  // CHECK: ^[[DONE]]:
  // CHECK: lane.barrier
  // CHECK-NEXT: cf.br ^[[REST]]
  %z = spirv.mlir.addressof @zeros : !spirv.ptr<!spirv.array<70000 x f32>, Workgroup>
  spirv.Return
}
