// RUN: pumice-opt %s --pumice-split-vectors --split-input-file --verify-diagnostics

gpu.module @wide_argument {
  // expected-error @+1 {{'gpu.func' holds a 'vector<8xf32>', which a shader cannot hold and this pass cannot split: use scalars, or vectors of 2 to 4 elements}}
  gpu.func @k(%v: vector<8xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @scalable {
  gpu.func @k(%m: memref<?xf32>, %i: index) kernel {
    // expected-error @+1 {{'vector.load' holds a 'vector<[4]xf32>', and the length of a vector must be known: use a fixed length}}
    %v = vector.load %m[%i] : memref<?xf32>, vector<[4]xf32>
    gpu.return
  }
}

// -----

gpu.module @not_lowered {
  gpu.func @k(%m: memref<?xf32>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
    // expected-error @+1 {{'vector.reduction' is not elementary: run pumice-lower-vectors first}}
    %r = vector.reduction <add>, %v : vector<4xf32> into f32
    gpu.return
  }
}

// -----

gpu.module @unknown {
  gpu.func @k(%m: memref<8xvector<8xf32>>, %i: index) kernel {
    // expected-error @+1 {{'memref.load' holds a 'vector<8xf32>', which a shader cannot hold}}
    %v = memref.load %m[%i] : memref<8xvector<8xf32>>
    gpu.return
  }
}
