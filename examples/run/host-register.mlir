// Memory of the host, registered once and used by several launches.
//   pumice run examples/run/host-register.mlir --stats
gpu.module @kernels {
  gpu.func @increment(%m: memref<1024xi32>) kernel {
    %i = gpu.global_id x
    %c1 = arith.constant 1 : i32
    %x = memref.load %m[%i] : memref<1024xi32>
    %y = arith.addi %x, %c1 : i32
    memref.store %y, %m[%i] : memref<1024xi32>
    gpu.return
  }
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 1024 : index
  %m = memref.alloc() : memref<1024xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    memref.store %x, %m[%i] : memref<1024xi32>
  }
  %any = memref.cast %m : memref<1024xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  %start = gpu.wait async
  %done = scf.for %i = %c0 to %c16 step %c1 iter_args(%last = %start) -> !gpu.async.token {
    %next = gpu.launch_func async [%last] @kernels::@increment blocks in (%c16, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%m : memref<1024xi32>)
    scf.yield %next : !gpu.async.token
  }
  gpu.wait [%done]
  gpu.host_unregister %any : memref<*xi32>

  // Counts the elements with wrong values.
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%count = %zero) -> i32 {
    %x = memref.load %m[%i] : memref<1024xi32>
    %sum = arith.addi %i, %c16 : index
    %expected = arith.index_cast %sum : index to i32
    %differs = arith.cmpi ne, %x, %expected : i32
    %more = arith.addi %count, %one : i32
    %next = arith.select %differs, %more, %count : i32
    scf.yield %next : i32
  }
  memref.dealloc %m : memref<1024xi32>
  return %wrong : i32
}
