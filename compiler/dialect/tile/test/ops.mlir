// RUN: pumice-opt %s | pumice-opt | FileCheck %s

#row = #tile.layout<[16], register = [8], lane = [1, 2, 4], subgroup = []>
#block = #tile.layout<[2, 16], register = [[0, 8], [1, 0]], lane = [[0, 1], [0, 2], [0, 4]],
                      subgroup = []>
#column = #tile.layout<[2], register = [1], lane = [0, 0, 0], subgroup = []>
#one = #tile.layout<[1], register = [], lane = [0, 0, 0], subgroup = []>

// CHECK: #[[ROW:.*]] = #tile.layout<[16], register = [8], lane = [1, 2, 4], subgroup = []>
// CHECK: #[[BLOCK:.*]] = #tile.layout<[2, 16], register = {{\[\[}}0, 8], [1, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4]], subgroup = []>

// CHECK-LABEL: func.func @memory
func.func @memory(%x: memref<?xf32>, %v: f32, %n: i32, %a: tensor<16xi64, #row>) {
  // CHECK: tile.range 0 to 16 : tensor<16xi32, #[[ROW]]>
  %i = tile.range 0 to 16 : tensor<16xi32, #row>
  // CHECK: tile.splat %{{.*}} : i32 -> tensor<16xi32, #[[ROW]]>
  %limit = tile.splat %n : i32 -> tensor<16xi32, #row>
  %m = arith.cmpi slt, %i, %limit : tensor<16xi32, #row>
  %o = tile.splat %v : f32 -> tensor<16xf32, #row>
  // CHECK: tile.load from %{{.*}} at %{{.*}} mask %{{.*}} other %{{.*}} {volatile} : (memref<?xf32>, tensor<16xi32, #[[ROW]]>, tensor<16xi1, #[[ROW]]>, tensor<16xf32, #[[ROW]]>) -> tensor<16xf32, #[[ROW]]>
  %t = tile.load from %x at %i mask %m other %o {volatile}
      : (memref<?xf32>, tensor<16xi32, #row>, tensor<16xi1, #row>, tensor<16xf32, #row>)
      -> tensor<16xf32, #row>
  // CHECK: tile.load at %{{.*}} : (tensor<16xi64, #[[ROW]]>) -> tensor<16xf32, #[[ROW]]>
  %u = tile.load at %a : (tensor<16xi64, #row>) -> tensor<16xf32, #row>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<16xf32, #[[ROW]]>
  %s = arith.addf %t, %u : tensor<16xf32, #row>
  // CHECK: tile.store %{{.*}} to %{{.*}} at %{{.*}} mask
  tile.store %s to %x at %i mask %m
      : (tensor<16xf32, #row>, memref<?xf32>, tensor<16xi32, #row>, tensor<16xi1, #row>)
  // CHECK: tile.store %{{.*}} at %{{.*}} : (tensor<16xf32, #[[ROW]]>, tensor<16xi64, #[[ROW]]>)
  tile.store %s at %a : (tensor<16xf32, #row>, tensor<16xi64, #row>)
  // CHECK: tile.atomic_rmw "fadd" "relaxed" %{{.*}} to %{{.*}} at
  %old = tile.atomic_rmw "fadd" "relaxed" %s to %x at %i
      : (tensor<16xf32, #row>, memref<?xf32>, tensor<16xi32, #row>) -> tensor<16xf32, #row>
  // CHECK: tile.atomic_cas "acq_rel" %{{.*}}, %{{.*}} at
  %was = tile.atomic_cas "acq_rel" %old, %s at %a
      : (tensor<16xf32, #row>, tensor<16xf32, #row>, tensor<16xi64, #row>) -> tensor<16xf32, #row>
  return
}

#flat = #tile.layout<[32], register = [8, 16], lane = [1, 2, 4], subgroup = []>
#lifted = #tile.layout<[1, 16], register = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4]],
                       subgroup = []>
#turned = #tile.layout<[16, 2], register = [[8, 0], [0, 1]], lane = [[1, 0], [2, 0], [4, 0]],
                       subgroup = []>
#pairs = #tile.layout<[16, 2], register = [[0, 1], [8, 0]], lane = [[1, 0], [2, 0], [4, 0]],
                      subgroup = []>

// CHECK-LABEL: func.func @views
func.func @views(%t: tensor<16xf32, #row>) -> f32 {
  // CHECK: tile.expand_dims %{{.*}} axis 0
  %e = tile.expand_dims %t axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #lifted>
  // CHECK: tile.broadcast
  %b = tile.broadcast %e : tensor<1x16xf32, #lifted> -> tensor<2x16xf32, #block>
  // CHECK: tile.trans %{{.*}} [1, 0]
  %u = tile.trans %b [1, 0] : tensor<2x16xf32, #block> -> tensor<16x2xf32, #turned>
  // CHECK: tile.reshape
  %r = tile.reshape %b : tensor<2x16xf32, #block> -> tensor<32xf32, #flat>
  // CHECK: tile.join
  %j = tile.join %t, %t : tensor<16xf32, #row> -> tensor<16x2xf32, #pairs>
  // CHECK: tile.split
  %first, %second = tile.split %u
      : tensor<16x2xf32, #turned> -> tensor<16xf32, #row>, tensor<16xf32, #row>
  // CHECK: tile.cat
  %c = tile.cat %first, %second : tensor<16xf32, #row> -> tensor<32xf32, #flat>
  %x = arith.constant dense<1.0> : tensor<1xf32, #one>
  // CHECK: tile.unsplat
  %s = tile.unsplat %x : tensor<1xf32, #one> -> f32
  %m = arith.constant dense<true> : tensor<1xi1, #one>
  // CHECK: tile.any_held %{{.*}} : tensor<1xi1, #{{.*}}>
  %some = tile.any_held %m : tensor<1xi1, #one>
  return %s : f32
}

#index = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>

// CHECK-LABEL: func.func @movement
func.func @movement(%t: tensor<2x16xf32, #block>, %i: tensor<2x16xi32, #block>,
                    %row: tensor<16xf32, #row>, %k: tensor<16xi32, #index>) -> f32 {
  // CHECK: tile.reduce %{{.*}} axis 1 : (tensor<2x16xf32, #[[BLOCK]]>) -> tensor<2xf32, #{{.*}}> {
  %s = tile.reduce %t axis 1 : (tensor<2x16xf32, #block>) -> tensor<2xf32, #column> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    // CHECK: tile.yield %{{.*}} : f32
    tile.yield %c : f32
  }
  // CHECK: tile.reduce %{{.*}}, %{{.*}} axis 0
  %m, %n = tile.reduce %t, %i axis 0
      : (tensor<2x16xf32, #block>, tensor<2x16xi32, #block>)
      -> (tensor<16xf32, #row>, tensor<16xi32, #row>) {
  ^bb0(%a: f32, %p: i32, %b: f32, %q: i32):
    %less = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %less, %a, %b : f32
    %w = arith.select %less, %p, %q : i32
    tile.yield %v, %w : f32, i32
  }
  // CHECK: tile.scan %{{.*}} axis 0 reverse
  %scanned = tile.scan %m axis 0 reverse : (tensor<16xf32, #row>) -> tensor<16xf32, #row> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.convert_layout %{{.*}} : tensor<16xf32, #[[ROW]]> -> tensor<16xf32, #{{.*}}>
  %l = tile.convert_layout %scanned : tensor<16xf32, #row> -> tensor<16xf32, #index>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 0
  %g = tile.gather %row[%k] axis 0
      : (tensor<16xf32, #row>, tensor<16xi32, #index>) -> tensor<16xf32, #index>
  // CHECK: tile.histogram %{{.*}} : (tensor<16xi32, #{{.*}}>) -> tensor<16xi32, #[[ROW]]>
  %h = tile.histogram %k : (tensor<16xi32, #index>) -> tensor<16xi32, #row>
  %sum = arith.addf %l, %g : tensor<16xf32, #index>
  // CHECK: tile.reduce %{{.*}} axis 0 : (tensor<16xf32, #{{.*}}>) -> f32
  %all = tile.reduce %sum axis 0 : (tensor<16xf32, #index>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %all : f32
}

#square = #tile.layout<[4, 4], register = [[1, 0]], lane = [[0, 1], [0, 2], [2, 0]],
                       subgroup = []>

// CHECK-LABEL: func.func @product
func.func @product(%a: tensor<4x4xf16, #square>, %b: tensor<4x4xf16, #square>,
                   %c: tensor<4x4xf32, #square>) -> tensor<4x4xf32, #square> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision "tf32" :
  %d = tile.dot %a, %b, %c precision "tf32"
      : tensor<4x4xf16, #square>, tensor<4x4xf16, #square> -> tensor<4x4xf32, #square>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} :
  %e = tile.dot %a, %b, %d
      : tensor<4x4xf16, #square>, tensor<4x4xf16, #square> -> tensor<4x4xf32, #square>
  return %e : tensor<4x4xf32, #square>
}

// CHECK-LABEL: func.func @arrays
func.func @arrays(%array: memref<8xi8>, %first: i32) {
  // CHECK: %[[T:.*]] = tile.array_load %{{.*}}[%{{.*}}] [0, 2] : memref<8xi8> -> tensor<4x4xi1, #{{.*}}>
  %t = tile.array_load %array[%first] [0, 2] : memref<8xi8> -> tensor<4x4xi1, #square>
  // CHECK: tile.array_store %[[T]] to %{{.*}}[%{{.*}}] [1, 3] : tensor<4x4xi1, #{{.*}}> to memref<8xi8>
  tile.array_store %t to %array[%first] [1, 3] : tensor<4x4xi1, #square> to memref<8xi8>
  return
}

// CHECK-LABEL: func.func @debug
func.func @debug(%a: tensor<4x4xf16, #square>, %n: i32, %m: tensor<4x4xi1, #square>) {
  // CHECK: tile.print "%d %f"(%{{.*}}, %{{.*}}) mask %{{.*}} : (i32, tensor<4x4xf16, {{.*}}>, tensor<4x4xi1
  tile.print "%d %f"(%n, %a) mask %m : (i32, tensor<4x4xf16, #square>, tensor<4x4xi1, #square>)
  // CHECK: tile.map %{{.*}} pack 2 : (tensor<4x4xf16, {{.*}}>) -> tensor<4x4xf16
  %r = tile.map %a pack 2 : (tensor<4x4xf16, #square>) -> tensor<4x4xf16, #square> {
  ^bb0(%x: f16, %y: f16):
    tile.yield %y, %x : f16, f16
  }
  return
}

// CHECK-LABEL: func.func @pipeline
func.func @pipeline(%a: tensor<4x4xf16, #square>, %m: memref<64xi32, #gpu.address_space<workgroup>>, %slot: i32,
                    %s: tensor<4x4xf32, #square>) -> tensor<4x4xf32, #square> {
  // CHECK: tile.stage %{{.*}} to %{{.*}}[%{{.*}}] dimension 1 first 0 depth 4 offset 8 stride 12 transposed :
  tile.stage %a to %m[%slot] dimension 1 first 0 depth 4 offset 8 stride 12 transposed
      : tensor<4x4xf16, #square>, memref<64xi32, #gpu.address_space<workgroup>>
  // CHECK: tile.begin_loads 1 piece 2
  tile.begin_loads 1 piece 2
  // CHECK: %[[F:.*]]:2 = tile.to_fragments %{{.*}} : tensor<4x4xf32, {{.*}}> -> !gpu.mma_matrix
  %f:2 = tile.to_fragments %s : tensor<4x4xf32, #square>
      -> !gpu.mma_matrix<2x4xf32, "COp">, !gpu.mma_matrix<2x4xf32, "COp">
  // CHECK: tile.from_fragments %[[F]]#0, %[[F]]#1 : !gpu.mma_matrix
  %t = tile.from_fragments %f#0, %f#1 : !gpu.mma_matrix<2x4xf32, "COp">, !gpu.mma_matrix<2x4xf32, "COp">
      -> tensor<4x4xf32, #square>
  return %t : tensor<4x4xf32, #square>
}
