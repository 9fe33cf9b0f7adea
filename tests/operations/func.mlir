// op: func.call
gpu.module @sample {
  func.func private @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  gpu.func @kernel(%x: f32, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %y = func.call @twice(%x) : (f32) -> f32
    %z = func.call @twice(%y) : (f32) -> f32
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: func.call
gpu.module @sample {
  func.func private @write(%x: f32, %r: memref<?xf32, strided<[?]>>, %i: index) {
    memref.store %x, %r[%i] : memref<?xf32, strided<[?]>>
    return
  }
  gpu.func @kernel(%x: f32, %r: memref<?xf32, strided<[?]>>) kernel {
    %i = gpu.thread_id x
    func.call @write(%x, %r, %i) : (f32, memref<?xf32, strided<[?]>>, index) -> ()
    gpu.return
  }
}
// -----
// op: func.call_indirect
gpu.module @sample {
  gpu.func @kernel(%x: f32, %r: memref<4xf32>) kernel {
    %f = ub.poison : (f32) -> f32
    %i = gpu.thread_id x
    %z = func.call_indirect %f(%x) : (f32) -> f32
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: func.constant
gpu.module @sample {
  func.func private @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  gpu.func @kernel(%x: f32, %r: memref<4xf32>) kernel {
    %f = func.constant @twice : (f32) -> f32
    gpu.return
  }
}
