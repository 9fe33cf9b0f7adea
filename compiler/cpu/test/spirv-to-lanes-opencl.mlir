// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// In an OpenCL kernel, arguments are in the push constants, and the launch decides the sizes.

spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi64>, Input>
spirv.GlobalVariable @table {spvx.initializer = dense<[1, 2]> : vector<2xi8>} : !spirv.ptr<vector<2xi8>, UniformConstant>
spirv.GlobalVariable @own : !spirv.ptr<!spirv.array<3 x f32>, Workgroup>

// CHECK-LABEL: func.func @kernel()
// CHECK-SAME: lane.push_constant_bytes = 32 : i64, lane.shared_bytes = 12 : i64
// CHECK-NOT: lane.workgroup_size
spirv.func @kernel(%p: !spirv.ptr<f32, CrossWorkgroup>, %x: f32, %v: vector<2xf32>, %s: !spirv.ptr<f32, Workgroup>) "None" attributes {spvx.execution_model = "Kernel"} {
  // CHECK-DAG: lane.builtin workgroup_size_x
  // CHECK-DAG: lane.builtin global_offset_x
  // CHECK-DAG: lane.table [1, 2]
  // CHECK: %[[P:.*]] = lane.load %{{.*}} align 8 : !llvm.ptr
  // CHECK: %[[X:.*]] = lane.load %{{.*}} align 4 : f32
  // CHECK: %[[V:.*]]:2 = lane.load %{{.*}} align 4 : f32, f32
  // CHECK: %[[BYTES:.*]] = lane.load %{{.*}} align 8 : i64
  // CHECK: %[[END:.*]] = lane.shared 64
  // CHECK: %[[S:.*]] = lane.offset %[[END]][%[[BYTES]]]
  %own = spirv.mlir.addressof @own : !spirv.ptr<!spirv.array<3 x f32>, Workgroup>
  %id = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi64>, Input>
  %all = spirv.Load "Input" %id : vector<3xi64>
  %i = spirv.CompositeExtract %all[0 : i32] : vector<3xi64>
  // CHECK: %[[AT:.*]] = lane.offset %[[P]]
  // CHECK: lane.store %[[X]] to %[[AT]] align 4 : f32
  %q = spirv.InBoundsPtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
  spirv.Store "CrossWorkgroup" %q, %x ["Aligned", 4] : f32
  // CHECK: math.fma
  %f = spirv.CL.fma %x, %x, %x : f32
  // CHECK: lane.store %[[X]] to %[[S]] align 4 : f32
  spirv.Store "Workgroup" %s, %x : f32
  // CHECK: lane.load %{{.*}} align 1 : i8, i8
  %t = spirv.mlir.addressof @table : !spirv.ptr<vector<2xi8>, UniformConstant>
  %bytes = spirv.Load "UniformConstant" %t : vector<2xi8>
  spirv.Return
}

// Clang's forms of 32-bit indices become extensions, which preserve what is known about strides.
// CHECK-LABEL: func.func @indices()
spirv.func @indices(%p: !spirv.ptr<i64, CrossWorkgroup>) "None" attributes {spvx.execution_model = "Kernel"} {
  %2 = spirv.Constant 2 : i64
  %30 = spirv.Constant 30 : i64
  %32 = spirv.Constant 32 : i64
  %less = spirv.Constant -4294967296 : i64
  %word = spirv.Constant 4294967295 : i64
  %words = spirv.Constant 17179869180 : i64
  %other = spirv.Constant 4294967294 : i64
  // CHECK: %[[X:.*]] = arith.addi %{{.*}}, %{{.*}} {lane.invocation} : i32
  // CHECK: %[[WIDE:.*]] = arith.extui %[[X]] : i32 to i64
  %id = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi64>, Input>
  %all = spirv.Load "Input" %id : vector<3xi64>
  %x = spirv.CompositeExtract %all[0 : i32] : vector<3xi64>
  // x - 1 as a signed 32-bit number, times 4.
  // CHECK: %[[LESS:.*]] = arith.addi %[[X]], %c-1_i32
  // CHECK: %[[SIGNED:.*]] = arith.extsi %[[LESS]] : i32 to i64
  // CHECK: arith.shli %[[SIGNED]], %c2_i64
  %up = spirv.ShiftLeftLogical %x, %32 : i64, i64
  %before = spirv.IAdd %up, %less : i64
  %a = spirv.ShiftRightArithmetic %before, %30 : i64, i64
  spirv.Store "CrossWorkgroup" %p, %a ["Aligned", 8] : i64
  // x as an unsigned 32-bit number, with and without a factor of 4.
  // CHECK: arith.extui %[[X]] : i32 to i64
  // CHECK: %[[UNSIGNED:.*]] = arith.extui %[[X]] : i32 to i64
  // CHECK: arith.shli %[[UNSIGNED]], %c2_i64
  %b = spirv.BitwiseAnd %x, %word : i64
  spirv.Store "CrossWorkgroup" %p, %b ["Aligned", 8] : i64
  %four = spirv.ShiftLeftLogical %x, %2 : i64, i64
  %c = spirv.BitwiseAnd %four, %words : i64
  spirv.Store "CrossWorkgroup" %p, %c ["Aligned", 8] : i64
  // Other masks and shifts stay unchanged.
  // CHECK: arith.andi %[[WIDE]]
  // CHECK: arith.shrsi
  %d = spirv.BitwiseAnd %x, %other : i64
  spirv.Store "CrossWorkgroup" %p, %d ["Aligned", 8] : i64
  %e = spirv.ShiftRightArithmetic %four, %30 : i64, i64
  spirv.Store "CrossWorkgroup" %p, %e ["Aligned", 8] : i64
  spirv.Return
}
