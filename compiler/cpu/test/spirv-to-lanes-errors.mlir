// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pumice-spirv-to-lanes
// An instruction without a rule is rejected. The error names it, at its location.

spirv.func @unknown() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{OpImageFrobnicate is not supported by the CPU's compiler}}
  %x = spvx.op "ImageFrobnicate"() : () -> f32
  spirv.Return
}

// -----

// expected-error @+1 {{entry point 'sizeless' has no workgroup size: give it the execution mode LocalSize}}
spirv.func @sizeless() "None" attributes {spvx.execution_model = "GLCompute"} {
  spirv.Return
}

// -----

spirv.func @wide() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{a barrier of scope 1 is not supported: it would wait for other workgroups}}
  spirv.ControlBarrier <Device>, <Device>, <AcquireRelease>
  spirv.Return
}

// -----

spirv.func @scope() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{OpGroupNonUniformElect of scope 2 is not supported: only the subgroup's (3) is}}
  %0 = spirv.GroupNonUniformElect <Workgroup> : i1
  spirv.Return
}

// -----

spirv.GlobalVariable @vertex built_in("VertexIndex") : !spirv.ptr<i32, Input>
spirv.func @builtin() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{the built-in variable VertexIndex of type 'i32' is not supported in compute shaders}}
  %0 = spirv.mlir.addressof @vertex : !spirv.ptr<i32, Input>
  spirv.Return
}

// -----

!block = !spirv.struct<(f32 [0])>
spirv.GlobalVariable @many bind(0, 0) : !spirv.ptr<!spirv.rtarray<!block>, StorageBuffer>
spirv.func @descriptors() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %b = spirv.mlir.addressof @many : !spirv.ptr<!spirv.rtarray<!block>, StorageBuffer>
  %0 = spirv.Constant 0 : i32
  %i = spirv.IAdd %0, %0 : i32
  // expected-error @+1 {{an array of an unknown number of descriptors is indexed at run time; at most 64 are supported}}
  %p = spirv.AccessChain %b[%i, %0] : !spirv.ptr<!spirv.rtarray<!block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
  spirv.Return
}

// -----

// MLIR does not verify the size of results, or that operands are numbers.
!words = !spirv.struct<(vector<4xi32> [0]), Block>
spirv.GlobalVariable @words bind(0, 0) : !spirv.ptr<!words, StorageBuffer>
spirv.func @mismatch() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %b = spirv.mlir.addressof @words : !spirv.ptr<!words, StorageBuffer>
  %p = spirv.AccessChain %b[%0] : !spirv.ptr<!words, StorageBuffer>, i32 -> !spirv.ptr<vector<4xi32>, StorageBuffer>
  // expected-error @+1 {{OpGroupNonUniformIAdd makes 1 scalars; its result type 'vector<4xi32>' has 4}}
  %v = spirv.GroupNonUniformIAdd <Subgroup> <InclusiveScan> %0 : i32 -> vector<4xi32>
  spirv.Store "StorageBuffer" %p, %v : vector<4xi32>
  spirv.Return
}

// -----

!word = !spirv.struct<(i32 [0]), Block>
spirv.GlobalVariable @word bind(0, 0) : !spirv.ptr<!word, StorageBuffer>
spirv.func @pointer() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %b = spirv.mlir.addressof @word : !spirv.ptr<!word, StorageBuffer>
  %p = spirv.AccessChain %b[%0] : !spirv.ptr<!word, StorageBuffer>, i32 -> !spirv.ptr<i32, StorageBuffer>
  // expected-error @+1 {{SatConvertSToU of a pointer is not supported; load it first}}
  %x = spvx.op "SatConvertSToU"(%p) : (!spirv.ptr<i32, StorageBuffer>) -> i32
  spirv.Return
}

// -----

// The type is larger than any memory. The error must not need time for each scalar.
spirv.func @vast() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{a variable of 72057594037927936 scalars, of type}}
  %0 = spirv.Variable : !spirv.ptr<!spirv.array<2000000000 x !spirv.array<2000000000 x !spirv.array<2000000000 x i64>>>, Function>
  spirv.Return
}

// -----

spirv.GlobalVariable @shared : !spirv.ptr<!spirv.array<2000000000 x i64>, Workgroup>
spirv.func @crowded() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  // expected-error @+1 {{a variable of type '!spirv.array<2000000000 x i64>' does not fit into workgroup memory}}
  %0 = spirv.mlir.addressof @shared : !spirv.ptr<!spirv.array<2000000000 x i64>, Workgroup>
  spirv.Return
}

// -----

// No rule has checked these types, but the error still names the instruction.
spirv.func @select() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %true = spirv.Constant true
  %one = spirv.Constant 1 : i32
  // expected-error @+1 {{OpSelect: 'arith.select' op failed to verify}}
  %x = spvx.op "Select"(%true, %true, %one) : (i1, i1, i32) -> i32
  spirv.Return
}
