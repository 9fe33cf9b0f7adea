// Host code and its kernel in one file: the body of gpu.launch runs on the device.
//   pumice run examples/run/vector-add.mlir
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  // Host memory, which the device uses in place if it can.
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %int = arith.index_cast %i : index to i32
    %x = arith.sitofp %int : i32 to f32
    memref.store %x, %a[%i] : memref<?xf32>
    memref.store %two, %b[%i] : memref<?xf32>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %x = memref.load %a[%tx] : memref<?xf32>
    %y = memref.load %b[%tx] : memref<?xf32>
    %sum = arith.addf %x, %y : f32
    memref.store %sum, %b[%tx] : memref<?xf32>
    gpu.terminator
  }
  %any = memref.cast %b : memref<?xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}
