// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// Tests physical addresses, arrays of descriptors, built-in variables, and array lengths.

!block = !spirv.struct<(i32 [0], !spirv.rtarray<f32, stride=4> [16])>
!blocks = !spirv.array<2 x !block>
!node = !spirv.struct<node, (f32 [0], !spirv.ptr<!spirv.struct<node>, PhysicalStorageBuffer> [8])>
!push = !spirv.struct<(i64 [0], i32 [8])>

spirv.GlobalVariable @blocks bind(1, 2) : !spirv.ptr<!blocks, StorageBuffer>
spirv.GlobalVariable @push : !spirv.ptr<!push, PushConstant>
spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>

// CHECK-LABEL: func.func @pointers
spirv.func @pointers() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 4, 2, 1>} {
  %0 = spirv.Constant 0 : i32
  %1 = spirv.Constant 1 : i32
  %push = spirv.mlir.addressof @push : !spirv.ptr<!push, PushConstant>
  %blocks = spirv.mlir.addressof @blocks : !spirv.ptr<!blocks, StorageBuffer>
  %id = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi32>, Input>
  // CHECK: %[[PUSH:.*]] = lane.push_constants
  // CHECK: %[[N:.*]] = lane.load %[[PUSH]] align 8 : i64
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[N]] : i64 to !llvm.ptr
  // CHECK: %[[Q:.*]] = lane.offset %[[P]]
  // CHECK: %[[NEXT:.*]] = lane.load %[[Q]] align 4 : !llvm.ptr
  // CHECK: lane.load %[[NEXT]] align 4 : f32
  %pn = spirv.AccessChain %push[%0] : !spirv.ptr<!push, PushConstant>, i32 -> !spirv.ptr<i64, PushConstant>
  %n = spirv.Load "PushConstant" %pn : i64
  %p = spirv.ConvertUToPtr %n : i64 to !spirv.ptr<!node, PhysicalStorageBuffer>
  %q = spirv.AccessChain %p[%1] : !spirv.ptr<!node, PhysicalStorageBuffer>, i32 -> !spirv.ptr<!spirv.ptr<!node, PhysicalStorageBuffer>, PhysicalStorageBuffer>
  %next = spirv.Load "PhysicalStorageBuffer" %q ["Aligned", 4] : !spirv.ptr<!node, PhysicalStorageBuffer>
  %r = spirv.AccessChain %next[%0] : !spirv.ptr<!node, PhysicalStorageBuffer>, i32 -> !spirv.ptr<f32, PhysicalStorageBuffer>
  %f = spirv.Load "PhysicalStorageBuffer" %r ["Aligned", 16] : f32
  // A descriptor with a constant index, and one with an index known only at run time.
  // CHECK: lane.buffer 1, 2 element 1
  %a = spirv.AccessChain %blocks[%1, %0] : !spirv.ptr<!blocks, StorageBuffer>, i32, i32 -> !spirv.ptr<i32, StorageBuffer>
  %i = spirv.Load "StorageBuffer" %a : i32
  // CHECK: %[[B0:.*]] = lane.buffer 1, 2
  // CHECK: %[[B1:.*]] = lane.buffer 1, 2 element 1
  // CHECK: arith.select %{{.*}}, %[[B0]], %[[B1]] : !llvm.ptr
  %b = spirv.AccessChain %blocks[%i] : !spirv.ptr<!blocks, StorageBuffer>, i32 -> !spirv.ptr<!block, StorageBuffer>
  // CHECK: %[[L0:.*]] = lane.buffer_bytes 1, 2
  // CHECK: %[[L1:.*]] = lane.buffer_bytes 1, 2 element 1
  // CHECK: %[[L:.*]] = arith.select %{{.*}}, %[[L0]], %[[L1]] : i64
  // CHECK: arith.maxui %[[L]], %[[C16:.*]] : i64
  %length = spvx.op "ArrayLength"(%b) {literals = array<i32: 1>} : (!spirv.ptr<!block, StorageBuffer>) -> i32
  // A component of a built-in variable with an index known only at run time.
  // CHECK: arith.select
  // CHECK: arith.select
  %c = spirv.AccessChain %id[%i] : !spirv.ptr<vector<3xi32>, Input>, i32 -> !spirv.ptr<i32, Input>
  %x = spirv.Load "Input" %c : i32
  spirv.Return
}
