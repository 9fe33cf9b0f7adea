// Loops compute each lane's own answer, together with the elements, and without an exchange.
// RUN: pumice-opt %s --pumice-fuse-fragment-loops="registers=8 unrolled=4" --canonicalize | FileCheck %s --check-prefix=LOOPS
// RUN: pumice-opt %s --pumice-fuse-fragment-loops="registers=64" --pumice-distribute-tiles --canonicalize | FileCheck %s --check-prefix=LANES

#l = #tile.layout<[256], register = [8, 16, 32, 64, 128], lane = [1, 2, 4], subgroup = []>
#flat = #tile.layout<[16], register = [8], lane = [1, 2, 4], subgroup = []>
#wide = #tile.layout<[32], register = [8], lane = [1, 2, 4], subgroup = [16]>

gpu.module @tiles {

// LOOPS-LABEL: gpu.func @checked
// LOOPS: %[[CELL:.*]] = memref.alloca() : memref<1xi32, #gpu.address_space<private>>
// LOOPS: memref.store %c0_i32, %[[CELL]]
// LOOPS: scf.for
// LOOPS:   %[[MASK:.*]] = arith.cmpi sge
// LOOPS:   %[[HERE:.*]] = tile.any_held %[[MASK]] : tensor<32xi1, #{{.*}}>
// LOOPS:   %[[BEFORE:.*]] = memref.load %[[CELL]]
// LOOPS:   %[[WORD:.*]] = arith.extui %[[HERE]]
// LOOPS:   %[[NOW:.*]] = arith.ori %[[BEFORE]], %[[WORD]]
// LOOPS:   memref.store %[[NOW]], %[[CELL]]
// LOOPS:   tile.store
// LOOPS: }
// LOOPS: %[[FOUND:.*]] = memref.load %[[CELL]]
// LOOPS: %[[ANY:.*]] = arith.cmpi ne, %[[FOUND]], %c0_i32
// LOOPS: scf.if %[[ANY]]
// LOOPS:   scf.for
// LOOPS:     tile.print
gpu.func @checked(%x: memref<?xf32>, %n: i32) kernel {
  %i = tile.range 0 to 256 : tensor<256xi32, #l>
  %limit = tile.splat %n : i32 -> tensor<256xi32, #l>
  %m = arith.cmpi sge, %i, %limit : tensor<256xi32, #l>
  %some = tile.any_held %m : tensor<256xi1, #l>
  %v = tile.load from %x at %i mask %m : (memref<?xf32>, tensor<256xi32, #l>, tensor<256xi1, #l>) -> tensor<256xf32, #l>
  tile.store %v to %x at %i mask %m : (tensor<256xf32, #l>, memref<?xf32>, tensor<256xi32, #l>, tensor<256xi1, #l>)
  scf.if %some {
    tile.print "%d\n"(%i) mask %m : (tensor<256xi32, #l>, tensor<256xi1, #l>)
  }
  gpu.return
}

// LANES-LABEL: gpu.func @few
// LANES: %[[BOTH:.*]]:2 = vector.to_elements
// LANES: %[[ANY:.*]] = arith.ori %[[BOTH]]#0, %[[BOTH]]#1 : i1
// LANES: scf.if %[[ANY]]
gpu.func @few(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 16 : tensor<16xi32, #flat>
  %v = tile.load from %x at %i : (memref<?xi32>, tensor<16xi32, #flat>) -> tensor<16xi32, #flat>
  %m = arith.cmpi slt, %v, %i : tensor<16xi32, #flat>
  %some = tile.any_held %m : tensor<16xi1, #flat>
  scf.if %some { tile.print "%d\n"(%i) mask %m : (tensor<16xi32, #flat>, tensor<16xi1, #flat>) }
  gpu.return
}

// Subgroups do not wait for each other.
// LANES-LABEL: gpu.func @of_subgroups
// LANES-NOT: gpu.barrier
// LANES: gpu.return
gpu.func @of_subgroups(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 32 : tensor<32xi32, #wide>
  %v = tile.load from %x at %i : (memref<?xi32>, tensor<32xi32, #wide>) -> tensor<32xi32, #wide>
  %m = arith.cmpi slt, %v, %i : tensor<32xi32, #wide>
  %some = tile.any_held %m : tensor<32xi1, #wide>
  scf.if %some { tile.print "%d\n"(%i) mask %m : (tensor<32xi32, #wide>, tensor<32xi1, #wide>) }
  gpu.return
}
}
