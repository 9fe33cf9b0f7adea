// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// Values with long arrays are kept in memory and copied by loops, so the size of the code does not
// depend on the length of arrays.

!long = !spirv.struct<(i32 [0], !spirv.array<1000 x i32, stride=4> [4])>
!mine = !spirv.struct<(i32, !spirv.array<1000 x i32>)>
!blocks = !spirv.ptr<!long, StorageBuffer>

spirv.GlobalVariable @from bind(0, 0) : !blocks
spirv.GlobalVariable @to bind(0, 1) : !blocks

// Nothing is written between the load and the store, so there is no other copy. The loop has 62
// iterations of 16.
// CHECK-LABEL: func.func @direct
spirv.func @direct() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK: %[[ARRAY:.*]] = lane.array 1001 x i32
  // CHECK-NOT: lane.array {{[0-9]}}
  // CHECK: %[[TURN:.*]] = lane.var i32
  // CHECK: %[[HEAD:.*]] = lane.load
  // CHECK: lane.array_set %[[ARRAY]][%{{.*}}], %[[HEAD]] : i32
  // CHECK: lane.set %[[TURN]], %{{.*}} overwrite : i32
  // CHECK: lane.loop {
  // CHECK:   %[[I:.*]] = lane.get %[[TURN]] : i32
  // CHECK:   %[[MORE:.*]] = arith.cmpi ult, %[[I]], %c62_i32{{.*}}
  // CHECK:   lane.if %[[MORE]] {
  // CHECK:     lane.exit 1
  // CHECK:   arith.muli %[[I]], %c16_i32{{.*}}
  // CHECK:   %{{.*}}:16 = lane.load
  // CHECK-COUNT-16: lane.array_set %[[ARRAY]]
  // CHECK-NOT: lane.array_set
  // CHECK: } continuing {
  // CHECK:   lane.set %[[TURN]], %{{.*}} overwrite : i32
  // The remaining scalars.
  // CHECK: %{{.*}}:8 = lane.load
  // CHECK-COUNT-8: lane.array_set %[[ARRAY]]
  // CHECK-NOT: lane.array_set
  %0 = spirv.mlir.addressof @from : !blocks
  %v = spirv.Variable : !spirv.ptr<!mine, Function>
  %x = spirv.Load "StorageBuffer" %0 : !long
  %y = spvx.op "CopyLogical"(%x) : (!long) -> !mine
  spirv.Store "Function" %v, %y : !mine
  // CHECK: lane.loop {
  // CHECK: %{{.*}} = lane.array_get %[[ARRAY]]
  // CHECK: lane.store
  // CHECK-NOT: lane.loop
  // CHECK: return
  %1 = spirv.mlir.addressof @to : !blocks
  %a = spirv.Load "Function" %v : !mine
  %b = spvx.op "CopyLogical"(%a) : (!mine) -> !long
  spirv.Store "StorageBuffer" %1, %b : !long
  spirv.Return
}

// The memory changes before the value is stored, so the value is copied. The insertion changes the
// copy in place, because nothing else uses the value.
// CHECK-LABEL: func.func @outlives
spirv.func @outlives() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %i0 = spirv.Constant 0 : i32
  %0 = spirv.mlir.addressof @from : !blocks
  %1 = spirv.mlir.addressof @to : !blocks
  // CHECK: %[[COPY:.*]] = lane.array 1001 x i32
  // CHECK-NOT: lane.array {{[0-9]}}
  // CHECK: lane.loop
  // CHECK: lane.array_set %[[COPY]]
  %x = spirv.Load "StorageBuffer" %0 : !long
  // CHECK: lane.store %{{.*}} align 4 : i32{{$}}
  %head = spirv.AccessChain %0[%i0] : !blocks, i32 -> !spirv.ptr<i32, StorageBuffer>
  spirv.Store "StorageBuffer" %head, %i0 : i32
  // CHECK: lane.array_set %[[COPY]][%{{.*}}], %[[NEW:.*]] : i32
  %y = spirv.CompositeInsert %i0, %x[0 : i32] : i32 into !long
  // CHECK: lane.loop
  // CHECK: lane.array_get %[[COPY]]
  spirv.Store "StorageBuffer" %1, %y : !long
  spirv.Return
}

// Only a part of the value is used, so only that part is loaded.
// CHECK-LABEL: func.func @parts
spirv.func @parts() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %i0 = spirv.Constant 0 : i32
  %0 = spirv.mlir.addressof @from : !blocks
  %1 = spirv.mlir.addressof @to : !blocks
  // CHECK-NOT: lane.array {{[0-9]}}
  // CHECK: %[[PART:.*]] = lane.load %{{.*}} align 4 : i32
  // CHECK-NOT: lane.load
  // CHECK: lane.store %[[PART]]
  %x = spirv.Load "StorageBuffer" %0 : !long
  %list = spirv.CompositeExtract %x[1 : i32] : !long
  %part = spirv.CompositeExtract %list[500 : i32] : !spirv.array<1000 x i32, stride=4>
  %head = spirv.AccessChain %1[%i0] : !blocks, i32 -> !spirv.ptr<i32, StorageBuffer>
  spirv.Store "StorageBuffer" %head, %part : i32
  spirv.Return
}

// A constant is stored in a table.
// CHECK-LABEL: func.func @constant
spirv.func @constant() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  // CHECK: lane.table
  // CHECK: lane.loop
  // CHECK: lane.load
  // CHECK: lane.store
  %1 = spirv.mlir.addressof @to : !blocks
  %x = spvx.op "ConstantNull"() : () -> !long
  spirv.Store "StorageBuffer" %1, %x : !long
  spirv.Return
}

// A phi is memory to which branches write. At a conditional branch, only lanes that go to the phi
// write.
// CHECK-LABEL: func.func @phi
spirv.func @phi() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %0 = spirv.mlir.addressof @from : !blocks
  %1 = spirv.mlir.addressof @to : !blocks
  %i0 = spirv.Constant 0 : i32
  %null = spvx.op "ConstantNull"() : () -> !long
  // CHECK: %[[PHI:.*]] = lane.array 1001 x i32
  %head = spirv.AccessChain %0[%i0] : !blocks, i32 -> !spirv.ptr<i32, StorageBuffer>
  %x = spirv.Load "StorageBuffer" %head : i32
  %c = spirv.IEqual %x, %i0 : i32
  // CHECK: lane.if %[[C:.*]] {
  // CHECK: lane.end
  // CHECK: } else {
  // CHECK: lane.table
  // CHECK: lane.array_set %[[PHI]]
  // CHECK: cf.cond_br %[[C]], ^bb1, ^bb2
  cf.cond_br %c, ^load, ^merge(%null : !long) {lane.merge = 1 : i32}
^load:
  // CHECK: ^bb1:
  // CHECK: lane.array_set %[[PHI]]
  // CHECK: cf.br ^bb2
  %y = spirv.Load "StorageBuffer" %0 : !long
  cf.br ^merge(%y : !long)
^merge(%z: !long):
  // CHECK: ^bb2:
  // CHECK: lane.array_get %[[PHI]]
  lane.label 1
  spirv.Store "StorageBuffer" %1, %z : !long
  spirv.Return
}
