// Host code without kernels. The kernels come from other files, and are not declared here.
//   pumice run examples/run/host.mlir --kernels examples/run/device.mlir
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %a = arith.constant 3.0 : f32
  %x = gpu.alloc host_shared (%n) : memref<?xf32>
  %y = gpu.alloc host_shared (%n) : memref<?xf32>
  gpu.memset %x, %one : memref<?xf32>, f32
  gpu.memset %y, %one : memref<?xf32>, f32
  gpu.launch_func @kernels::@saxpy blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%x : memref<?xf32>, %y : memref<?xf32>, %a : f32)
  %any = memref.cast %y : memref<?xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  gpu.dealloc %x : memref<?xf32>
  gpu.dealloc %y : memref<?xf32>
  return
}
