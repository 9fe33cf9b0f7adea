// Workgroup memory that no code reads or writes takes no space, whatever its shape and type.
// RUN: pumice compile %s --target rdna3 --target vulkan1.1 --target apple-m1 --emit spirv-asm | FileCheck %s

// CHECK-COUNT-9: OpEntryPoint
// CHECK-NOT: Workgroup %
gpu.module @kernels {
  gpu.func @never_used(%o: memref<?xf32>)
      workgroup(%two: memref<4x16xf32, #gpu.address_space<workgroup>>,
                %none: memref<f32, #gpu.address_space<workgroup>>,
                %small: memref<4xf8E4M3FN, #gpu.address_space<workgroup>>,
                %brain: memref<4xbf16, #gpu.address_space<workgroup>>,
                %wide: memref<4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }

  // The kernel makes a view of the memory, and loads a value that is not used.
  gpu.func @seen(%o: memref<?xf32>) workgroup(%w: memref<4x16xf64, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %row = memref.subview %w[1, 0] [1, 16] [1, 1]
      : memref<4x16xf64, #gpu.address_space<workgroup>>
        to memref<16xf64, strided<[1], offset: 16>, #gpu.address_space<workgroup>>
    %value = memref.load %row[%c0]
      : memref<16xf64, strided<[1], offset: 16>, #gpu.address_space<workgroup>>
    gpu.return
  }

  memref.global "private" @named : memref<2x3xbf16, #gpu.address_space<workgroup>>
  gpu.func @names() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %m = memref.get_global @named : memref<2x3xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}
