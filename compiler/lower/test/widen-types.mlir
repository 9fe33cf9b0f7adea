// RUN: pumice-opt %s --pumice-widen-types --cse --split-input-file | FileCheck %s

gpu.module @integers attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {storageBuffer8BitAccess}>} {
  // Memory holds bytes. Values are words whose high bits are used only after an extension.
  // CHECK-LABEL: gpu.func @bytes
  gpu.func @bytes() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    // CHECK: %[[BYTE:.*]] = memref.load {{.*}} : memref<?xi8>
    // CHECK: %[[V:.*]] = arith.extui %[[BYTE]] : i8 to i32
    %v = memref.load %x[%i] : memref<?xi8>
    // CHECK: %[[SUM:.*]] = arith.addi %[[V]], %[[V]] : i32
    %s = arith.addi %v, %v overflow<nsw> : i8
    // CHECK: %[[UP:.*]] = arith.shli %[[SUM]], %c24
    // CHECK: %[[SIGNED:.*]] = arith.shrsi %[[UP]], %c24
    // CHECK: %[[VUP:.*]] = arith.shli %[[V]], %c24
    // CHECK: %[[VSIGNED:.*]] = arith.shrsi %[[VUP]], %c24
    // CHECK: %[[Q:.*]] = arith.divsi %[[SIGNED]], %[[VSIGNED]] : i32
    %q = arith.divsi %s, %v : i8
    // CHECK: %[[LOW:.*]] = arith.andi %[[SUM]], %c255
    // CHECK: arith.cmpi ult, %[[LOW]]
    %c = arith.cmpi ult, %s, %v : i8
    // CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[Q]], %[[SUM]] : i32
    %r = arith.select %c, %q, %s : i8
    // CHECK: %[[OUT:.*]] = arith.trunci %[[R]] : i32 to i8
    // CHECK: memref.store %[[OUT]]
    memref.store %r, %x[%i] : memref<?xi8>
    gpu.return
  }

  // Bytes may only be loaded, stored and converted: no vector of them can be assembled.
  // CHECK-LABEL: gpu.func @byte_vectors
  gpu.func @byte_vectors() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    // CHECK: %[[B0:.*]] = memref.load {{.*}} : memref<?xi8>
    // CHECK: %[[W0:.*]] = arith.extui %[[B0]] : i8 to i32
    // CHECK: %[[B1:.*]] = memref.load {{.*}} : memref<?xi8>
    // CHECK: %[[W1:.*]] = arith.extui %[[B1]] : i8 to i32
    // CHECK: %[[V:.*]] = vector.from_elements %[[W0]], %[[W1]] : vector<2xi32>
    %v = vector.load %x[%i] : memref<?xi8>, vector<2xi8>
    // CHECK: %[[S:.*]] = arith.addi %[[V]], %[[V]] : vector<2xi32>
    %s = arith.addi %v, %v : vector<2xi8>
    // CHECK: %[[S0:.*]] = vector.extract %[[S]][0] : i32 from vector<2xi32>
    // CHECK: %[[T0:.*]] = arith.trunci %[[S0]] : i32 to i8
    // CHECK: memref.store %[[T0]]
    // CHECK-NOT: vector.store
    vector.store %s, %x[%i] : memref<?xi8>, vector<2xi8>
    gpu.return
  }

  // Each value is truncated from the word itself, not from the other value.
  // CHECK-LABEL: gpu.func @two_widths
  gpu.func @two_widths(%v: i32) kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %y = vk.binding set(0) binding(1) : memref<?xi16>
    // CHECK-DAG: arith.trunci %[[V:.*]] : i32 to i8
    // CHECK-DAG: arith.trunci %[[V]] : i32 to i16
    // CHECK-NOT: arith.ext
    %a = arith.trunci %v : i32 to i8
    %b = arith.trunci %v : i32 to i16
    memref.store %a, %x[%i] : memref<?xi8>
    memref.store %b, %y[%i] : memref<?xi16>
    gpu.return
  }

  // A loop counts in words, from the sign-extended bound.
  // CHECK-LABEL: gpu.func @loop
  gpu.func @loop() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %from = arith.constant -3 : i8
    %to = memref.load %x[%i] : memref<?xi8>
    %step = arith.constant 1 : i8
    // CHECK: %[[R:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i32) : i32
    %r = scf.for %k = %from to %to step %step iter_args(%a = %to) -> i8 : i8 {
      // CHECK: arith.xori %[[A]], %[[K]] : i32
      %n = arith.xori %a, %k : i8
      scf.yield %n : i8
    }
    memref.store %r, %x[%i] : memref<?xi8>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @lanes
  gpu.func @lanes() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi8>
    %v = memref.load %x[%i] : memref<?xi8>
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: gpu.shuffle xor %{{.*}} : i32
    %s, %p = gpu.shuffle xor %v, %c1, %c32 : i8
    // CHECK: arith.shrsi
    // CHECK: gpu.subgroup_reduce minsi %{{.*}} : (i32) -> i32
    %m = gpu.subgroup_reduce minsi %s : (i8) -> i8
    memref.store %m, %x[%i] : memref<?xi8>
    gpu.return
  }

  // No target computes with i1 as a number.
  // CHECK-LABEL: gpu.func @booleans
  gpu.func @booleans() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %v = memref.load %x[%i] : memref<?xi32>
    %a = arith.trunci %v : i32 to i1
    %b = arith.cmpi slt, %v, %v : i32
    // CHECK: %[[A:.*]] = arith.extsi %{{.*}} : i1 to i32
    // CHECK: %[[B:.*]] = arith.extsi %{{.*}} : i1 to i32
    // CHECK: arith.cmpi sgt, %[[A]], %[[B]] : i32
    %c = arith.cmpi sgt, %a, %b : i1
    // CHECK: arith.addi %{{.*}} : i32
    %d = arith.addi %b, %c : i1
    // CHECK: arith.andi %{{.*}} : i1
    %e = arith.andi %c, %d : i1
    %f = arith.extui %e : i1 to i32
    memref.store %f, %x[%i] : memref<?xi32>
    gpu.return
  }
}

// -----

gpu.module @floats attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {storageBuffer16BitAccess}>} {
  // CHECK-LABEL: gpu.func @brain
  gpu.func @brain() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi16>
    %bits = memref.load %x[%i] : memref<?xi16>
    // CHECK: %[[HIGH:.*]] = arith.shli %{{.*}}, %c16
    // CHECK: %[[F:.*]] = arith.bitcast %[[HIGH]] : i32 to f32
    %f = arith.bitcast %bits : i16 to bf16
    // CHECK: %[[P:.*]] = arith.mulf %[[F]], %[[F]] : f32
    // CHECK: %[[U:.*]] = arith.bitcast %[[P]] : f32 to i32
    // CHECK: %[[LAST:.*]] = arith.shrui %[[U]], %c16
    // CHECK: arith.andi %[[LAST]], %c1
    // CHECK: %c32767
    // CHECK: arith.cmpi ugt, {{.*}} : i32
    // CHECK: %[[R:.*]] = arith.bitcast {{.*}} : i32 to f32
    %p = arith.mulf %f, %f : bf16
    // An extension needs no instruction.
    // CHECK-NOT: arith.extf
    %w = arith.extf %p : bf16 to f32
    // CHECK: arith.cmpf ogt, %[[R]], %{{.*}} : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %w, %zero : f32
    %s = arith.select %c, %p, %f : bf16
    %b = arith.bitcast %s : bf16 to i16
    // CHECK: arith.trunci {{.*}} : i32 to i16
    memref.store %b, %x[%i] : memref<?xi16>
    gpu.return
  }

  // f8 is moved as its bits.
  // CHECK-LABEL: gpu.func @eighth
  gpu.func @eighth() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %v = memref.load %x[%i] : memref<?xi32>
    %b = arith.trunci %v : i32 to i8
    %f = arith.bitcast %b : i8 to f8E4M3FN
    // CHECK: arith.constant 56 : i32
    %one = arith.constant 1.0 : f8E4M3FN
    %c = arith.cmpi eq, %v, %v : i32
    // CHECK: arith.select {{.*}} : i32
    %s = arith.select %c, %f, %one : f8E4M3FN
    %t = arith.bitcast %s : f8E4M3FN to i8
    %w = arith.extui %t : i8 to i32
    memref.store %w, %x[%i] : memref<?xi32>
    gpu.return
  }
}

// -----

// Types that the target has do not change.
gpu.module @native attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderFloat16, shaderInt8, shaderInt16, shaderInt64}>} {
  // CHECK-LABEL: gpu.func @kept
  gpu.func @kept() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi64>
    %v = memref.load %x[%i] : memref<?xi64>
    // CHECK: arith.trunci %{{.*}} : i64 to i8
    %a = arith.trunci %v : i64 to i8
    // CHECK: arith.divsi %{{.*}} : i8
    %b = arith.divsi %a, %a : i8
    // CHECK: arith.sitofp %{{.*}} : i8 to f16
    %h = arith.sitofp %b : i8 to f16
    // CHECK: arith.addf %{{.*}} : f16
    %s = arith.addf %h, %h : f16
    // CHECK: arith.fptosi %{{.*}} : f16 to i64
    %w = arith.fptosi %s : f16 to i64
    memref.store %w, %x[%i] : memref<?xi64>
    gpu.return
  }
}

// -----

// The target has f16 without 16-bit integers: SPIR-V casts a pair of halves to and from a word.
gpu.module @halves attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {shaderFloat16}>} {
  // CHECK-LABEL: gpu.func @cast
  gpu.func @cast() kernel {
    %i = gpu.thread_id x
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    %v = memref.load %x[%i] : memref<?xi32>
    %b = arith.trunci %v : i32 to i16
    // CHECK: %[[PAIR:.*]] = spirv.Bitcast %{{.*}} : i32 to vector<2xf16>
    // CHECK: %[[H:.*]] = vector.extract %[[PAIR]][0]
    %h = arith.bitcast %b : i16 to f16
    // CHECK: %[[S:.*]] = arith.addf %[[H]], %[[H]] : f16
    %s = arith.addf %h, %h : f16
    // CHECK: %[[BOTH:.*]] = vector.from_elements %[[S]], %{{.*}} : vector<2xf16>
    // CHECK: spirv.Bitcast %[[BOTH]] : vector<2xf16> to i32
    %t = arith.bitcast %s : f16 to i16
    %w = arith.extui %t : i16 to i32
    memref.store %w, %x[%i] : memref<?xi32>
    gpu.return
  }
}
