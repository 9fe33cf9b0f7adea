// Host code and kernels in separate modules. Names of one module are unknown in another.
//   pumice run examples/run/modules.mlir
module @double {
  gpu.module @kernels { gpu.func @step(%m: memref<4xi32>) kernel {
    %i = gpu.global_id x
    %x = memref.load %m[%i] : memref<4xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %m[%i] : memref<4xi32>
    gpu.return
  } }
  func.func @run(%m: memref<4xi32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%m : memref<4xi32>)
    return
  }
}
module @fill {
  func.func private @value() -> i32 {
    %c = arith.constant 21 : i32
    return %c : i32
  }
  func.func @run(%m: memref<4xi32>) {
    %x = call @value() : () -> i32
    gpu.memset %m, %x : memref<4xi32>, i32
    return
  }
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %m = gpu.alloc host_shared () : memref<4xi32>
  call @"fill::run"(%m) : (memref<4xi32>) -> ()
  call @"double::run"(%m) : (memref<4xi32>) -> ()
  %any = memref.cast %m : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  gpu.dealloc %m : memref<4xi32>
  return
}
