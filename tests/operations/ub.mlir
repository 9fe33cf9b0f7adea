// op: ub.poison
// for $T: i1, i8, i32, i64, index, f16, bf16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %z = ub.poison : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: ub.unreachable
gpu.module @sample {
  gpu.func @kernel(%c: i1, %r: memref<4xf32>) kernel {
    cf.cond_br %c, ^never, ^end
  ^never:
    ub.unreachable
  ^end:
    gpu.return
  }
}
