// RUN: pumice-opt %s --pumice-split-vectors --split-input-file | FileCheck %s

gpu.module @m {
  // Pieces of four elements, then the remaining ones. Each has the alignment that is left.
  // CHECK-LABEL: gpu.func @elementwise(
  // CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[I:.*]]: index)
  // CHECK: %[[A:.*]] = vector.load %[[M]][%[[I]]] {alignment = 32 : i64} : memref<?xf32>, vector<4xf32>
  // CHECK: %[[I4:.*]] = arith.addi %[[I]], %c4
  // CHECK: %[[B:.*]] = vector.load %[[M]][%[[I4]]] {alignment = 16 : i64} : memref<?xf32>, vector<2xf32>
  // CHECK: %[[C:.*]] = arith.addf %[[A]], %[[A]] fastmath<contract> : vector<4xf32>
  // CHECK: %[[D:.*]] = arith.addf %[[B]], %[[B]] fastmath<contract> : vector<2xf32>
  // CHECK: vector.store %[[C]], %[[M]][%[[I]]] : memref<?xf32>, vector<4xf32>
  // CHECK: vector.store %[[D]], %[[M]][%{{.*}}] : memref<?xf32>, vector<2xf32>
  gpu.func @elementwise(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] {alignment = 32} : memref<?xf32>, vector<6xf32>
    %w = arith.addf %v, %v fastmath<contract> : vector<6xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<6xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one(
  // CHECK: %[[A:.*]] = memref.load %{{.*}} {alignment = 8 : i64}
  // CHECK: %[[B:.*]] = math.sqrt %[[A]] : f32
  // CHECK: memref.store %[[B]]
  gpu.func @one(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] {alignment = 8} : memref<?xf32>, vector<1xf32>
    %w = math.sqrt %v : vector<1xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<1xf32>
    gpu.return
  }

  // Vectors of 2, 3 and 4 elements stay as they are.
  // CHECK-LABEL: gpu.func @short(
  // CHECK-NEXT: vector.load {{.*}} vector<3xf32>
  // CHECK-NEXT: vector.extract %{{.*}}[%{{.*}}] : f32 from vector<3xf32>
  // CHECK-NEXT: vector.insert {{.*}} : f32 into vector<3xf32>
  // CHECK-NEXT: vector.store
  gpu.func @short(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<3xf32>
    %e = vector.extract %v[%i] : f32 from vector<3xf32>
    %w = vector.insert %e, %v[0] : f32 into vector<3xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<3xf32>
    gpu.return
  }

  // Static extract and insert only select pieces and elements.
  // CHECK-LABEL: gpu.func @extract_insert(
  // CHECK: %[[A:.*]] = vector.load {{.*}} vector<4xf32>
  // CHECK: %[[B:.*]] = vector.load {{.*}} vector<4xf32>
  // CHECK: %[[E:.*]] = vector.extract %[[B]][1] : f32 from vector<4xf32>
  // CHECK: memref.store %[[E]]
  // CHECK: %[[C:.*]] = vector.shuffle %[[A]], %[[B]] [0, 5, 2, 3]
  // CHECK: vector.store %[[C]]
  // CHECK: vector.store %[[B]]
  gpu.func @extract_insert(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    %e = vector.extract %v[5] : f32 from vector<8xf32>
    memref.store %e, %m[%i] : memref<?xf32>
    %w = vector.insert %e, %v[1] : f32 into vector<8xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @insert_scalar(
  // CHECK: %[[E:.*]] = memref.load
  // CHECK: vector.insert %[[E]], %{{.*}} [1] : f32 into vector<4xf32>
  gpu.func @insert_scalar(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    %e = memref.load %m[%i] : memref<?xf32>
    %w = vector.insert %e, %v[1] : f32 into vector<8xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transpose(
  // CHECK: %[[A:.*]] = vector.load {{.*}} vector<4xf32>
  // CHECK: %[[B:.*]] = vector.load {{.*}} vector<2xf32>
  // CHECK: vector.shuffle %[[A]], %[[B]] [0, 3, 1, 4] : vector<4xf32>, vector<2xf32>
  // CHECK: vector.shuffle %[[A]], %[[B]] [2, 5] : vector<4xf32>, vector<2xf32>
  gpu.func @transpose(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<6xf32>
    %s = vector.shape_cast %v : vector<6xf32> to vector<2x3xf32>
    %t = vector.transpose %s, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
    %u = vector.shape_cast %t : vector<3x2xf32> to vector<6xf32>
    vector.store %u, %m[%i] : memref<?xf32>, vector<6xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @loop(
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<4xf32>, f32)
  // CHECK: scf.if {{.*}} -> (vector<4xf32>, f32)
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  // CHECK: scf.while {{.*}} : (vector<4xf32>, f32) -> (vector<4xf32>, f32)
  // CHECK: scf.index_switch %{{.*}} -> vector<4xf32>, f32
  gpu.func @loop(%m: memref<?xf32>, %i: index, %c: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<5xf32>
    %sum = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %zero) -> vector<5xf32> {
      %v = vector.load %m[%j] : memref<?xf32>, vector<5xf32>
      %next = scf.if %c -> vector<5xf32> {
        %a = arith.addf %acc, %v : vector<5xf32>
        scf.yield %a : vector<5xf32>
      } else {
        %a = arith.select %c, %acc, %v : vector<5xf32>
        scf.yield %a : vector<5xf32>
      }
      scf.yield %next : vector<5xf32>
    }
    %w = scf.while (%x = %sum) : (vector<5xf32>) -> vector<5xf32> {
      scf.condition(%c) %x : vector<5xf32>
    } do {
    ^bb0(%y: vector<5xf32>):
      scf.yield %y : vector<5xf32>
    }
    %s = scf.index_switch %i -> vector<5xf32>
    case 0 { scf.yield %w : vector<5xf32> }
    default { scf.yield %sum : vector<5xf32> }
    vector.store %s, %m[%i] : memref<?xf32>, vector<5xf32>
    gpu.return
  }

  // A scalar result next to the vector comes from the first piece.
  // CHECK-LABEL: gpu.func @lanes(
  // CHECK: %{{.*}}, %[[OK:.*]] = gpu.shuffle xor %{{.*}} : vector<4xf32>
  // CHECK: gpu.shuffle xor %{{.*}} : vector<4xf32>
  // CHECK: gpu.subgroup_reduce add %{{.*}} : (vector<4xf32>) -> vector<4xf32>
  // CHECK: arith.select %[[OK]]
  gpu.func @lanes(%m: memref<?xf32>, %i: index, %o: i32, %n: i32) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    %s, %ok = gpu.shuffle xor %v, %o, %n : vector<8xf32>
    %r = gpu.subgroup_reduce add %s : (vector<8xf32>) -> vector<8xf32>
    %t = arith.select %ok, %r, %v : vector<8xf32>
    vector.store %t, %m[%i] : memref<?xf32>, vector<8xf32>
    gpu.return
  }

  // Few candidates become a select. More become an array in private memory, in which booleans are words.
  // CHECK-LABEL: gpu.func @dynamic(
  // CHECK: %[[BITS:.*]] = memref.alloca() : memref<9xi32, #gpu.address_space<private>>
  // CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<16xf32, #gpu.address_space<private>>
  // CHECK-COUNT-4: arith.select {{.*}} : f32
  // CHECK-COUNT-4: vector.store {{.*}}, %[[ARRAY]]
  // CHECK: memref.load %[[ARRAY]]
  // CHECK: arith.extui {{.*}} : vector<4xi1> to vector<4xi32>
  // CHECK: arith.trunci {{.*}} : i32 to i1
  gpu.func @dynamic(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<5xf32>
    %e = vector.extract %v[%i] : f32 from vector<5xf32>
    %w = vector.load %m[%i] : memref<?xf32>, vector<16xf32>
    %f = vector.extract %w[%i] : f32 from vector<16xf32>
    %x = vector.load %m[%i] : memref<?xf32>, vector<9xf32>
    %b = arith.cmpf olt, %x, %x : vector<9xf32>
    %g = vector.extract %b[%i] : i1 from vector<9xi1>
    %h = arith.select %g, %e, %f : f32
    memref.store %h, %m[%i] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bits(
  // CHECK: %[[V:.*]] = vector.load
  // CHECK: vector.bitcast %{{.*}} : vector<4xi16> to vector<2xf32>
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.shli
  // CHECK: arith.ori
  gpu.func @bits(%m: memref<?xi16>, %n: memref<?xi8>, %f: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xi16>, vector<8xi16>
    %w = vector.bitcast %v : vector<8xi16> to vector<4xf32>
    vector.store %w, %f[%i] : memref<?xf32>, vector<4xf32>
    %x = vector.load %n[%i] : memref<?xi8>, vector<8xi8>
    %y = vector.bitcast %x : vector<8xi8> to vector<2xf32>
    vector.store %y, %f[%i] : memref<?xf32>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @constants(
  // CHECK-DAG: arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  // CHECK-DAG: arith.constant 5 : i32
  // CHECK-DAG: arith.constant dense<7> : vector<2xi32>
  gpu.func @constants(%m: memref<?xi32>, %i: index) kernel {
    %v = arith.constant dense<[1, 2, 3, 4, 5]> : vector<5xi32>
    vector.store %v, %m[%i] : memref<?xi32>, vector<5xi32>
    %w = arith.constant dense<7> : vector<6xi32>
    vector.store %w, %m[%i] : memref<?xi32>, vector<6xi32>
    gpu.return
  }
}
