// op: vector.load
// for $V to $E: 1xf32 to f32, 2xf32 to f32, 3xf32 to f32, 4xf32 to f32, 8xf16 to f16, 4xbf16 to bf16
// for $V to $E: 16xi8 to i8, 4xi1 to i1, 2xi64 to i64, 4xf64 to f64, 5xi16 to i16, 4xindex to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x16x$E>, %r: memref<?x$E>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %a[%i, %i] : memref<?x16x$E>, vector<$V>
    vector.store %x, %r[%i] : memref<?x$E>, vector<$V>
    gpu.return
  }
}
// -----
// op: vector.$OP
// for $OP: load, store
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x16x4xf32>, %b: memref<?xvector<4xf32>>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %a[%i, %i, %i] : memref<?x16x4xf32>, vector<2x4xf32>
    vector.store %x, %a[%i, %i, %i] : memref<?x16x4xf32>, vector<2x4xf32>
    %y = vector.load %b[%i] : memref<?xvector<4xf32>>, vector<4xf32>
    vector.store %y, %b[%i] : memref<?xvector<4xf32>>, vector<4xf32>
    gpu.return
  }
}
// -----
// op: vector.store
// for $V to $E: 1xf32 to f32, 4xf32 to f32, 8xf16 to f16, 16xi8 to i8, 4xi1 to i1, 5xi16 to i16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$E>)
      workgroup(%shared: memref<16x8x$E, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %a[%i] : memref<?x$E>, vector<$V>
    vector.store %x, %shared[%i, %i]
      : memref<16x8x$E, #gpu.address_space<workgroup>>, vector<$V>
    %y = vector.load %shared[%i, %i]
      : memref<16x8x$E, #gpu.address_space<workgroup>>, vector<$V>
    vector.store %y, %a[%i] : memref<?x$E>, vector<$V>
    gpu.return
  }
}
// -----
// op: vector.bitcast
// for $A to $B: 4xf32 to 4xi32, 4xf32 to 8xf16, 8xi8 to 2xi32, 16xi8 to 2xi64, 2x4xi16 to 2x2xf32
// for $A to $B: 2xi64 to 4xf32, 8xbf16 to 16xi8, 3xf32 to 3xi32
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = vector.bitcast %x : vector<$A> to vector<$B>
    memref.store %y, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.broadcast
// for $A to $B: f32 to 4xf32, f32 to 2x8xf32, vector<4xf32> to 2x4xf32, vector<1xf32> to 4xf32, f16 to 8xf16
// for $A to $B: i1 to 4xi1, bf16 to 3xbf16, vector<2x1xf32> to 2x4xf32, i8 to 16xi8, i64 to 4xi64
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$A>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$A>
    %y = vector.broadcast %x : $A to vector<$B>
    memref.store %y, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.deinterleave
// for $A to $B: 4xf32 to 2xf32, 16xi8 to 8xi8, 2x8xf16 to 2x4xf16, 2xf32 to 1xf32
gpu.module @sample {
  gpu.func @kernel(%flag: i1, %a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %even, %odd = vector.deinterleave %x : vector<$A> -> vector<$B>
    %y = arith.select %flag, %even, %odd : vector<$B>
    memref.store %y, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.interleave
// for $A to $B: 4xf32 to 2xf32, 16xi8 to 8xi8, 2x8xf16 to 2x4xf16, 2xf32 to 1xf32
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %r[%i] : memref<?xvector<$B>>
    %y = memref.load %r[%j] : memref<?xvector<$B>>
    %z = vector.interleave %x, %y : vector<$B> -> vector<$A>
    memref.store %z, %a[%i] : memref<?xvector<$A>>
    gpu.return
  }
}
// -----
// op: vector.extract
// for $A to $P to $B: 4xf32 to 2 to f32, 8xf16 to 7 to f16, 2x4xf32 to 1 to vector<4xf32>
// for $A to $P to $B: 2x3x4xi32 to 1,2 to vector<4xi32>, 4xf32 to %j to f32, 16xi8 to %j to i8
// for $A to $P to $B: 2x4xf32 to %j,1 to f32, 4xi1 to 1 to i1, 4xbf16 to %j to bf16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?x$B>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = vector.extract %x[$P] : $B from vector<$A>
    memref.store %y, %r[%i] : memref<?x$B>
    gpu.return
  }
}
// -----
// op: vector.insert
// for $A to $P to $B: 4xf32 to 2 to f32, 8xf16 to 7 to f16, 2x4xf32 to 1 to vector<4xf32>
// for $A to $P to $B: 2x3x4xi32 to 1,2 to vector<4xi32>, 4xf32 to %j to f32, 16xi8 to %j to i8
// for $A to $P to $B: 2x4xf32 to %j,1 to f32, 4xi1 to 1 to i1, 4xbf16 to %j to bf16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?x$B>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = memref.load %r[%i] : memref<?x$B>
    %z = vector.insert %y, %x[$P] : $B into vector<$A>
    memref.store %z, %a[%i] : memref<?xvector<$A>>
    gpu.return
  }
}
// -----
// op: vector.extract_strided_slice
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8xf32>, %r: memref<?x8xf32>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %a[%i, %i] : memref<?x8xf32>, vector<4x8xf32>
    %y = vector.extract_strided_slice %x {offsets = [1, 2], sizes = [2, 4], strides = [1, 1]}
      : vector<4x8xf32> to vector<2x4xf32>
    vector.store %y, %r[%i, %i] : memref<?x8xf32>, vector<2x4xf32>
    gpu.return
  }
}
// -----
// op: vector.insert_strided_slice
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8xf32>, %r: memref<?x8xf32>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %a[%i, %i] : memref<?x8xf32>, vector<4x8xf32>
    %y = vector.load %r[%i, %i] : memref<?x8xf32>, vector<2x4xf32>
    %z = vector.insert_strided_slice %y, %x {offsets = [1, 2], strides = [1, 1]}
      : vector<2x4xf32> into vector<4x8xf32>
    vector.store %z, %r[%i, %i] : memref<?x8xf32>, vector<4x8xf32>
    gpu.return
  }
}
// -----
// op: vector.from_elements
gpu.module @sample {
  gpu.func @kernel(%x: f32, %y: f32, %r: memref<?x8xf32>) kernel {
    %i = gpu.thread_id x
    %v = vector.from_elements %x, %y, %y, %x, %x, %x : vector<2x3xf32>
    vector.store %v, %r[%i, %i] : memref<?x8xf32>, vector<2x3xf32>
    gpu.return
  }
}
// -----
// op: vector.to_elements
gpu.module @sample {
  gpu.func @kernel(%r: memref<?x8xf32>) kernel {
    %i = gpu.thread_id x
    %v = vector.load %r[%i, %i] : memref<?x8xf32>, vector<2x3xf32>
    %e:6 = vector.to_elements %v : vector<2x3xf32>
    memref.store %e#4, %r[%i, %i] : memref<?x8xf32>
    gpu.return
  }
}
// -----
// op: vector.shape_cast
// for $A to $B: 2x4xf32 to 8xf32, 8xf16 to 2x4xf16, 6xi32 to 2x3xi32, 1x4xf32 to 4xf32, 16xi8 to 2x2x4xi8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = vector.shape_cast %x : vector<$A> to vector<$B>
    memref.store %y, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.shuffle
// for $A to $P to $B: 4xf32 to 3,2,1,0 to 4xf32, 2xf16 to 0,3,1 to 3xf16, 8xi16 to 15,0,7,8,1 to 5xi16
// for $A to $P to $B: 4xf32 to 0,-1,5,2 to 4xf32, 2x3xf32 to 3,0 to 2x3xf32, 1xf32 to 1,0 to 2xf32
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = memref.load %a[%j] : memref<?xvector<$A>>
    %z = vector.shuffle %x, %y [$P] : vector<$A>, vector<$A>
    memref.store %z, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.transpose
// for $A to $P to $B: 2x4xf32 to 1,0 to 4x2xf32, 2x3x4xf16 to 2,0,1 to 4x2x3xf16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$A>>, %r: memref<?xvector<$B>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$A>>
    %y = vector.transpose %x, [$P] : vector<$A> to vector<$B>
    memref.store %y, %r[%i] : memref<?xvector<$B>>
    gpu.return
  }
}
// -----
// op: vector.constant_mask
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = vector.load %r[%i] : memref<?xf32>, vector<8xf32>
    %y = vector.load %r[%j] : memref<?xf32>, vector<8xf32>
    %m = vector.constant_mask [3] : vector<8xi1>
    %z = arith.select %m, %x, %y : vector<8xi1>, vector<8xf32>
    vector.store %z, %r[%i] : memref<?xf32>, vector<8xf32>
    gpu.return
  }
}
// -----
// op: vector.create_mask
gpu.module @sample {
  gpu.func @kernel(%n: index, %r: memref<?x8xf32>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %r[%i, %i] : memref<?x8xf32>, vector<2x8xf32>
    %y = vector.load %r[%n, %i] : memref<?x8xf32>, vector<2x8xf32>
    %m = vector.create_mask %n, %i : vector<2x8xi1>
    %z = arith.select %m, %x, %y : vector<2x8xi1>, vector<2x8xf32>
    vector.store %z, %r[%i, %i] : memref<?x8xf32>, vector<2x8xf32>
    gpu.return
  }
}
// -----
// op: vector.step
// for $N: 2, 4, 8
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %i = gpu.thread_id x
    %z = vector.step : vector<$Nxindex>
    vector.store %z, %r[%i] : memref<?xindex>, vector<$Nxindex>
    gpu.return
  }
}
// -----
// op: vector.contract
// for $A to $B to $C: f32 to f32 to f32, f16 to f16 to f32, i32 to i32 to i32, f64 to f64 to f64
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<2x4x$A>>, %b: memref<?xvector<4x3x$B>>,
                   %c: memref<?xvector<2x3x$C>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<2x4x$A>>
    %y = memref.load %b[%i] : memref<?xvector<4x3x$B>>
    %z = memref.load %c[%i] : memref<?xvector<2x3x$C>>
    %w = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                           affine_map<(m, n, k) -> (k, n)>,
                                           affine_map<(m, n, k) -> (m, n)>],
                          iterator_types = ["parallel", "parallel", "reduction"],
                          kind = #vector.kind<add>}
      %x, %y, %z : vector<2x4x$A>, vector<4x3x$B> into vector<2x3x$C>
    memref.store %w, %c[%i] : memref<?xvector<2x3x$C>>
    gpu.return
  }
}
// -----
// op: vector.contract
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<8xf32>>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<8xf32>>
    %z = memref.load %r[%i] : memref<?xf32>
    %w = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>,
                                           affine_map<(k) -> ()>],
                          iterator_types = ["reduction"]}
      %x, %x, %z : vector<8xf32>, vector<8xf32> into f32
    memref.store %w, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: vector.fma
// for $V: 2xf32, 4xf16, 8xf32, 2x4xf32, 4xbf16, 3xf64
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$V>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$V>>
    %y = vector.fma %x, %x, %x : vector<$V>
    memref.store %y, %a[%i] : memref<?xvector<$V>>
    gpu.return
  }
}
// -----
// op: vector.multi_reduction
// for $K to $E: add to f32, mul to f32, minimumf to f32, maximumf to f32, minnumf to f32, maxnumf to f32
// for $K to $E: add to i32, mul to i32, minsi to i32, maxsi to i32, minui to i32, maxui to i32, and to i32
// for $K to $E: or to i32, xor to i32, add to f16, add to i64, maxsi to i8, add to bf16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<2x4x$E>>, %r: memref<?xvector<4x$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<2x4x$E>>
    %y = memref.load %r[%i] : memref<?xvector<4x$E>>
    %z = vector.multi_reduction <$K>, %x, %y [0] : vector<2x4x$E> to vector<4x$E>
    memref.store %z, %r[%i] : memref<?xvector<4x$E>>
    gpu.return
  }
}
// -----
// op: vector.outerproduct
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<2x4xf32>>, %b: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %b[%i] : memref<?xf32>, vector<2xf32>
    %y = vector.load %b[%i] : memref<?xf32>, vector<4xf32>
    %z = memref.load %a[%i] : memref<?xvector<2x4xf32>>
    %p = vector.outerproduct %x, %y, %z {kind = #vector.kind<add>} : vector<2xf32>, vector<4xf32>
    %q = vector.outerproduct %x, %y, %p {kind = #vector.kind<maxnumf>} : vector<2xf32>, vector<4xf32>
    memref.store %q, %a[%i] : memref<?xvector<2x4xf32>>
    gpu.return
  }
}
// -----
// op: vector.reduction
// for $K to $E: add to f32, mul to f32, minimumf to f32, maximumf to f32, minnumf to f32, maxnumf to f32
// for $K to $E: add to i32, mul to i32, minsi to i32, maxsi to i32, minui to i32, maxui to i32, and to i32
// for $K to $E: or to i32, xor to i32, add to f16, add to i64, maxsi to i8, and to i1, add to bf16, add to index
// for $N: 1, 4, 16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<$Nx$E>>, %r: memref<?x$E>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<$Nx$E>>
    %y = memref.load %r[%i] : memref<?x$E>
    %p = vector.reduction <$K>, %x : vector<$Nx$E> into $E
    %q = vector.reduction <$K>, %x, %y : vector<$Nx$E> into $E
    memref.store %p, %r[%i] : memref<?x$E>
    memref.store %q, %r[%i] : memref<?x$E>
    gpu.return
  }
}
// -----
// op: vector.reduction
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<8xf32>>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<8xf32>>
    %p = vector.reduction <add>, %x fastmath<reassoc> : vector<8xf32> into f32
    memref.store %p, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: vector.scan
// for $K: add, mul, maxnumf
// for $I: true, false
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xvector<2x4xf32>>, %r: memref<?xvector<2xf32>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xvector<2x4xf32>>
    %y = memref.load %r[%i] : memref<?xvector<2xf32>>
    %p:2 = vector.scan <$K>, %x, %y {inclusive = $I, reduction_dim = 1 : i64}
      : vector<2x4xf32>, vector<2xf32>
    memref.store %p#0, %a[%i] : memref<?xvector<2x4xf32>>
    memref.store %p#1, %r[%i] : memref<?xvector<2xf32>>
    gpu.return
  }
}
