// Workgroup memory whose size the launch chooses.
gpu.module @kernels {
  gpu.func @dynamic_memory(%x: memref<?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %w = memref.view %memory[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %w[%t] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %first = memref.load %w[%c0] : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %first, %x[%i] : memref<?xf32>
    gpu.return
  }
}
