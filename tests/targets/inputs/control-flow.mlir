// Loops, branches and switches, structured or not.
gpu.module @kernels {
  gpu.func @control_flow(%x: memref<?xi32>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %next = arith.addi %s, %v : i32
      scf.yield %next : i32
    }
    %halved = scf.while (%v = %sum) : (i32) -> i32 {
      %more = arith.cmpi sgt, %v, %one : i32
      scf.condition(%more) %v : i32
    } do {
    ^bb0(%v: i32):
      %half = arith.shrsi %v, %one : i32
      scf.yield %half : i32
    }
    %chosen = scf.index_switch %n -> i32
    case 1 { scf.yield %halved : i32 }
    case 4 { scf.yield %sum : i32 }
    default { scf.yield %zero : i32 }
    cf.br ^loop(%chosen : i32)
  ^loop(%v: i32):
    %done = arith.cmpi sgt, %v, %sum : i32
    cf.cond_br %done, ^end, ^more
  ^more:
    %next = arith.addi %v, %one : i32
    %odd = arith.trunci %next : i32 to i1
    cf.cond_br %odd, ^loop(%next : i32), ^end
  ^end:
    memref.store %v, %x[%i] : memref<?xi32>
    gpu.return
  }
}
