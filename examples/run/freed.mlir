// An example of an error message: the program uses memory after it was freed.
//   pumice run examples/run/freed.mlir
func.func @main() {
  %i = arith.constant 2 : index
  %x = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<8xf32>
  memref.dealloc %m : memref<8xf32>
  memref.store %x, %m[%i] : memref<8xf32>
  return
}
