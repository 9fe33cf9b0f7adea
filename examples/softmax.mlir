// Softmax over the rows of a matrix: y[r, c] = exp(x[r, c] - max(x[r])) / the row's sum of these.
//
// A workgroup of 128 invocations handles one row of any length. Invocation i takes the columns i,
// i + 128, i + 256, …. The whole workgroup reduces the row's maximum and its sum (all_reduce).
//
//   pumice compile examples/softmax.mlir -o softmax.pumice --target rdna3 --target h200
module attributes {gpu.container_module} {
  gpu.module @softmax {
    gpu.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %lowest = arith.constant 0xFF800000 : f32 // minus infinity
      %row = gpu.block_id x
      %first = gpu.thread_id x
      %step = gpu.block_dim x
      %columns = memref.dim %x, %c1 : memref<?x?xf32>

      // The largest element of the row, so that no exponential overflows.
      %own_max = scf.for %c = %first to %columns step %step iter_args(%m = %lowest) -> (f32) {
        %e = memref.load %x[%row, %c] : memref<?x?xf32>
        %larger = arith.maximumf %m, %e : f32
        scf.yield %larger : f32
      }
      %max = gpu.all_reduce maximumf %own_max uniform {} : (f32) -> (f32)

      // The sum of the exponentials.
      %own_sum = scf.for %c = %first to %columns step %step iter_args(%s = %zero) -> (f32) {
        %e = memref.load %x[%row, %c] : memref<?x?xf32>
        %shifted = arith.subf %e, %max : f32
        %exp = math.exp %shifted : f32
        %next = arith.addf %s, %exp : f32
        scf.yield %next : f32
      }
      %sum = gpu.all_reduce add %own_sum uniform {} : (f32) -> (f32)

      scf.for %c = %first to %columns step %step {
        %e = memref.load %x[%row, %c] : memref<?x?xf32>
        %shifted = arith.subf %e, %max : f32
        %exp = math.exp %shifted : f32
        %share = arith.divf %exp, %sum : f32
        memref.store %share, %y[%row, %c] : memref<?x?xf32>
      }
      gpu.return
    }
  }
}
