// RUN: pumice-opt %s --split-input-file --pumice-spirv-to-lanes --verify-diagnostics | FileCheck %s
// In program-scope memory, variables with initial values come first, and then those that start as
// zero. All kernels use the same addresses, whichever variables they access.

spirv.GlobalVariable @zeros : !spirv.ptr<!spirv.array<100 x f32>, CrossWorkgroup>
spirv.GlobalVariable @text {spvx.initializer = [104 : i8, 105 : i8, 0 : i8]} : !spirv.ptr<!spirv.array<3 x i8>, UniformConstant>
spirv.GlobalVariable @apart {spvx.initializer = 7 : i32} : !spirv.ptr<i32, UniformConstant>
spirv.GlobalVariable @number {spvx.initializer = 258 : i32, spvx.decorations = {Alignment = array<i32: 32>}} : !spirv.ptr<i32, CrossWorkgroup>
spirv.GlobalVariable @record {spvx.initializer = [1 : i8, @text, {base = @zeros, from = !spirv.array<100 x f32>, indices = array<i64: 0, 5>, to = f32, whole}, unit]} : !spirv.ptr<!spirv.struct<(i8, !spirv.ptr<i8, UniformConstant>, !spirv.ptr<f32, CrossWorkgroup>, !spirv.ptr<f32, CrossWorkgroup>)>, CrossWorkgroup>
// This is how Clang writes the address of byte 8.
spirv.GlobalVariable @bytes {spvx.initializer = {base = @zeros, from = !spirv.array<100 x f32>, indices = array<i64: 0, 8>, to = i8, whole}} : !spirv.ptr<!spirv.ptr<i8, CrossWorkgroup>, CrossWorkgroup>

// The offsets are: text 0, number 32, record 48, bytes 80, zeros 96.
// CHECK-LABEL: func.func @one()
// CHECK-SAME: lane.program_addresses = array<i64: 56, 0, 64, 116, 80, 104>
// CHECK-SAME: lane.program_bytes = 512 : i64
// CHECK-SAME: lane.program_image = array<i8: 104, 105, 0, 0,
spirv.func @one() "None" attributes {spvx.execution_model = "Kernel"} {
  // CHECK: %[[P:.*]] = lane.program 32
  // CHECK: lane.load %[[P]] align 4 : i32
  %p = spirv.mlir.addressof @number : !spirv.ptr<i32, CrossWorkgroup>
  %x = spirv.Load "CrossWorkgroup" %p ["Aligned", 4] : i32
  spirv.Return
}
// CHECK-LABEL: func.func @other()
// CHECK-SAME: lane.program_bytes = 512 : i64
spirv.func @other() "None" attributes {spvx.execution_model = "Kernel"} {
  // CHECK-DAG: lane.program 96
  // CHECK-DAG: lane.program 0
  // CHECK-DAG: arith.constant 20 : i64
  // CHECK: lane.load
  %p = spvx.op "ConstantComposite"() {value = {base = @zeros, from = !spirv.array<100 x f32>, indices = array<i64: 0, 5>, to = f32, whole}} : () -> !spirv.ptr<f32, CrossWorkgroup>
  %x = spirv.Load "CrossWorkgroup" %p ["Aligned", 4] : f32
  %t = spirv.mlir.addressof @text : !spirv.ptr<!spirv.array<3 x i8>, UniformConstant>
  %y = spirv.Load "UniformConstant" %t ["Aligned", 1] : !spirv.array<3 x i8>
  spirv.Return
}
// A constant that only code points to stays a table. A kernel that accesses no program-scope
// variable has no such memory.
// CHECK-LABEL: func.func @none()
// CHECK-NOT: lane.program
// CHECK: lane.table [7, 0, 0, 0]
spirv.func @none() "None" attributes {spvx.execution_model = "Kernel"} {
  %p = spirv.mlir.addressof @apart : !spirv.ptr<i32, UniformConstant>
  %x = spirv.Load "UniformConstant" %p ["Aligned", 4] : i32
  spirv.Return
}

// -----

spirv.GlobalVariable @own : !spirv.ptr<i32, Workgroup>
spirv.GlobalVariable @place {spvx.initializer = @own} : !spirv.ptr<!spirv.ptr<i32, Workgroup>, CrossWorkgroup>
spirv.func @workgroup() "None" attributes {spvx.execution_model = "Kernel"} {
  // expected-error@+1 {{the address of "own" is not a valid initial value for a variable of program scope}}
  %p = spirv.mlir.addressof @place : !spirv.ptr<!spirv.ptr<i32, Workgroup>, CrossWorkgroup>
  spirv.Return
}

// -----

spirv.GlobalVariable @list : !spirv.ptr<!spirv.array<4 x i32>, CrossWorkgroup>
spirv.GlobalVariable @place {spvx.initializer = {base = @list, from = !spirv.array<4 x i32>, indices = array<i64: 1, 2, 3>, to = i32, whole}} : !spirv.ptr<!spirv.ptr<i32, CrossWorkgroup>, CrossWorkgroup>
spirv.func @nowhere() "None" attributes {spvx.execution_model = "Kernel"} {
  // expected-error@+1 {{does not point to a variable}}
  %p = spirv.mlir.addressof @place : !spirv.ptr<!spirv.ptr<i32, CrossWorkgroup>, CrossWorkgroup>
  spirv.Return
}
