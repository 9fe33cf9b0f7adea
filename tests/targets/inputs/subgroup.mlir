// Operations across the lanes of a subgroup.
gpu.module @kernels {
  gpu.func @subgroup(%x: memref<?xf32>, %y: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %v = memref.load %x[%i] : memref<?xf32>
    %n = memref.load %y[%i] : memref<?xi32>
    %sum = gpu.subgroup_reduce add %v uniform : (f32) -> f32
    %most = gpu.subgroup_reduce maxsi %n cluster(size = 4) : (i32) -> i32
    %other, %valid = gpu.shuffle xor %v, %c1, %c8 : f32
    %first = gpu.subgroup_broadcast %n, first_active_lane : i32
    %both = arith.addf %sum, %other : f32
    %total = arith.addi %most, %first : i32
    memref.store %both, %x[%i] : memref<?xf32>
    memref.store %total, %y[%i] : memref<?xi32>
    gpu.return
  }
}
