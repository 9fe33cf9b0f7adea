// Arithmetic on i32 and i1.
gpu.module @kernels {
  gpu.func @integers(%x: memref<?xi32>, %y: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c3 = arith.constant 3 : i32
    %a = memref.load %x[%i] : memref<?xi32>
    %b = memref.load %y[%i] : memref<?xi32>
    %sum, %carry = arith.addui_extended %a, %b : i32, i1
    %low, %high = arith.mulsi_extended %a, %b : i32
    %quotient = arith.ceildivsi %a, %c3 : i32
    %rest = arith.remsi %b, %c3 : i32
    %shifted = arith.shrsi %low, %c3 : i32
    %least = arith.minsi %quotient, %rest : i32
    %most = arith.maxui %shifted, %high : i32
    %less = arith.cmpi slt, %least, %most : i32
    %both = arith.xori %less, %carry : i1
    %chosen = arith.select %both, %sum, %most : i32
    memref.store %chosen, %x[%i] : memref<?xi32>
    gpu.return
  }
}
