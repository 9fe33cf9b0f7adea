// Loads and stores of two arguments share a loop, unless the arguments may share memory. Accesses to the same
// places of one argument always share it.
// RUN: pumice-opt %s --pumice-fuse-fragment-loops="registers=4 unrolled=4" | FileCheck %s --check-prefixes=APART,BOTH
// RUN: pumice-opt %s --pumice-fuse-fragment-loops="registers=4 unrolled=4 overlap=true" | FileCheck %s --check-prefixes=OVERLAP,BOTH

#row = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>

gpu.module @m {
  // APART-LABEL:   gpu.func @two
  // APART:         scf.for
  // APART:           tile.load
  // APART-NOT:     scf.for
  // APART:           tile.store
  // OVERLAP-LABEL: gpu.func @two
  // OVERLAP:       scf.for
  // OVERLAP:         tile.load
  // OVERLAP:         tile.array_store
  // OVERLAP:       scf.for
  // OVERLAP:         tile.array_load
  // OVERLAP:         tile.store
  gpu.func @two(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %i = tile.range 0 to 64 : tensor<64xi32, #row>
    %v = tile.load from %x at %i : (memref<?xf32>, tensor<64xi32, #row>) -> tensor<64xf32, #row>
    tile.store %v to %y at %i : (tensor<64xf32, #row>, memref<?xf32>, tensor<64xi32, #row>)
    gpu.return
  }

  // BOTH-LABEL:    gpu.func @one
  // BOTH:          scf.for
  // BOTH:            tile.load
  // BOTH-NOT:      scf.for
  // BOTH:            tile.store
  gpu.func @one(%x: memref<?xf32>) kernel {
    %i = tile.range 0 to 64 : tensor<64xi32, #row>
    %v = tile.load from %x at %i : (memref<?xf32>, tensor<64xi32, #row>) -> tensor<64xf32, #row>
    %w = arith.addf %v, %v : tensor<64xf32, #row>
    tile.store %w to %x at %i : (tensor<64xf32, #row>, memref<?xf32>, tensor<64xi32, #row>)
    gpu.return
  }
}
