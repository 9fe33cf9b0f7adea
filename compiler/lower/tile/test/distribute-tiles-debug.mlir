// Prints of lanes, code for each element, and accesses by addresses.
// RUN: pumice-opt %s --split-input-file --pumice-distribute-tiles | FileCheck %s

#l = #tile.layout<[8], register = [4], lane = [1, 2], subgroup = []>
gpu.module @debug {
  // CHECK-LABEL: gpu.func @debug
  // CHECK: scf.if
  // CHECK: gpu.printf "%d: %f", %{{.*}}, %{{.*}} : i32, f32
  // CHECK: scf.if
  // CHECK: gpu.printf "%d: %f", %{{.*}}, %{{.*}} : i32, f32
  // CHECK-NOT: gpu.printf
  gpu.func @debug(%n: i32, %v: f32, %m: i1) kernel {
    %x = tile.splat %v : f32 -> tensor<8xf32, #l>
    %k = tile.splat %m : i1 -> tensor<8xi1, #l>
    tile.print "%d: %f"(%n, %x) mask %k : (i32, tensor<8xf32, #l>, tensor<8xi1, #l>)
    gpu.return
  }
}

// -----

#l = #tile.layout<[8], register = [4], lane = [1, 2], subgroup = []>
gpu.module @map {
  // A pack of four, of which a lane has two.
  // CHECK-LABEL: gpu.func @map
  // CHECK: %[[A:.*]]:2 = vector.to_elements
  // CHECK: %[[S:.*]] = arith.subi %[[A]]#0, %[[A]]#1
  // CHECK: vector.from_elements %[[S]], %[[A]]#0
  gpu.func @map(%x: memref<?xi32>) kernel {
    %i = tile.range 0 to 8 : tensor<8xi32, #l>
    %r = tile.map %i pack 4 : (tensor<8xi32, #l>) -> tensor<8xi32, #l> {
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
      %e = arith.subi %c, %d : i32
      tile.yield %e, %a, %b, %c : i32, i32, i32, i32
    }
    tile.store %r to %x at %i : (tensor<8xi32, #l>, memref<?xi32>, tensor<8xi32, #l>)
    gpu.return
  }
}

// -----

#l = #tile.layout<[4], register = [], lane = [1, 2], subgroup = []>
gpu.module @addresses {
  // CHECK-LABEL: gpu.func @addresses
  // CHECK: %[[M:.*]] = vk.at_address %{{.*}} : memref<?xf16>
  // CHECK: memref.load %[[M]][%c0
  // CHECK: %[[N:.*]] = vk.at_address %{{.*}} : memref<?xf16>
  // CHECK: memref.store %{{.*}}, %[[N]][%c0
  gpu.func @addresses(%a: i64) kernel {
    %s = tile.splat %a : i64 -> tensor<4xi64, #l>
    %t = tile.load at %s : (tensor<4xi64, #l>) -> tensor<4xf16, #l>
    tile.store %t at %s : (tensor<4xf16, #l>, tensor<4xi64, #l>)
    gpu.return
  }
}

// -----

#l = #tile.layout<[4], register = [], lane = [1, 2, 0], subgroup = []>
#s = #tile.layout<[1], register = [], lane = [0, 0, 0], subgroup = []>
gpu.module @combined {
  // All lanes that hold elements print their combinations, except for lanes that hold copies,
  // and except if no element precedes those of a lane.
  // CHECK-LABEL: gpu.func @combined
  // CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK: %[[COPY:.*]] = arith.constant 4 : i32
  // CHECK-NEXT: arith.andi %{{.*}}, %[[COPY]]
  // CHECK: scf.if
  // CHECK-NEXT: gpu.printf "%d"
  // CHECK: %[[UPPER:.*]] = arith.cmpi ne
  // CHECK: scf.if %[[UPPER]] -> (i32) {
  // CHECK: scf.if %{{.*}} -> (i32) {
  // CHECK: arith.addi
  // CHECK: gpu.printf "%d"
  // CHECK: } else {
  gpu.func @combined(%x: memref<?xi32>) kernel {
    %i = tile.range 0 to 4 : tensor<4xi32, #l>
    %r = tile.scan %i axis 0 : (tensor<4xi32, #l>) -> tensor<4xi32, #l> {
    ^bb0(%a: i32, %b: i32):
      %e = arith.addi %a, %b : i32
      %t = tile.splat %e : i32 -> tensor<1xi32, #s>
      tile.print "%d"(%t) : (tensor<1xi32, #s>)
      tile.yield %e : i32
    }
    tile.store %r to %x at %i : (tensor<4xi32, #l>, memref<?xi32>, tensor<4xi32, #l>)
    gpu.return
  }
}
