// RUN: pumice-opt %s --pumice-join-halves | FileCheck %s

!element = !spirv.ptr<f16, PhysicalStorageBuffer>
!half = !spirv.ptr<vector<4xf16>, PhysicalStorageBuffer>
!memory = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, PhysicalStorageBuffer>
!byte = !spirv.ptr<i8, PhysicalStorageBuffer>
!bytes = !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, PhysicalStorageBuffer>

spirv.module @m PhysicalStorageBuffer64 Vulkan {
  // CHECK-LABEL: spirv.func @both
  spirv.func @both(%x: !memory {spirv.decoration = #spirv.decoration<Aliased>}, %i: i32) "None" {
    %zero = spirv.Constant 0 : i32
    %four = spirv.Constant 4 : i32
    %j = spirv.IAdd %i, %four : i32
    // CHECK: %[[E:.*]] = spirv.AccessChain
    %e = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
    %p = spirv.Bitcast %e : !element to !half
    // CHECK: %[[P:.*]] = spirv.Bitcast %[[E]] : {{.*}} to !spirv.ptr<vector<4xi32>, PhysicalStorageBuffer>
    // CHECK: %[[W:.*]] = spirv.Load "PhysicalStorageBuffer" %[[P]] ["Aligned|NonPrivatePointer", 16] : vector<4xi32>
    // CHECK: %[[L:.*]] = spirv.VectorShuffle [0 : i32, 1 : i32] %[[W]], %[[W]]
    // CHECK: %[[A:.*]] = spirv.Bitcast %[[L]] : vector<2xi32> to vector<4xf16>
    // CHECK: %[[H:.*]] = spirv.VectorShuffle [2 : i32, 3 : i32] %[[W]], %[[W]]
    // CHECK: %[[B:.*]] = spirv.Bitcast %[[H]] : vector<2xi32> to vector<4xf16>
    // CHECK-NOT: spirv.Load
    %a = spirv.Load "PhysicalStorageBuffer" %p ["Aligned|NonPrivatePointer", 16] : vector<4xf16>
    %f = spirv.AccessChain %x[%zero, %j] : !memory, i32, i32 -> !element
    %q = spirv.Bitcast %f : !element to !half
    %b = spirv.Load "PhysicalStorageBuffer" %q ["Aligned|NonPrivatePointer", 8] : vector<4xf16>
    %c = spirv.FAdd %a, %b : vector<4xf16>
    // CHECK: %[[C:.*]] = spirv.FAdd %[[A]], %[[B]]
    // CHECK: %[[X:.*]] = spirv.Bitcast %[[C]] : vector<4xf16> to vector<2xi32>
    // CHECK: %[[Y:.*]] = spirv.Bitcast %[[A]] : vector<4xf16> to vector<2xi32>
    // CHECK: %[[Z:.*]] = spirv.VectorShuffle [0 : i32, 1 : i32, 2 : i32, 3 : i32] %[[X]], %[[Y]]
    // CHECK: spirv.Store "PhysicalStorageBuffer" %{{.*}}, %[[Z]] ["Aligned|NonPrivatePointer", 16] : vector<4xi32>
    // CHECK-NOT: spirv.Store
    // CHECK: spirv.Return
    spirv.Store "PhysicalStorageBuffer" %p, %c ["Aligned|NonPrivatePointer", 16] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %q, %a ["Aligned|NonPrivatePointer", 8] : vector<4xf16>
    spirv.Return
  }

  // These halves are not joined: they are less aligned, not neighbours, or have a store between
  // them.
  // CHECK-LABEL: spirv.func @apart
  // CHECK-NOT: vector<4xi32>
  spirv.func @apart(%x: !memory {spirv.decoration = #spirv.decoration<Aliased>}, %i: i32) "None" {
    %zero = spirv.Constant 0 : i32
    %four = spirv.Constant 4 : i32
    %eight = spirv.Constant 8 : i32
    %j = spirv.IAdd %i, %four : i32
    %k = spirv.IAdd %i, %eight : i32
    %e = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
    %p = spirv.Bitcast %e : !element to !half
    %f = spirv.AccessChain %x[%zero, %j] : !memory, i32, i32 -> !element
    %q = spirv.Bitcast %f : !element to !half
    %g = spirv.AccessChain %x[%zero, %k] : !memory, i32, i32 -> !element
    %r = spirv.Bitcast %g : !element to !half
    %a = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 8] : vector<4xf16>
    %b = spirv.Load "PhysicalStorageBuffer" %q ["Aligned", 8] : vector<4xf16>
    %c = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 16] : vector<4xf16>
    %d = spirv.Load "PhysicalStorageBuffer" %r ["Aligned", 16] : vector<4xf16>
    %m = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 16] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %q, %a ["Aligned", 8] : vector<4xf16>
    %n = spirv.Load "PhysicalStorageBuffer" %q ["Aligned", 8] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %r, %b ["Aligned", 8] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %r, %c ["Aligned", 8] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %r, %d ["Aligned", 8] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %r, %m ["Aligned", 8] : vector<4xf16>
    spirv.Store "PhysicalStorageBuffer" %r, %n ["Aligned", 8] : vector<4xf16>
    spirv.Return
  }

  // Volatile accesses are not joined. If indices count bytes, a difference of four means only 4
  // bytes.
  // CHECK-LABEL: spirv.func @never
  // CHECK-NOT: vector<4xi32>
  spirv.func @never(%x: !memory {spirv.decoration = #spirv.decoration<Aliased>}, %y: !bytes {spirv.decoration = #spirv.decoration<Aliased>}, %i: i32) "None" {
    %zero = spirv.Constant 0 : i32
    %four = spirv.Constant 4 : i32
    %j = spirv.IAdd %i, %four : i32
    %e = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
    %p = spirv.Bitcast %e : !element to !half
    %f = spirv.AccessChain %x[%zero, %j] : !memory, i32, i32 -> !element
    %q = spirv.Bitcast %f : !element to !half
    %a = spirv.Load "PhysicalStorageBuffer" %p ["Volatile|Aligned", 16] : vector<4xf16>
    %b = spirv.Load "PhysicalStorageBuffer" %q ["Volatile|Aligned", 8] : vector<4xf16>
    %g = spirv.AccessChain %y[%zero, %i] : !bytes, i32, i32 -> !byte
    %r = spirv.Bitcast %g : !byte to !half
    %h = spirv.AccessChain %y[%zero, %j] : !bytes, i32, i32 -> !byte
    %s = spirv.Bitcast %h : !byte to !half
    %c = spirv.Load "PhysicalStorageBuffer" %r ["Aligned", 16] : vector<4xf16>
    %d = spirv.Load "PhysicalStorageBuffer" %s ["Aligned", 4] : vector<4xf16>
    spirv.Return
  }
}
