// RUN: pumice-opt %s --pumice-lower-vectors --split-input-file --verify-diagnostics

gpu.module @print {
  gpu.func @k(%x: f32) kernel {
    // expected-error @+1 {{'vector.print' has no meaning in a kernel: print the elements with gpu.printf}}
    vector.print %x : f32
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

gpu.module @vscale {
  gpu.func @k() kernel {
    // expected-error @+1 {{'vector.vscale' has no meaning in a kernel: the length of a vector must be known: use a fixed length}}
    %v = vector.vscale
    gpu.return
  }
}

// -----

gpu.module @tensor {
  gpu.func @k(%t: tensor<8xf32>, %i: index, %pad: f32) kernel {
    // expected-error @+1 {{'vector.transfer_read' works on a 'tensor<8xf32>', which a kernel cannot hold: bufferize it to a memref}}
    %v = vector.transfer_read %t[%i], %pad : tensor<8xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @rows {
  gpu.func @k(%m: memref<?x?xf32>, %i: index) kernel {
    %mask = vector.create_mask %i, %i : vector<2x2xi1>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    // expected-error @+1 {{'vector.expandload' of a 'vector<2x2xf32>': the position of a second row is not defined; use one row at a time}}
    %v = vector.expandload %m[%i, %i], %mask, %zero : memref<?x?xf32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @type_cast {
  gpu.func @k(%m: memref<4xf32>) kernel {
    %a = vector.type_cast %m : memref<4xf32> to memref<vector<4xf32>>
    // expected-error @+1 {{'memref.cast' uses a 'vector.type_cast': only loads, stores and transfers may}}
    %b = memref.cast %a : memref<vector<4xf32>> to memref<vector<4xf32>, strided<[], offset: ?>>
    gpu.return
  }
}

// -----

gpu.module @index {
  gpu.func @k(%m: memref<4xindex>, %i: index) kernel {
    %v = vector.load %m[%i] : memref<4xindex>, vector<4xindex>
    %mask = vector.create_mask %i : vector<4xi1>
    // expected-error @+1 {{'vector.reduction' of masked indices: the least and greatest index are not known yet, cast them to i32 or i64 first}}
    %s = vector.mask %mask { vector.reduction <maxsi>, %v : vector<4xindex> into index } : vector<4xi1> -> index
    gpu.return
  }
}

// -----

gpu.module @passthru {
  gpu.func @k(%m: memref<8x8xf32>, %i: index, %pad: f32, %n: memref<8x8xf32>) kernel {
    %mask = vector.create_mask %i, %i : vector<2x3xi1>
    %p = vector.load %n[%i, %i] : memref<8x8xf32>, vector<3x2xf32>
    // expected-error @+1 {{'vector.mask' with a passthru of 'vector<3x2xf32>' whose elements are not those of the mask: select the elements with arith.select instead}}
    %v = vector.mask %mask, %p { vector.transfer_read %m[%i, %i], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x8xf32>, vector<3x2xf32> } : vector<2x3xi1> -> vector<3x2xf32>
    gpu.return
  }
}
