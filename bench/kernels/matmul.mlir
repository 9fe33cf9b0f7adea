// c = a * b for square f32 matrices of n × n, by tiles of 16 × 16 in workgroup memory. n is a
// multiple of 16.
!matrix = memref<?xf32>
!tile = memref<256xf32, #gpu.address_space<workgroup>>
gpu.module @matmul {
  gpu.func @matmul(%n: i32, %a: !matrix, %b: !matrix, %c: !matrix)
      workgroup(%as: !tile, %bs: !tile) kernel
      attributes {known_block_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %size = arith.index_cast %n : i32 to index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %row0 = arith.muli %by, %c16 : index
    %row = arith.addi %row0, %ty : index
    %column0 = arith.muli %bx, %c16 : index
    %column = arith.addi %column0, %tx : index
    %start = arith.muli %row, %size : index
    %local0 = arith.muli %ty, %c16 : index
    %local = arith.addi %local0, %tx : index
    %sum = scf.for %tile = %c0 to %size step %c16 iter_args(%old = %zero) -> (f32) {
      // Each invocation copies one element of each tile.
      %ak = arith.addi %tile, %tx : index
      %ai = arith.addi %start, %ak : index
      %ae = memref.load %a[%ai] : !matrix
      memref.store %ae, %as[%local] : !tile
      %bk = arith.addi %tile, %ty : index
      %bi0 = arith.muli %bk, %size : index
      %bi = arith.addi %bi0, %column : index
      %be = memref.load %b[%bi] : !matrix
      memref.store %be, %bs[%local] : !tile
      gpu.barrier
      %part = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %old) -> (f32) {
        %li = arith.addi %local0, %k : index
        %l = memref.load %as[%li] : !tile
        %ri0 = arith.muli %k, %c16 : index
        %ri = arith.addi %ri0, %tx : index
        %r = memref.load %bs[%ri] : !tile
        %product = arith.mulf %l, %r : f32
        %next = arith.addf %acc, %product : f32
        scf.yield %next : f32
      }
      gpu.barrier
      scf.yield %part : f32
    }
    %ci = arith.addi %start, %column : index
    memref.store %sum, %c[%ci] : !matrix
    gpu.return
  }
}
