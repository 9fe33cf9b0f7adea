// RUN: pumice-opt %s --pumice-legalize-storage --cse --split-input-file | FileCheck %s

// Without 8-bit storage, words hold four bytes each.
gpu.module @words attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // CHECK-LABEL: gpu.func @bytes
  gpu.func @bytes() kernel {
    %i = gpu.thread_id x
    // CHECK-DAG: %[[X:.*]] = vk.binding set(0) binding(0) : memref<?xi32>
    // CHECK-DAG: %[[Y:.*]] = vk.binding set(0) binding(1) : memref<?xi32>
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %y = vk.binding set(0) binding(1) : memref<?xi8>
    // CHECK: %[[AT:.*]] = arith.shrsi %[[I:.*]], %c2
    // CHECK: %[[WORD:.*]] = memref.load %[[X]][%[[AT]]] : memref<?xi32>
    // CHECK: %[[PLACE:.*]] = arith.andi %[[I]], %c3
    // CHECK: arith.index_cast %[[PLACE]]
    // CHECK: %[[BIT:.*]] = arith.shli
    // CHECK: arith.shrui %[[WORD]], %[[BIT]]
    // CHECK: arith.trunci {{.*}} : i32 to i8
    %v = memref.load %x[%i] : memref<?xi8>
    // CHECK: memref.atomic_rmw andi %{{.*}}, %[[Y]][%[[AT]]]
    // CHECK: memref.atomic_rmw ori %{{.*}}, %[[Y]][%[[AT]]]
    memref.store %v, %y[%i] : memref<?xi8>
    gpu.return
  }

  // A vector that is aligned to its size is a word. Other vectors are four bytes.
  // CHECK-LABEL: gpu.func @vectors
  gpu.func @vectors() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    // CHECK-COUNT-1: memref.load
    // CHECK: vector.from_elements
    %v = vector.load %x[%i] {alignment = 4 : i64} : memref<?xi8>, vector<4xi8>
    // CHECK-COUNT-1: memref.store {{.*}} : memref<?xi32>
    vector.store %v, %x[%i] {alignment = 4 : i64} : memref<?xi8>, vector<4xi8>
    // CHECK-COUNT-4: memref.load
    %w = vector.load %x[%i] : memref<?xi8>, vector<4xi8>
    // CHECK-COUNT-4: memref.atomic_rmw ori
    vector.store %w, %x[%i] : memref<?xi8>, vector<4xi8>
    // CHECK-NOT: memref.atomic_rmw
    gpu.return
  }

  // No other invocation accesses private memory: each element is a word, without atomics.
  // CHECK-LABEL: gpu.func @private
  gpu.func @private() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    // CHECK: memref.alloca() : memref<8xi32, #gpu.address_space<private>>
    %m = memref.alloca() : memref<8xf16, #gpu.address_space<private>>
    %v = memref.load %x[%i] : memref<?xi32>
    %h = arith.uitofp %v : i32 to f16
    // CHECK: arith.bitcast {{.*}} : f16 to i16
    // CHECK: arith.extui {{.*}} : i16 to i32
    // CHECK: memref.store
    memref.store %h, %m[%i] : memref<8xf16, #gpu.address_space<private>>
    gpu.return
  }

  // An i1 is a byte, which is true if any bit is set. An index is eight bytes.
  // CHECK-LABEL: gpu.func @sizes
  gpu.func @sizes() kernel {
    %i = gpu.thread_id x
    %b = vk.binding set(0) binding(0) : memref<?xi1>
    %n = vk.binding set(0) binding(1) : memref<?xindex>
    // CHECK: arith.trunci {{.*}} : i32 to i8
    // CHECK: arith.cmpi ne, {{.*}} : i8
    %v = memref.load %b[%i] : memref<?xi1>
    %j = arith.index_castui %v : i1 to index
    // CHECK: arith.shli %{{.*}}, %c1
    // CHECK: memref.store %[[LOW:.*]], %{{.*}} : memref<?xi32>
    // CHECK: %[[HIGH:.*]] = arith.shrsi %[[LOW]], %c31
    // CHECK: memref.store %[[HIGH]]
    memref.store %j, %n[%i] : memref<?xindex>
    gpu.return
  }

  // A byte is updated by compare-and-exchange of its word.
  // CHECK-LABEL: gpu.func @atomic
  gpu.func @atomic() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %one = arith.constant 1 : i8
    // CHECK: memref.generic_atomic_rmw %{{.*}} : memref<?xi32>
    // CHECK: arith.addi {{.*}} : i8
    // CHECK: memref.atomic_yield {{.*}} : i32
    %old = memref.atomic_rmw addi %one, %x[%i] : (i8, memref<?xi8>) -> i8
    memref.store %old, %x[%i] : memref<?xi8>
    gpu.return
  }
}

// -----

gpu.module @views attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // CHECK-LABEL: gpu.func @one_type
  gpu.func @one_type() kernel {
    %i = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %n = arith.constant 16 : index
    // A view of the same type needs no bytes.
    // CHECK: %[[M:.*]] = vk.dynamic_workgroup_memory : memref<?xf32, #gpu.address_space<workgroup>>
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %f = memref.view %m[%c64][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %c16
    // CHECK: memref.load %[[M]][%[[AT]]]
    %v = memref.load %f[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %v, %f[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    // CHECK-NOT: memref.view
    gpu.return
  }

  // CHECK-LABEL: gpu.func @two_types
  gpu.func @two_types() kernel {
    %i = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %n = arith.constant 16 : index
    // CHECK: vk.parameter 0 : memref<?xi32>
    %m = vk.parameter 0 : memref<?xi8>
    %f = memref.view %m[%c64][%n] : memref<?xi8> to memref<?xf32>
    %k = memref.view %m[%c64][%n] : memref<?xi8> to memref<?xi32>
    // CHECK: memref.load {{.*}} : memref<?xi32>
    // CHECK: arith.bitcast {{.*}} : i32 to f32
    %v = memref.load %f[%i] : memref<?xf32>
    %w = arith.fptosi %v : f32 to i32
    memref.store %w, %k[%i] : memref<?xi32>
    gpu.return
  }
}

// -----

gpu.module @native attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderFloat16, shaderInt64, storageBuffer16BitAccess, storageBuffer8BitAccess}>} {
  // CHECK: memref.global "private" @tile : memref<64xf16, #gpu.address_space<workgroup>>
  memref.global "private" @tile : memref<64xf16, #gpu.address_space<workgroup>> = uninitialized
  // Without 16-bit integers, bf16 occupies a word in workgroup memory.
  // CHECK: memref.global "private" @brains : memref<64xi32, #gpu.address_space<workgroup>>
  memref.global "private" @brains : memref<64xbf16, #gpu.address_space<workgroup>> = uninitialized
  // A table keeps its values.
  // CHECK: memref.global "private" constant @table : memref<4xi32> = dense<[16256, 16384, 16448, 16512]>
  memref.global "private" constant @table : memref<4xbf16> = dense<[1.0, 2.0, 3.0, 4.0]>

  // CHECK-LABEL: gpu.func @kept
  gpu.func @kept() kernel {
    %i = gpu.thread_id x
    %h = vk.binding set(0) binding(0) : memref<?xf16>
    // CHECK: vk.binding set(0) binding(1) : memref<?xi16>
    %b = vk.binding set(0) binding(1) : memref<?xbf16>
    // CHECK: vk.binding set(0) binding(2) : memref<?xi64>
    %n = vk.binding set(0) binding(2) : memref<?xindex>
    %t = memref.get_global @tile : memref<64xf16, #gpu.address_space<workgroup>>
    %s = memref.get_global @brains : memref<64xbf16, #gpu.address_space<workgroup>>
    %c = memref.get_global @table : memref<4xbf16>
    // CHECK: memref.load {{.*}} : memref<?xf16>
    %v = memref.load %h[%i] : memref<?xf16>
    memref.store %v, %t[%i] : memref<64xf16, #gpu.address_space<workgroup>>
    // CHECK: memref.load {{.*}} : memref<?xi16>
    // CHECK: arith.bitcast {{.*}} : i16 to bf16
    %w = memref.load %b[%i] : memref<?xbf16>
    memref.store %w, %s[%i] : memref<64xbf16, #gpu.address_space<workgroup>>
    %x = memref.load %c[%i] : memref<4xbf16>
    memref.store %x, %b[%i] : memref<?xbf16>
    // CHECK: memref.store {{.*}} : memref<?xi64>
    memref.store %i, %n[%i] : memref<?xindex>
    gpu.return
  }
}

// -----

// Floats that are updated by compare-and-swap are stored as integers, for all accesses.
gpu.module @swapped attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // CHECK-LABEL: gpu.func @add
  gpu.func @add() kernel {
    %i = gpu.thread_id x
    // CHECK: vk.binding set(0) binding(0) : memref<?xi32>
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    // CHECK: memref.load {{.*}} : memref<?xi32>
    // CHECK: arith.bitcast
    %v = memref.load %x[%i] : memref<?xf32>
    // CHECK: memref.generic_atomic_rmw %{{.*}} : memref<?xi32>
    // CHECK: arith.addf
    %old = memref.atomic_rmw addf %v, %x[%i] : (f32, memref<?xf32>) -> f32
    // CHECK: memref.generic_atomic_rmw
    // CHECK: } {pumice.acquire_release}
    %now = memref.atomic_rmw addf %v, %x[%i] {pumice.acquire_release} : (f32, memref<?xf32>) -> f32
    // CHECK: memref.atomic_rmw assign %{{.*}} : (i32, memref<?xi32>) -> i32
    %was = memref.atomic_rmw assign %old, %x[%i] : (f32, memref<?xf32>) -> f32
    gpu.return
  }
}

// -----

// Matrices are also loaded from words.
gpu.module @matrices attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderFloat16}>} {
  // CHECK-LABEL: gpu.func @load
  gpu.func @load() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xf16>
    // CHECK: %[[AT:.*]] = arith.shrsi %{{.*}}, %c1
    // CHECK: gpu.subgroup_mma_load_matrix %{{.*}}[%[[AT]]] {leadDimension = 16 : index} : memref<?xi32> -> !gpu.mma_matrix<16x16xf16, "COp">
    %m = gpu.subgroup_mma_load_matrix %x[%i] {leadDimension = 32 : index} : memref<?xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %m, %x[%i] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<?xf16>
    gpu.return
  }
}

// -----

// The launch must align memory to cells, to words, and to the alignment that an access promises.
gpu.module @alignments attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {shaderInt8, storageBuffer8BitAccess}>} {
  // CHECK-LABEL: gpu.func @alignments
  // CHECK-SAME: alignment = 1 : i64, {{[^}]*}}name = "bytes"
  // CHECK-SAME: alignment = 4 : i64, {{[^}]*}}name = "halves"
  // CHECK-SAME: alignment = 4 : i64, {{[^}]*}}name = "promised"
  gpu.func @alignments() kernel attributes {pumice.interface = {
      arguments = [{name = "bytes"}, {name = "halves"}, {name = "promised"}],
      bindings = [{source = "argument", binding = 0 : i64, argument = 0 : i64},
                  {source = "argument", binding = 1 : i64, argument = 1 : i64},
                  {source = "argument", binding = 2 : i64, argument = 2 : i64}]}} {
    %i = gpu.thread_id x
    %bytes = vk.binding set(0) binding(0) : memref<?xi8>
    %halves = vk.binding set(0) binding(1) : memref<?xi16>
    %promised = vk.binding set(0) binding(2) : memref<?xi8>
    %b = memref.load %bytes[%i] : memref<?xi8>
    %h = memref.load %halves[%i] : memref<?xi16>
    %p = vector.load %promised[%i] {alignment = 4 : i64} : memref<?xi8>, vector<4xi8>
    memref.store %b, %bytes[%i] : memref<?xi8>
    memref.store %h, %halves[%i] : memref<?xi16>
    vector.store %p, %promised[%i] : memref<?xi8>, vector<4xi8>
    gpu.return
  }
}
