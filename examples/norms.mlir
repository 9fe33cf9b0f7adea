// The length of every row of a matrix with two columns, in half precision, with a lower bound.
// One invocation computes one row. docs/overview.md follows this kernel through the compiler.
gpu.module @rows {
  func.func @square(%v: vector<2xf32>) -> vector<2xf32> {
    %r = arith.mulf %v, %v : vector<2xf32>
    return %r : vector<2xf32>
  }

  gpu.func @norms(%x: memref<?x2xf16>, %bound: f32, %norms: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %row = gpu.global_id x
    %half = vector.load %x[%row, %c0] : memref<?x2xf16>, vector<2xf16>
    %full = arith.extf %half : vector<2xf16> to vector<2xf32>
    %squares = func.call @square(%full) : (vector<2xf32>) -> vector<2xf32>
    %sum = vector.reduction <add>, %squares : vector<2xf32> into f32
    %norm = math.sqrt %sum : f32
    %bounded = arith.maximumf %norm, %bound : f32
    memref.store %bounded, %norms[%row] : memref<?xf32>
    gpu.return
  }
}
