// An example of an error message: the program writes to a constant.
//   pumice run examples/run/constant.mlir -O 0
// (LLVM may remove such a store, and the rest of the program is then undefined.)
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

func.func @main() {
  %i = arith.constant 2 : index
  %x = arith.constant 1.0 : f32
  %t = memref.get_global @table : memref<4xf32>
  memref.store %x, %t[%i] : memref<4xf32>
  return
}
