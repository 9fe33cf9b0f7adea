// Two modules, each with a kernel @step and a function @f. Names of one module are unknown in the
// other. The exit status is the result of main.
//   pumice run examples/run/same-names.mlir
gpu.module @plus {
  func.func @f(%x: i32) -> i32 {
    %c = arith.constant 100 : i32
    %r = arith.addi %x, %c : i32
    return %r : i32
  }
  gpu.func @step(%m: memref<?xi32>) kernel {
    %i = gpu.global_id x
    %x = memref.load %m[%i] : memref<?xi32>
    %y = func.call @f(%x) : (i32) -> i32
    memref.store %y, %m[%i] : memref<?xi32>
    gpu.return
  }
}
gpu.module @times {
  func.func @f(%x: i32) -> i32 {
    %c = arith.constant 3 : i32
    %r = arith.muli %x, %c : i32
    return %r : i32
  }
  gpu.func @step(%m: memref<?xi32>) kernel {
    %i = gpu.global_id x
    %x = memref.load %m[%i] : memref<?xi32>
    %y = func.call @f(%x) : (i32) -> i32
    memref.store %y, %m[%i] : memref<?xi32>
    gpu.return
  }
}

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @f() -> i32 {
  %c = arith.constant 7 : i32
  return %c : i32
}

func.func @main() -> i32 {
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %seven = call @f() : () -> i32
  %m = gpu.alloc (%n) : memref<?xi32>
  gpu.memset %m, %seven : memref<?xi32>, i32
  gpu.launch_func @plus::@step blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%m : memref<?xi32>)
  gpu.launch_func @times::@step blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%m : memref<?xi32>)
  %h = memref.alloc(%n) : memref<?xi32>
  gpu.memcpy %h, %m : memref<?xi32>, memref<?xi32>
  %any = memref.cast %h : memref<?xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  gpu.dealloc %m : memref<?xi32>
  memref.dealloc %h : memref<?xi32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
