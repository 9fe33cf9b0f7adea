// Passes a view of a matrix to a kernel. The extents, strides and offset are passed with it,
// and no element is moved.
//   pumice run examples/run/strided.mlir
!matrix = memref<?x?xf32>
!view = memref<?x?xf32, strided<[?, ?], offset: ?>>

gpu.module @kernels {
  // Negates every element of the view, however many there are.
  gpu.func @negate(%m: !view) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %row = gpu.block_id x
    %column = gpu.thread_id x
    %rows = memref.dim %m, %c0 : !view
    %columns = memref.dim %m, %c1 : !view
    %inRows = arith.cmpi ult, %row, %rows : index
    %inColumns = arith.cmpi ult, %column, %columns : index
    %in = arith.andi %inRows, %inColumns : i1
    scf.if %in {
      %x = memref.load %m[%row, %column] : !view
      %y = arith.negf %x : f32
      memref.store %y, %m[%row, %column] : !view
    }
    gpu.return
  }
}

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %m = memref.alloc(%c4, %c6) : !matrix
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %at = arith.muli %i, %c6 : index
      %k = arith.addi %at, %j : index
      %int = arith.index_cast %k : index to i32
      %x = arith.sitofp %int : i32 to f32
      memref.store %x, %m[%i, %j] : !matrix
    }
  }
  // Rows 1 and 3, columns 1, 3 and 5.
  %odd = memref.subview %m[1, 1] [2, 3] [2, 2]
      : !matrix to memref<2x3xf32, strided<[?, 2], offset: ?>>
  %view = memref.cast %odd : memref<2x3xf32, strided<[?, 2], offset: ?>> to !view
  gpu.launch_func @kernels::@negate blocks in (%c4, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%view : !view)
  %any = memref.cast %m : !matrix to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  memref.dealloc %m : !matrix
  return
}
