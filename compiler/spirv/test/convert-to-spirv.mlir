// RUN: pumice-opt %s -split-input-file --pumice-convert-to-spirv | FileCheck %s

// CHECK-LABEL: spirv.module @physical PhysicalStorageBuffer64 GLSL450
gpu.module @physical {
  // CHECK: spirv.GlobalVariable @k_parameters : !spirv.ptr<!spirv.struct<(!spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, PhysicalStorageBuffer> [0], i32 [8]), Block>, PushConstant>
  // CHECK: spirv.GlobalVariable @tile : !spirv.ptr<!spirv.array<64 x f32>, Workgroup>
  memref.global "private" @tile : memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK: spirv.func @k()
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      pumice.interface = {addressing = "physical", place = "push_constants"}} {
    %x = vk.parameter 0 : memref<?xf32>
    %n = vk.parameter 8 : i32
    // CHECK: spirv.Load "Input"
    %i = gpu.thread_id x
    // An element of a buffer is accessed through the buffer's struct, by a 32-bit index.
    // CHECK: spirv.AccessChain %{{.*}}[%{{.*}}, %[[I:.*]]] {{.*}} -> !spirv.ptr<f32, PhysicalStorageBuffer>
    // CHECK: spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 4] : f32
    %e = memref.load %x[%i] : memref<?xf32>
    %t = memref.get_global @tile : memref<64xf32, #gpu.address_space<workgroup>>
    // CHECK: spirv.Store "Workgroup"
    memref.store %e, %t[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    // CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
    gpu.barrier
    // A vector is one access through a cast pointer, with the known alignment.
    // CHECK: spirv.Bitcast %{{.*}} to !spirv.ptr<vector<4xf32>, PhysicalStorageBuffer>
    // CHECK: ["Aligned", 16] : vector<4xf32>
    %v = vector.load %x[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
    // CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}} ["Aligned", 4] : vector<4xf32>
    vector.store %v, %x[%i] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: spirv.module @bound Logical GLSL450
gpu.module @bound {
  // The binding is declared twice: with floats, and, because the alignment is known, with vectors.
  // CHECK-DAG: spirv.GlobalVariable @binding_0_1 bind(0, 1) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
  // CHECK-DAG: spirv.GlobalVariable @binding_0_1_v4 bind(0, 1) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xf32>, stride=16> [0]), Block>, StorageBuffer>
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      pumice.interface = {addressing = "descriptors", place = "none"}} {
    %x = vk.binding set(0) binding(1) : memref<?xf32>
    %i = gpu.block_id y
    // CHECK: spirv.UDiv
    // CHECK: spirv.Load "StorageBuffer" %{{.*}} : vector<4xf32>
    %v = vector.load %x[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
    // If the alignment is unknown, the elements are accessed one by one.
    // CHECK-COUNT-4: spirv.Store "StorageBuffer" %{{.*}} : f32
    vector.store %v, %x[%i] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Arithmetic rounds after each operation unless it may be contracted.
// CHECK-LABEL: spirv.module @floats
gpu.module @floats {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %a = vk.parameter 0 : f32
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %c0 = arith.constant 0 : index
    // CHECK: spirv.FMul %{{.*}} {no_contraction}
    %m = arith.mulf %a, %a : f32
    // CHECK: spirv.FAdd %{{[^{]*}} : f32
    %s = arith.addf %m, %a fastmath<contract> : f32
    // OpUnordered is not allowed in a Vulkan module.
    // CHECK-NOT: spirv.Unordered
    %u = arith.cmpf uno, %s, %a : f32
    %r = arith.select %u, %a, %s : f32
    memref.store %r, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

// If the workgroup size is unknown, each dimension is a specialization constant.
// CHECK-LABEL: spirv.module @open
gpu.module @open {
  // CHECK-DAG: spirv.SpecConstant @workgroup_size_x spec_id(0) = 1 : i32
  // CHECK-DAG: spirv.SpecConstant @workgroup_size_z spec_id(2) = 1 : i32
  // CHECK-DAG: spirv.SpecConstantComposite @workgroup_size (@workgroup_size_x, @workgroup_size_y, @workgroup_size_z) : vector<3xi32>
  gpu.func @k() kernel {
    // CHECK: spirv.mlir.referenceof @workgroup_size_y
    %n = gpu.block_dim y
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %v = arith.index_cast %n : index to i32
    memref.store %v, %x[%n] : memref<?xi32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: spirv.module @atomics
gpu.module @atomics {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %v = vk.parameter 0 : i32
    %c0 = arith.constant 0 : index
    // CHECK: spirv.AtomicIAdd <Device> <None>
    %a = memref.atomic_rmw addi %v, %x[%c0] : (i32, memref<?xi32>) -> i32
    // CHECK: spirv.AtomicExchange <Device> <AcquireRelease|UniformMemory|WorkgroupMemory>
    %b = memref.atomic_rmw assign %v, %x[%c0] {pumice.acquire_release} : (i32, memref<?xi32>) -> i32
    // CHECK: spirv.MemoryBarrier <Device>, <AcquireRelease|UniformMemory|WorkgroupMemory>
    vk.memory_barrier
    // CHECK: spirv.AtomicCompareExchange <Device> <None> <None>
    %c = vk.atomic_cmpxchg %a, %b, %x[%c0] : memref<?xi32>
    gpu.return
  }
}

// -----

// Matrices require the Vulkan memory model, and all accesses must be visible to other invocations.
// CHECK-LABEL: spirv.module @matrices Logical Vulkan
gpu.module @matrices attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x32 s8 u8 s32 s32 subgroup"]}>} {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %y = vk.binding set(0) binding(1) : memref<?xi32>
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    // CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, <RowMajor>, <NonPrivatePointer>
    %a = gpu.subgroup_mma_load_matrix %x[%c0] {leadDimension = 32 : index} : memref<?xi8> -> !gpu.mma_matrix<16x32xsi8, "AOp">
    // CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, <ColumnMajor>, <NonPrivatePointer>
    %b = gpu.subgroup_mma_load_matrix %x[%c0] {leadDimension = 32 : index, transpose} : memref<?xi8> -> !gpu.mma_matrix<32x16xui8, "BOp">
    // CHECK: spirv.CompositeConstruct
    %c = gpu.subgroup_mma_constant_matrix %z : !gpu.mma_matrix<16x16xi32, "COp">
    // The operation states signs: A and the accumulator are signed, and B is unsigned.
    // CHECK: spirv.KHR.CooperativeMatrixMulAdd {{.*}}, <ASigned|CSigned|ResultSigned>
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x32xsi8, "AOp">, !gpu.mma_matrix<32x16xui8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.subgroup_mma_store_matrix %d, %y[%c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xi32, "COp">, memref<?xi32>
    // CHECK: <AcquireRelease|UniformMemory|WorkgroupMemory|MakeAvailable|MakeVisible>
    gpu.barrier
    gpu.return
  }
}

// -----

// If bytes can only be stored, a pointer to bytes cannot be cast, so it is passed as an integer.
gpu.module @bytes_by_address attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {bufferDeviceAddress, shaderInt64, storageBuffer8BitAccess}>} {
  // CHECK: spirv.GlobalVariable @k_parameters : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>, pumice.interface = {addressing = "physical", place = "push_constants"}} {
    // CHECK: spirv.ConvertUToPtr %{{.*}} : i64 to !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, PhysicalStorageBuffer>
    %x = vk.parameter 0 : memref<?xi8>
    %c0 = arith.constant 0 : index
    // CHECK-COUNT-2: spirv.Load "PhysicalStorageBuffer" %{{.*}} : i8
    %v = vector.load %x[%c0] {alignment = 2 : i64} : memref<?xi8>, vector<2xi8>
    vector.store %v, %x[%c0] {alignment = 2 : i64} : memref<?xi8>, vector<2xi8>
    gpu.return
  }
}

// -----

// CHECK-LABEL: spirv.module @vector_select
gpu.module @vector_select {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %c = arith.cmpi eq, %i, %c0 : index
    %a = vector.load %x[%c0] : memref<?xf32>, vector<2xf32>
    %b = vector.load %x[%i] : memref<?xf32>, vector<2xf32>
    // CHECK: %[[C:.*]] = spirv.IEqual
    // CHECK: %[[V:.*]] = spirv.CompositeConstruct %[[C]], %[[C]] : (i1, i1) -> vector<2xi1>
    // CHECK: spirv.Select %[[V]], %{{.*}}, %{{.*}} : vector<2xi1>, vector<2xf32>
    %r = arith.select %c, %a, %b : vector<2xf32>
    vector.store %r, %x[%i] : memref<?xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// If the driver cannot cast pointers, an access by address takes one element at a time.
// CHECK-LABEL: spirv.module @no_casts PhysicalStorageBuffer64 GLSL450
// CHECK-NOT: spirv.Bitcast
// CHECK-COUNT-3: spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 4] : f32
// CHECK: spirv.CompositeConstruct
// CHECK-COUNT-3: spirv.Store "PhysicalStorageBuffer" %{{.*}} ["Aligned", 4] : f32
// CHECK-NOT: spirv.Bitcast
gpu.module @no_casts attributes {vk.target_env = #vk.target_env<v1.3, [],
    {bufferDeviceAddress, noPointerCasts}>} {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      pumice.interface = {addressing = "physical", place = "push_constants"}} {
    %x = vk.parameter 0 : memref<?xf32>
    %i = gpu.thread_id x
    %v = vector.load %x[%i] {alignment = 16} : memref<?xf32>, vector<3xf32>
    vector.store %v, %x[%i] {alignment = 16} : memref<?xf32>, vector<3xf32>
    gpu.return
  }
}
