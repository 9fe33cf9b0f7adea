// Views of buffers: subviews, reinterpretations, shapes.
gpu.module @kernels {
  gpu.func @views(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    %part = memref.subview %x[%i, %n] [1, %columns] [1, 2] : memref<?x?xf32> to memref<?xf32, strided<[2], offset: ?>>
    %v = memref.load %part[%n] : memref<?xf32, strided<[2], offset: ?>>
    %square = memref.reinterpret_cast %y to offset: [%n], sizes: [4, 4], strides: [4, 1] : memref<?xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
    %flat = memref.collapse_shape %square [[0, 1]] : memref<4x4xf32, strided<[4, 1], offset: ?>> into memref<16xf32, strided<[1], offset: ?>>
    memref.store %v, %flat[%c1] : memref<16xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
