// LLVM's backend keeps state between modules of one process, so each module is made in a process of its own.
// RUN: rm -rf %t && mkdir %t
// RUN: pumice compile %s --target intel-cpu --via llvm --emit spirv -o %t/{kernel}.spv
// RUN: spirv-val --target-env spv1.4 %t/first.spv
// RUN: spirv-val --target-env spv1.4 %t/second.spv

gpu.module @m {
  gpu.func @first(%x: memref<?xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %w = arith.addi %v, %v : i32
      memref.store %w, %x[%i] : memref<?xi32>
    }
    gpu.return
  }
  gpu.func @second(%x: memref<?xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> i32 {
      %v = memref.load %x[%i] : memref<?xi32>
      %odd = arith.trunci %v : i32 to i1
      %w = scf.if %odd -> i32 {
        %u = memref.load %x[%c1] : memref<?xi32>
        scf.yield %u : i32
      } else {
        scf.yield %v : i32
      }
      %b = arith.addi %a, %w : i32
      scf.yield %b : i32
    }
    memref.store %sum, %x[%c0] : memref<?xi32>
    gpu.return
  }
}
