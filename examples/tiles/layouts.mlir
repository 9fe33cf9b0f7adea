// Layouts of docs/tile.md: which lane holds what, and the cost of changing that.
//   pumice-opt --pumice-print-tile-plans=draw examples/tiles/layouts.mlir -o /dev/null

// A CPU: 8 lanes hold consecutive elements, and their next registers hold the next 8.
#cpu = #tile.layout<[4, 8], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4]],
                    subgroup = []>
// A GPU: two subgroups of 4 lanes. Each lane holds pairs of neighbours.
#gpu = #tile.layout<[4, 8], register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4]],
                    subgroup = [[1, 0]]>
#other = #tile.layout<[4, 8], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]],
                      subgroup = [[0, 4]]>
// The same eight lanes, which follow the columns.
#columns = #tile.layout<[4, 8], register = [[0, 1], [2, 0]], lane = [[1, 0], [0, 2], [0, 4]],
                        subgroup = []>
// The maxima of the four rows. All lanes hold all of them.
#maxima = #tile.layout<[4], register = [1, 2], lane = [0, 0, 0], subgroup = []>

func.func @on_a_cpu(%x: memref<?xf32>, %i: tensor<4x8xi32, #cpu>)
    -> (tensor<4x8xf32, #columns>, tensor<4xf32, #maxima>) {
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<4x8xi32, #cpu>) -> tensor<4x8xf32, #cpu>
  %c = tile.convert_layout %t : tensor<4x8xf32, #cpu> -> tensor<4x8xf32, #columns>
  %m = tile.reduce %t axis 1 : (tensor<4x8xf32, #cpu>) -> tensor<4xf32, #maxima> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maxnumf %a, %b : f32
    tile.yield %max : f32
  }
  return %c, %m : tensor<4x8xf32, #columns>, tensor<4xf32, #maxima>
}

func.func @on_a_gpu(%x: memref<?xf16>, %i: tensor<4x8xi32, #gpu>) -> tensor<4x8xf16, #other> {
  %t = tile.load from %x at %i : (memref<?xf16>, tensor<4x8xi32, #gpu>) -> tensor<4x8xf16, #gpu>
  %c = tile.convert_layout %t : tensor<4x8xf16, #gpu> -> tensor<4x8xf16, #other>
  return %c : tensor<4x8xf16, #other>
}
