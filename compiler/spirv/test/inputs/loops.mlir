// Loops that carry the results of selections. The serializer must give these results ids early
// enough.
gpu.module @m {
  gpu.func @phi(%x: memref<?xf32>, %v: memref<?xvector<4xf32>>, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %v0 = memref.load %v[%c0] : memref<?xvector<4xf32>>
    %ni = arith.index_cast %n : i32 to index
    %r:2 = scf.for %k = %c0 to %ni step %c1 iter_args(%a = %z, %w = %v0) -> (f32, vector<4xf32>) {
      %e = memref.load %x[%k] : memref<?xf32>
      %p = arith.cmpf ogt, %e, %z : f32
      %b:2 = scf.if %p -> (f32, vector<4xf32>) {
        %s = arith.addf %a, %e : f32
        %ww = arith.addf %w, %w : vector<4xf32>
        scf.yield %s, %ww : f32, vector<4xf32>
      } else {
        scf.yield %a, %w : f32, vector<4xf32>
      }
      scf.yield %b#0, %b#1 : f32, vector<4xf32>
    }
    memref.store %r#0, %x[%i] : memref<?xf32>
    memref.store %r#1, %v[%i] : memref<?xvector<4xf32>>
    gpu.return
  }
}
