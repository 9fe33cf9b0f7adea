// RUN: pumice-opt %s --split-input-file --pumice-spirv-to-lanes | FileCheck %s
// Tests pointers into descriptors, layouts, push constants, workgroup memory, and array lengths.

!floats = !spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>
!mixed = !spirv.struct<(i32 [0], vector<3xf32> [16], !spirv.array<4 x vector<2xf32>, stride=16> [32])>
!push = !spirv.struct<(i32 [0], vector<4xf32> [16])>

module {
  spirv.GlobalVariable @gid built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @out bind(0, 1) : !spirv.ptr<!floats, StorageBuffer>
  spirv.GlobalVariable @uniform bind(2, 3) : !spirv.ptr<!mixed, Uniform>
  spirv.GlobalVariable @push : !spirv.ptr<!push, PushConstant>
  spirv.GlobalVariable @shared : !spirv.ptr<!spirv.array<64 x f32>, Workgroup>

  // CHECK-LABEL: func.func @buffers()
  // CHECK-SAME: lane.kernel, lane.push_constant_bytes = 32 : i64, lane.shared_bytes = 256 : i64
  // CHECK-SAME: lane.workgroup_size = array<i32: 64, 1, 1>
  // CHECK-DAG: %[[OUT:.*]] = lane.buffer 0, 1
  // CHECK-DAG: %[[UNIFORM:.*]] = lane.buffer 2, 3
  // CHECK-DAG: %[[PUSH:.*]] = lane.push_constants
  // CHECK-DAG: %[[SHARED:.*]] = lane.shared 0
  // CHECK-DAG: %[[GROUP:.*]] = lane.builtin workgroup_id_x
  // CHECK-DAG: %[[LOCAL:.*]] = lane.builtin local_id_x
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 64 : i32
  // CHECK-DAG: %[[BASE:.*]] = arith.muli %[[GROUP]], %[[SIZE]]
  // CHECK-DAG: %[[GID:.*]] = arith.addi %[[BASE]], %[[LOCAL]]
  spirv.func @buffers() "None" {
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %2 = spirv.Constant 2 : i32
    %gid = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi32>, Input>
    %out = spirv.mlir.addressof @out : !spirv.ptr<!floats, StorageBuffer>
    %uniform = spirv.mlir.addressof @uniform : !spirv.ptr<!mixed, Uniform>
    %push = spirv.mlir.addressof @push : !spirv.ptr<!push, PushConstant>
    %shared = spirv.mlir.addressof @shared : !spirv.ptr<!spirv.array<64 x f32>, Workgroup>
    %px = spirv.AccessChain %gid[%0] : !spirv.ptr<vector<3xi32>, Input>, i32 -> !spirv.ptr<i32, Input>
    %x = spirv.Load "Input" %px : i32
    // A load of a vec3 at byte 16 is one load of three scalars.
    // CHECK: %[[C16:.*]] = arith.constant 16 : i64
    // CHECK: %[[P:.*]] = lane.offset %[[UNIFORM]][%[[C16]]]
    // CHECK: %[[V:.*]]:3 = lane.load %[[P]] align 4 : f32, f32, f32
    %pv = spirv.AccessChain %uniform[%1] : !spirv.ptr<!mixed, Uniform>, i32 -> !spirv.ptr<vector<3xf32>, Uniform>
    %v = spirv.Load "Uniform" %pv : vector<3xf32>
    %v1 = spirv.CompositeExtract %v[1 : i32] : vector<3xf32>
    // The index is sign-extended and multiplied by the stride. Constants are added last.
    // CHECK: %[[X64:.*]] = arith.extsi %[[GID]] : i32 to i64
    // CHECK: %[[S16:.*]] = arith.constant 16 : i64
    // CHECK: %[[SCALED:.*]] = arith.muli %[[X64]], %[[S16]] overflow<nsw>
    // CHECK: %[[C36:.*]] = arith.constant 36 : i64
    // CHECK: %[[SUM:.*]] = arith.addi %[[SCALED]], %[[C36]] overflow<nsw>
    // CHECK: %[[Q:.*]] = lane.offset %[[UNIFORM]][%[[SUM]]]
    // CHECK: %[[E:.*]] = lane.load %[[Q]] align 4 : f32
    %pe = spirv.AccessChain %uniform[%2, %x, %1] : !spirv.ptr<!mixed, Uniform>, i32, i32, i32 -> !spirv.ptr<f32, Uniform>
    %e = spirv.Load "Uniform" %pe : f32
    // CHECK: lane.load %[[PUSH]] align 4 : i32
    %pp = spirv.AccessChain %push[%0] : !spirv.ptr<!push, PushConstant>, i32 -> !spirv.ptr<i32, PushConstant>
    %n = spirv.Load "PushConstant" %pp : i32
    // CHECK: %[[W:.*]] = lane.offset %[[SHARED]]
    // CHECK: lane.store %[[E]] to %[[W]] align 4 : f32
    %pw = spirv.AccessChain %shared[%n] : !spirv.ptr<!spirv.array<64 x f32>, Workgroup>, i32 -> !spirv.ptr<f32, Workgroup>
    spirv.Store "Workgroup" %pw, %e : f32
    // CHECK: lane.barrier{{$}}
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
    // CHECK: lane.store %[[V]]#1 to %{{.*}} align 4 {volatile} : f32
    %po = spirv.AccessChain %out[%0, %x] : !spirv.ptr<!floats, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    spirv.Store "StorageBuffer" %po, %v1 ["Volatile"] : f32
    // CHECK: %[[BYTES:.*]] = lane.buffer_bytes 0, 1
    // CHECK: %[[LENGTH:.*]] = arith.divui
    // CHECK: arith.trunci %[[LENGTH]] : i64 to i32
    %length = spvx.op "ArrayLength"(%out) {literals = array<i32: 0>} : (!spirv.ptr<!floats, StorageBuffer>) -> i32
    // CHECK: lane.barrier order "acq_rel"
    spirv.ControlBarrier <Workgroup>, <Device>, <AcquireRelease|UniformMemory>
    // CHECK: lane.fence acq_rel
    spirv.MemoryBarrier <Device>, <AcquireRelease|UniformMemory>
    // CHECK-NOT: lane.barrier
    // CHECK: lane.subgroup_fence
    spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
    // CHECK: return
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @buffers, @gid
  spirv.ExecutionMode @buffers "LocalSize", 64, 1, 1
}

// -----

// In a row-major matrix, the elements of a column are one matrix stride apart.
!matrices = !spirv.struct<(!spirv.matrix<2 x vector<3xf32>> [0, RowMajor, MatrixStride=16 : i32], !spirv.matrix<2 x vector<3xf32>> [48, ColMajor, MatrixStride=16 : i32])>

module {
  spirv.GlobalVariable @m bind(0, 0) : !spirv.ptr<!matrices, StorageBuffer>
  // CHECK-LABEL: func.func @matrices
  spirv.func @matrices() "None" attributes {lane.workgroup_size = array<i32: 1, 1, 1>, lane.subgroup_size = 8 : i32} {
    %0 = spirv.Constant 0 : i32
    %1 = spirv.Constant 1 : i32
    %m = spirv.mlir.addressof @m : !spirv.ptr<!matrices, StorageBuffer>
    // CHECK: %[[M:.*]] = lane.buffer 0, 0
    // CHECK: arith.constant 4 : i64
    // CHECK: %[[A:.*]] = lane.load
    // CHECK: arith.constant 20 : i64
    // CHECK: %[[B:.*]] = lane.load
    // CHECK: arith.constant 36 : i64
    // CHECK: %[[C:.*]] = lane.load
    %pc = spirv.AccessChain %m[%0, %1] : !spirv.ptr<!matrices, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<3xf32>, StorageBuffer>
    %column = spirv.Load "StorageBuffer" %pc : vector<3xf32>
    // CHECK: arith.constant 64 : i64
    // CHECK: lane.store %[[A]], %[[B]], %[[C]] to
    %pd = spirv.AccessChain %m[%1, %1] : !spirv.ptr<!matrices, StorageBuffer>, i32, i32 -> !spirv.ptr<vector<3xf32>, StorageBuffer>
    spirv.Store "StorageBuffer" %pd, %column : vector<3xf32>
    // The whole matrix is loaded by six loads of one scalar. It is stored as two runs of three.
    // CHECK-COUNT-6: lane.load
    // CHECK-COUNT-2: lane.store %{{.*}}, %{{.*}}, %{{.*}} to
    %pm = spirv.AccessChain %m[%0] : !spirv.ptr<!matrices, StorageBuffer>, i32 -> !spirv.ptr<!spirv.matrix<2 x vector<3xf32>>, StorageBuffer>
    %whole = spirv.Load "StorageBuffer" %pm : !spirv.matrix<2 x vector<3xf32>>
    %pn = spirv.AccessChain %m[%1] : !spirv.ptr<!matrices, StorageBuffer>, i32 -> !spirv.ptr<!spirv.matrix<2 x vector<3xf32>>, StorageBuffer>
    spirv.Store "StorageBuffer" %pn, %whole : !spirv.matrix<2 x vector<3xf32>>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @matrices
}
