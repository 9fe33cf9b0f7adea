// Each work-item adds the sum of its sub-group and the value of its neighbour.
gpu.module @kernels {
  gpu.func @sums(%x: memref<?xi32, 1>, %out: memref<?xi32, 1>) kernel attributes {intel_reqd_sub_group_size = 16 : i32} {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<?xi32, 1>
    %s = gpu.subgroup_reduce add %v uniform : (i32) -> i32
    %c1 = arith.constant 1 : i32
    %w = arith.constant 16 : i32
    %n, %ok = gpu.shuffle xor %v, %c1, %w : i32
    %r = arith.addi %s, %n : i32
    memref.store %r, %out[%i] : memref<?xi32, 1>
    gpu.return
  }
}
