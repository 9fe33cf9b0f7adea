// Work on the device that runs while the host continues. Each operation takes its dependencies'
// tokens, and returns one. The two halves run independently of each other, until @join needs both.
//   pumice run examples/run/async.mlir
gpu.module @kernels {
  gpu.func @iota(%m: memref<?xf32>, %first: f32) kernel {
    %i = gpu.global_id x
    %int = arith.index_cast %i : index to i32
    %x = arith.sitofp %int : i32 to f32
    %y = arith.addf %x, %first : f32
    memref.store %y, %m[%i] : memref<?xf32>
    gpu.return
  }
  gpu.func @scale(%m: memref<?xf32>, %by: f32) kernel {
    %i = gpu.global_id x
    %x = memref.load %m[%i] : memref<?xf32>
    %y = arith.mulf %x, %by : f32
    memref.store %y, %m[%i] : memref<?xf32>
    gpu.return
  }
  gpu.func @join(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %a[%i] : memref<?xf32>
    gpu.return
  }
}

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %hundred = arith.constant 100.0 : f32
  %two = arith.constant 2.0 : f32
  %host = memref.alloc(%n) : memref<?xf32>

  %s = gpu.wait async
  %a, %s0 = gpu.alloc async [%s] (%n) : memref<?xf32>
  %s1 = gpu.launch_func async [%s0] @kernels::@iota blocks in (%c3, %c1, %c1)
      threads in (%c2, %c1, %c1) args(%a : memref<?xf32>, %zero : f32)
  // A token goes through a loop like any other value.
  %s2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%last = %s1) -> !gpu.async.token {
    %next = gpu.launch_func async [%last] @kernels::@scale blocks in (%c3, %c1, %c1)
        threads in (%c2, %c1, %c1) args(%a : memref<?xf32>, %two : f32)
    scf.yield %next : !gpu.async.token
  }

  %t = gpu.wait async
  %b, %t0 = gpu.alloc async [%t] (%n) : memref<?xf32>
  %t1 = gpu.launch_func async [%t0] @kernels::@iota blocks in (%c3, %c1, %c1)
      threads in (%c2, %c1, %c1) args(%b : memref<?xf32>, %hundred : f32)

  %j = gpu.launch_func async [%s2, %t1] @kernels::@join blocks in (%c3, %c1, %c1)
      threads in (%c2, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>)
  %d = gpu.memcpy async [%j] %host, %a : memref<?xf32>, memref<?xf32>
  %e = gpu.dealloc async [%d] %a : memref<?xf32>
  %f = gpu.dealloc async [%j] %b : memref<?xf32>
  gpu.wait [%e, %f]

  %any = memref.cast %host : memref<?xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  memref.dealloc %host : memref<?xf32>
  return
}
