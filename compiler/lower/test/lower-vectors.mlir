// RUN: pumice-opt %s --pumice-lower-vectors | FileCheck %s

gpu.module @m {
  // A row that is in bounds is one load. Further rows are at their distances, with the remaining
  // alignment.
  // CHECK-LABEL: gpu.func @rows(
  // CHECK: vector.load %{{.*}}[%arg1, %arg2] {alignment = 64 : i64} : memref<8x12xf32>, vector<4xf32>
  // CHECK: vector.insert %{{.*}} [0] : vector<4xf32> into vector<2x4xf32>
  // CHECK: %[[NEXT:.*]] = arith.addi %arg1, %c1
  // CHECK: vector.load %{{.*}}[%[[NEXT]], %arg2] {alignment = 16 : i64} : memref<8x12xf32>, vector<4xf32>
  gpu.func @rows(%m: memref<8x12xf32>, %i: index, %j: index) kernel {
    %v = vector.load %m[%i, %j] {alignment = 64} : memref<8x12xf32>, vector<2x4xf32>
    vector.store %v, %m[%j, %i] : memref<8x12xf32>, vector<2x4xf32>
    gpu.return
  }

  // A row that may be out of bounds is loaded at once if it is in bounds.
  // CHECK-LABEL: gpu.func @bounds(
  // CHECK: %[[PAD:.*]] = arith.constant 2.0
  // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %arg1, %{{.*}} : index
  // CHECK: %[[LAST:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
  // CHECK: %[[WHOLE:.*]] = arith.andi %[[FIRST]], %[[LAST]]
  // CHECK: scf.if %[[WHOLE]] -> (vector<2xf32>) {
  // CHECK-NEXT: vector.load {{.*}} : memref<?xf32>, vector<2xf32>
  // CHECK: } else {
  // CHECK: scf.if %{{.*}} -> (f32) {
  // CHECK-NEXT: memref.load
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[PAD]]
  gpu.func @bounds(%m: memref<?xf32>, %i: index) kernel {
    %pad = arith.constant 2.0 : f32
    %v = vector.transfer_read %m[%i], %pad : memref<?xf32>, vector<2xf32>
    vector.store %v, %m[%i] : memref<?xf32>, vector<2xf32>
    gpu.return
  }

  // The access is transposed: single elements, no whole rows.
  // CHECK-LABEL: gpu.func @transposed(
  // CHECK-COUNT-4: memref.store
  // CHECK-NOT: vector.store
  gpu.func @transposed(%m: memref<8x8xf32>, %v: memref<4xf32>, %i: index) kernel {
    %a = vector.load %v[%i] : memref<4xf32>, vector<4xf32>
    %b = vector.shape_cast %a : vector<4xf32> to vector<2x2xf32>
    vector.transfer_write %b, %m[%i, %i]
      {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
      : vector<2x2xf32>, memref<8x8xf32>
    gpu.return
  }

  // Elements that are masked off are neither loaded nor stored.
  // CHECK-LABEL: gpu.func @masked(
  // CHECK: %[[MASK:.*]] = arith.cmpi slt, %cst{{.*}}, %{{.*}} : vector<2xindex>
  // CHECK: %[[BIT:.*]] = vector.extract %[[MASK]][0]
  // CHECK: scf.if %[[BIT]] -> (f32)
  // CHECK-NEXT: memref.load %arg0[%arg1] {alignment = 8 : i64}
  // CHECK: memref.load %arg0[%{{.*}}] {alignment = 4 : i64}
  // CHECK: scf.if
  // CHECK-NEXT: memref.store
  // CHECK: arith.select
  gpu.func @masked(%m: memref<?xf32>, %i: index) kernel {
    %mask = vector.create_mask %i : vector<2xi1>
    %zero = arith.constant dense<0.0> : vector<2xf32>
    %v = vector.maskedload %m[%i], %mask, %zero {alignment = 8} : memref<?xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
    vector.compressstore %m[%i], %mask, %v : memref<?xf32>, vector<2xi1>, vector<2xf32>
    gpu.return
  }

  // A mask of all ones is removed, and bits that are known to be clear leave no access.
  // CHECK-LABEL: gpu.func @known_mask(
  // CHECK-NOT: scf.if
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: memref.load
  // CHECK-NOT: memref.load
  gpu.func @known_mask(%m: memref<?xf32>, %i: index) kernel {
    %all = vector.constant_mask [4] : vector<4xi1>
    %one = vector.constant_mask [1] : vector<4xi1>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %v = vector.maskedload %m[%i], %all, %zero : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %w = vector.maskedload %m[%i], %one, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %w, %m[%i] : memref<?xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @gather(
  // CHECK: %[[AT:.*]] = vector.extract %{{.*}}[1] : i32
  // CHECK: %[[OFFSET:.*]] = arith.index_cast %[[AT]] : i32 to index
  // CHECK: %[[INDEX:.*]] = arith.addi %arg1, %[[OFFSET]]
  // CHECK: memref.load %arg0[%[[INDEX]]]
  gpu.func @gather(%m: memref<?xf32>, %i: index, %n: memref<?xi32>) kernel {
    %at = vector.load %n[%i] : memref<?xi32>, vector<2xi32>
    %zero = arith.constant dense<0.0> : vector<2xf32>
    %mask = arith.constant dense<[false, true]> : vector<2xi1>
    %v = vector.gather %m[%i] [%at], %mask, %zero : memref<?xf32>, vector<2xi32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
    vector.store %v, %m[%i] : memref<?xf32>, vector<2xf32>
    gpu.return
  }

  // Elements are combined in order, starting with the accumulator. Any order is used if it makes no difference, or is allowed.
  // CHECK-LABEL: gpu.func @reductions(
  // CHECK: %[[V:.*]] = vector.load
  // CHECK: %[[E0:.*]] = vector.extract %[[V]][0]
  // CHECK: %[[S0:.*]] = arith.addf {{.*}}%[[E0]]
  // CHECK: %[[E1:.*]] = vector.extract %[[V]][1]
  // CHECK: %[[S1:.*]] = arith.addf {{.*}}%[[S0]]
  // CHECK: vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [2]
  // CHECK: vector.extract_strided_slice %[[V]] {offsets = [2], sizes = [2]
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : vector<2xf32>
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<2xf32>
  gpu.func @reductions(%m: memref<?xf32>, %i: index, %x: f32) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
    %a = vector.reduction <add>, %v, %x : vector<4xf32> into f32
    %b = vector.reduction <add>, %v, %a fastmath<reassoc> : vector<4xf32> into f32
    %c = vector.reduction <maximumf>, %v, %b : vector<4xf32> into f32
    memref.store %c, %m[%i] : memref<?xf32>
    gpu.return
  }

  // Narrow operands are widened, and the rows of the result are fused multiply-adds.
  // CHECK-LABEL: gpu.func @contract(
  // CHECK: %[[L:.*]] = vector.broadcast %{{.*}} : f16 to vector<4xf16>
  // CHECK: arith.extf %[[L]] : vector<4xf16> to vector<4xf32>
  // CHECK-COUNT-4: math.fma {{.*}} : vector<4xf32>
  // CHECK-NOT: math.fma
  gpu.func @contract(%m: memref<?xf16>, %n: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf16>, vector<4xf16>
    %w = vector.load %m[%i] : memref<?xf16>, vector<8xf16>
    %a = vector.shape_cast %v : vector<4xf16> to vector<2x2xf16>
    %b = vector.shape_cast %w : vector<8xf16> to vector<2x4xf16>
    %c = arith.constant dense<0.0> : vector<2x4xf32>
    %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                           affine_map<(i, j, k) -> (k, j)>,
                                           affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]}
      %a, %b, %c : vector<2x2xf16>, vector<2x4xf16> into vector<2x4xf32>
    %e = vector.shape_cast %d : vector<2x4xf32> to vector<8xf32>
    vector.store %e, %n[%i] : memref<?xf32>, vector<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @mask_region(
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi32>
  // CHECK-NOT: vector.mask
  gpu.func @mask_region(%m: memref<?xi32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xi32>, vector<4xi32>
    %mask = vector.create_mask %i : vector<4xi1>
    %s = vector.mask %mask { vector.reduction <minsi>, %v : vector<4xi32> into i32 } : vector<4xi1> -> i32
    memref.store %s, %m[%i] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @type_cast(
  // CHECK-NOT: vector.type_cast
  // CHECK: vector.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<2x4xf32>, vector<4xf32>
  // CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<2x4xf32>, vector<4xf32>
  gpu.func @type_cast(%m: memref<2x4xf32>, %n: memref<2x4xf32>) kernel {
    %a = vector.type_cast %m : memref<2x4xf32> to memref<vector<2x4xf32>>
    %b = vector.type_cast %n : memref<2x4xf32> to memref<vector<2x4xf32>>
    %v = memref.load %a[] : memref<vector<2x4xf32>>
    memref.store %v, %b[] : memref<vector<2x4xf32>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @scan(
  // CHECK: %[[S:.*]] = arith.addi
  // CHECK: vector.from_elements %{{.*}}, %[[S]] : vector<2xi32>
  gpu.func @scan(%m: memref<?xi32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xi32>, vector<2xi32>
    %zero = arith.constant dense<0> : vector<i32>
    %s, %t = vector.scan <add>, %v, %zero {inclusive = true, reduction_dim = 0 : i64} : vector<2xi32>, vector<i32>
    vector.store %s, %m[%i] : memref<?xi32>, vector<2xi32>
    gpu.return
  }
}
