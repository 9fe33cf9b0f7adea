// Matrix product, tiled: c = a · b, with a of m×k, b of k×n and c of m×n elements.
//
// One workgroup computes a tile of 16×16 elements of c. It iterates over k: each step copies a tile
// of a and a tile of b into workgroup memory, so that each element is read once from the buffer and
// 16 times from there. Elements outside the matrices count as zero.
//
// A workgroup has 16×8 invocations, as many as every Vulkan device allows; each takes two elements of
// a tile, one in its upper half (row y) and one in its lower half (row y + 8).
//
//   pumice compile examples/matmul.mlir -o matmul.pumice --target rdna3 --target h200
//   launched with n/16 × m/16 workgroups, rounded up
!matrix = memref<?x?xf32>
!tile = memref<16x16xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @matmul {
    // Returns the element (row, column) of a matrix, or zero outside of it.
    func.func @element(%matrix: !matrix, %row: index, %column: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %rows = memref.dim %matrix, %c0 : !matrix
      %columns = memref.dim %matrix, %c1 : !matrix
      %row_inside = arith.cmpi ult, %row, %rows : index
      %column_inside = arith.cmpi ult, %column, %columns : index
      %inside = arith.andi %row_inside, %column_inside : i1
      %element = scf.if %inside -> (f32) {
        %loaded = memref.load %matrix[%row, %column] : !matrix
        scf.yield %loaded : f32
      } else {
        scf.yield %zero : f32
      }
      return %element : f32
    }

    // Writes the element (row, column) if it is inside the matrix.
    func.func @write(%value: f32, %matrix: !matrix, %row: index, %column: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = memref.dim %matrix, %c0 : !matrix
      %columns = memref.dim %matrix, %c1 : !matrix
      %row_inside = arith.cmpi ult, %row, %rows : index
      %column_inside = arith.cmpi ult, %column, %columns : index
      %inside = arith.andi %row_inside, %column_inside : i1
      scf.if %inside {
        memref.store %value, %matrix[%row, %column] : !matrix
      }
      return
    }

    gpu.func @matmul(%a: !matrix, %b: !matrix, %c: !matrix)
        workgroup(%a_tile: !tile, %b_tile: !tile) kernel
        attributes {known_block_size = array<i32: 16, 8, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant 0.0 : f32
      %x = gpu.thread_id x
      %upper_y = gpu.thread_id y
      %lower_y = arith.addi %upper_y, %c8 : index

      // The positions of this invocation's elements in c.
      %tile_column = gpu.block_id x
      %tile_row = gpu.block_id y
      %first_column = arith.muli %tile_column, %c16 : index
      %first_row = arith.muli %tile_row, %c16 : index
      %column = arith.addi %first_column, %x : index
      %upper_row = arith.addi %first_row, %upper_y : index
      %lower_row = arith.addi %first_row, %lower_y : index

      %depth = memref.dim %a, %c1 : !matrix
      %upper, %lower = scf.for %start = %c0 to %depth step %c16
          iter_args(%upper_sum = %zero, %lower_sum = %zero) -> (f32, f32) {
        // Every invocation copies two elements of each tile.
        %a_column = arith.addi %start, %x : index
        %upper_b_row = arith.addi %start, %upper_y : index
        %lower_b_row = arith.addi %start, %lower_y : index
        %upper_a = func.call @element(%a, %upper_row, %a_column) : (!matrix, index, index) -> f32
        %lower_a = func.call @element(%a, %lower_row, %a_column) : (!matrix, index, index) -> f32
        %upper_b = func.call @element(%b, %upper_b_row, %column) : (!matrix, index, index) -> f32
        %lower_b = func.call @element(%b, %lower_b_row, %column) : (!matrix, index, index) -> f32
        memref.store %upper_a, %a_tile[%upper_y, %x] : !tile
        memref.store %lower_a, %a_tile[%lower_y, %x] : !tile
        memref.store %upper_b, %b_tile[%upper_y, %x] : !tile
        memref.store %lower_b, %b_tile[%lower_y, %x] : !tile
        gpu.barrier

        %next:2 = scf.for %k = %c0 to %c16 step %c1
            iter_args(%u = %upper_sum, %l = %lower_sum) -> (f32, f32) {
          %au = memref.load %a_tile[%upper_y, %k] : !tile
          %al = memref.load %a_tile[%lower_y, %k] : !tile
          %bk = memref.load %b_tile[%k, %x] : !tile
          %next_u = math.fma %au, %bk, %u : f32
          %next_l = math.fma %al, %bk, %l : f32
          scf.yield %next_u, %next_l : f32, f32
        }
        gpu.barrier // before the next step overwrites the tiles
        scf.yield %next#0, %next#1 : f32, f32
      }

      func.call @write(%upper, %c, %upper_row, %column) : (f32, !matrix, index, index) -> ()
      func.call @write(%lower, %c, %lower_row, %column) : (f32, !matrix, index, index) -> ()
      gpu.return
    }
  }
}
