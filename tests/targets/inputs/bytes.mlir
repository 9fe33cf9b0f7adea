// Arithmetic and memory accesses on i8 and i16.
gpu.module @kernels {
  gpu.func @bytes(%x: memref<?xi8>, %y: memref<?xi16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xi8>
    %b = memref.load %y[%i] : memref<?xi16>
    %wide = arith.extsi %a : i8 to i16
    %sum = arith.addi %wide, %b : i16
    %quotient = arith.divsi %sum, %b : i16
    %narrow = arith.trunci %quotient : i16 to i8
    %product = arith.muli %narrow, %a : i8
    %least = arith.minui %product, %a : i8
    memref.store %least, %x[%i] : memref<?xi8>
    memref.store %quotient, %y[%i] : memref<?xi16>
    gpu.return
  }
}
