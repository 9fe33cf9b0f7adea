// op: vector.maskedload
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %y = vector.maskedload %a[%i, %i], %m, %x : memref<?x8x$E>, vector<$Nxi1>, vector<$Nx$E> into vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.maskedstore
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.maskedstore %a[%i, %i], %m, %x : memref<?x8x$E>, vector<$Nxi1>, vector<$Nx$E>
    gpu.return
  }
}
// -----
// op: vector.expandload
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %y = vector.expandload %a[%i, %i], %m, %x : memref<?x8x$E>, vector<$Nxi1>, vector<$Nx$E> into vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.compressstore
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.compressstore %a[%i, %i], %m, %x : memref<?x8x$E>, vector<$Nxi1>, vector<$Nx$E>
    gpu.return
  }
}
// -----
// op: vector.gather
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>,
                   %t: memref<?xvector<$Nxi32>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %k = memref.load %t[%i] : memref<?xvector<$Nxi32>>
    %y = vector.gather %a[%i, %i] [%k], %m, %x : memref<?x8x$E>, vector<$Nxi32>, vector<$Nxi1>, vector<$Nx$E> into vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.scatter
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>,
                   %t: memref<?xvector<$Nxi32>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %k = memref.load %t[%i] : memref<?xvector<$Nxi32>>
    vector.scatter %a[%i, %i] [%k], %m, %x : memref<?x8x$E>, vector<$Nxi32>, vector<$Nxi1>, vector<$Nx$E>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = ub.poison : $E
    %y = vector.transfer_read %a[%i, %i], %p : memref<?x8x$E>, vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_write
// for $N to $E: 4 to f32, 8 to f16, 16 to i8, 1 to f32, 3 to i64, 4 to i1, 4 to bf16, 4 to index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.transfer_write %x, %a[%i, %i] : vector<$Nx$E>, memref<?x8x$E>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %y = vector.transfer_read %a[%i, %i], %p, %m {in_bounds = [false]} : memref<?x8x$E>, vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %y = vector.transfer_read %a[%i, %i], %p {in_bounds = [true]} : memref<?x8x$E>, vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %t = vector.transfer_read %a[%i, %i], %p
      {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x8x$E>, vector<2x$Nx$E>
    %y = vector.extract %t[1] : vector<$Nx$E> from vector<2x$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %y = vector.transfer_read %a[%i, %i], %p
      {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<?x8x$E>, vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_read
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %y = vector.transfer_read %a[%i, %i], %p
      {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x8x$E>, vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.transfer_write
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.transfer_write %x, %a[%i, %i], %m {in_bounds = [false]} : vector<$Nx$E>, memref<?x8x$E>
    gpu.return
  }
}
// -----
// op: vector.transfer_write
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.transfer_write %x, %a[%i, %i] {in_bounds = [true]} : vector<$Nx$E>, memref<?x8x$E>
    gpu.return
  }
}
// -----
// op: vector.transfer_write
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %t = vector.broadcast %x : vector<$Nx$E> to vector<2x$Nx$E>
    vector.transfer_write %t, %a[%i, %i]
      {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<2x$Nx$E>, memref<?x8x$E>
    gpu.return
  }
}
// -----
// op: vector.mask
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %p = memref.load %a[%n, %n] : memref<?x8x$E>
    %y = vector.mask %m, %x { vector.transfer_read %a[%i, %i], %p : memref<?x8x$E>, vector<$Nx$E> } : vector<$Nxi1> -> vector<$Nx$E>
    memref.store %y, %r[%i] : memref<?xvector<$Nx$E>>
    gpu.return
  }
}
// -----
// op: vector.mask
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    vector.mask %m { vector.transfer_write %x, %a[%i, %i] : vector<$Nx$E>, memref<?x8x$E> } : vector<$Nxi1>
    gpu.return
  }
}
// -----
// op: vector.mask
// for $N to $E: 4 to f32, 8 to f16, 3 to i8
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x8x$E>, %n: index, %r: memref<?xvector<$Nx$E>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %r[%i] : memref<?xvector<$Nx$E>>
    %m = vector.create_mask %n : vector<$Nxi1>
    %s = vector.mask %m { vector.reduction <add>, %x : vector<$Nx$E> into $E } : vector<$Nxi1> -> $E
    memref.store %s, %a[%i, %i] : memref<?x8x$E>
    gpu.return
  }
}
// -----
// op: vector.print
gpu.module @sample {
  gpu.func @kernel(%x: vector<4xf32>) kernel {
    vector.print %x : vector<4xf32>
    gpu.return
  }
}
// -----
// op: vector.vscale
gpu.module @sample {
  gpu.func @kernel() kernel {
    %n = vector.vscale
    gpu.return
  }
}
// -----
// op: vector.scalable.extract
gpu.module @sample {
  gpu.func @kernel(%x: vector<[4]xf32>) kernel {
    %y = vector.scalable.extract %x[0] : vector<4xf32> from vector<[4]xf32>
    gpu.return
  }
}
// -----
// op: vector.scalable.insert
gpu.module @sample {
  gpu.func @kernel(%x: vector<[4]xf32>, %y: vector<4xf32>) kernel {
    %z = vector.scalable.insert %y, %x[0] : vector<4xf32> into vector<[4]xf32>
    gpu.return
  }
}
// -----
// op: vector.type_cast
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x4xf32>) kernel {
    %b = vector.type_cast %a : memref<4x4xf32> to memref<vector<4x4xf32>>
    %x = memref.load %b[] : memref<vector<4x4xf32>>
    %y = arith.addf %x, %x : vector<4x4xf32>
    memref.store %y, %b[] : memref<vector<4x4xf32>>
    gpu.return
  }
}
