// Softmax of rows of up to 64 numbers. Eight lanes, with eight registers each, handle a row.
//   pumice-opt --pumice-distribute-tiles examples/tiles/softmax.mlir
#row = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>

gpu.module @tiles {
  gpu.func @softmax(%x: memref<?xf32>, %y: memref<?xf32>, %columns: i32) kernel {
    %block = gpu.block_id x
    %row = arith.index_cast %block : index to i32
    %start = arith.muli %row, %columns : i32
    %i = tile.range 0 to 64 : tensor<64xi32, #row>
    %n = tile.splat %columns : i32 -> tensor<64xi32, #row>
    %mask = arith.cmpi slt, %i, %n : tensor<64xi32, #row>
    %first = tile.splat %start : i32 -> tensor<64xi32, #row>
    %at = arith.addi %first, %i : tensor<64xi32, #row>
    %least = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
    %v = tile.load from %x at %at mask %mask other %least
        : (memref<?xf32>, tensor<64xi32, #row>, tensor<64xi1, #row>, tensor<64xf32, #row>)
        -> tensor<64xf32, #row>
    %max = tile.reduce %v axis 0 : (tensor<64xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %m = tile.splat %max : f32 -> tensor<64xf32, #row>
    %d = arith.subf %v, %m : tensor<64xf32, #row>
    %e = math.exp %d : tensor<64xf32, #row>
    %sum = tile.reduce %e axis 0 : (tensor<64xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %s = tile.splat %sum : f32 -> tensor<64xf32, #row>
    %q = arith.divf %e, %s : tensor<64xf32, #row>
    tile.store %q to %y at %at mask %mask
        : (tensor<64xf32, #row>, memref<?xf32>, tensor<64xi32, #row>, tensor<64xi1, #row>)
    gpu.return
  }
}
