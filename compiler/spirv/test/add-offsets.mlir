// RUN: pumice-opt %s --pumice-add-offsets --split-input-file | FileCheck %s

!element = !spirv.ptr<f32, PhysicalStorageBuffer>
!memory = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, PhysicalStorageBuffer>
!byte = !spirv.ptr<i8, PhysicalStorageBuffer>
!bytes = !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, PhysicalStorageBuffer>
!bound = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>

// Sums sign-extend the index. If an element is known to be behind its pointer, it needs no sum.
spirv.module @sums PhysicalStorageBuffer64 GLSL450 attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {bufferDeviceAddress, shaderInt64, noNegativeIndices}>} {
  // CHECK-LABEL: spirv.func @elements
  // CHECK-SAME: %[[X:.*]]: !spirv.ptr
  spirv.func @elements(%x: !memory {spirv.decoration = #spirv.decoration<Aliased>}, %i: i32, %far: i64) "None" {
    // CHECK: %[[BASE:.*]] = spirv.ConvertPtrToU %[[X]] : {{.*}} to i64
    // CHECK-NOT: spirv.ConvertPtrToU
    %zero = spirv.Constant 0 : i32
    %three = spirv.Constant 3 : i32
    // CHECK: %[[BACK:.*]] = spirv.Constant -1 : i32
    %back = spirv.Constant -1 : i32
    // CHECK: %[[FAR:.*]] = spirv.SConvert %{{.*}} : i32 to i64
    // CHECK: %[[SIZE:.*]] = spirv.Constant 4 : i64
    // CHECK: %[[BYTES:.*]] = spirv.IMul %[[FAR]], %[[SIZE]] : i64
    // CHECK: %[[SUM:.*]] = spirv.IAdd %[[BASE]], %[[BYTES]] : i64
    // CHECK: %[[P:.*]] = spirv.ConvertUToPtr %[[SUM]] : i64 to !spirv.ptr<f32, PhysicalStorageBuffer>
    // CHECK: spirv.Load "PhysicalStorageBuffer" %[[P]]
    %p = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
    %a = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
    // CHECK: spirv.SConvert %[[BACK]]
    %q = spirv.AccessChain %x[%zero, %back] : !memory, i32, i32 -> !element
    %b = spirv.Load "PhysicalStorageBuffer" %q ["Aligned", 4] : f32
    // CHECK: spirv.AccessChain
    %r = spirv.AccessChain %x[%zero, %three] : !memory, i32, i32 -> !element
    spirv.Store "PhysicalStorageBuffer" %r, %a ["Aligned", 4] : f32
    // CHECK-NOT: spirv.SConvert
    // CHECK: spirv.IMul %arg{{[0-9]}}, %{{.*}} : i64
    %s = spirv.AccessChain %x[%zero, %far] : !memory, i32, i64 -> !element
    spirv.Store "PhysicalStorageBuffer" %s, %b ["Aligned", 4] : f32
    spirv.Return
  }

  // CHECK-LABEL: spirv.func @bytes
  spirv.func @bytes(%x: !bytes {spirv.decoration = #spirv.decoration<Aliased>}, %y: !bound, %i: i32) "None" {
    %zero = spirv.Constant 0 : i32
    // CHECK: %[[FAR:.*]] = spirv.SConvert
    // CHECK-NEXT: spirv.IAdd %{{.*}}, %[[FAR]] : i64
    %p = spirv.AccessChain %x[%zero, %i] : !bytes, i32, i32 -> !byte
    %b = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 1] : i8
    spirv.Store "PhysicalStorageBuffer" %p, %b ["Aligned", 1] : i8
    // A bound buffer has no memory before its first element.
    // CHECK: spirv.AccessChain
    %q = spirv.AccessChain %y[%zero, %i] : !bound, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %q : f32
    spirv.Store "StorageBuffer" %q, %v : f32
    spirv.Return
  }
}

// -----

!element = !spirv.ptr<f32, PhysicalStorageBuffer>
!memory = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, PhysicalStorageBuffer>

// CHECK-LABEL: spirv.module @others
spirv.module @others PhysicalStorageBuffer64 GLSL450 attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {bufferDeviceAddress, shaderInt64}>} {
  spirv.func @elements(%x: !memory {spirv.decoration = #spirv.decoration<Aliased>}, %i: i32) "None" {
    %zero = spirv.Constant 0 : i32
    // CHECK-NOT: spirv.ConvertPtrToU
    // CHECK: spirv.AccessChain
    %p = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
    %a = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
    spirv.Store "PhysicalStorageBuffer" %p, %a ["Aligned", 4] : f32
    spirv.Return
  }
}
