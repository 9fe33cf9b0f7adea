// op: gpu.$OP
// for $OP: thread_id, block_id, global_id, grid_dim, block_dim
// for $D: x, y, z
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %i = gpu.$OP $D
    memref.store %i, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.$OP
// for $OP: thread_id, block_id, global_id, grid_dim, block_dim
// for $D: x, y, z
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel attributes {known_block_size = array<i32: 8, 4, 2>,
                                             known_grid_size = array<i32: 3, 2, 1>} {
    %i = gpu.$OP $D
    memref.store %i, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.lane_id
// for $U: , upper_bound 128
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %i = gpu.lane_id $U
    memref.store %i, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.$OP
// for $OP: subgroup_id, num_subgroups, subgroup_size
// for $U: , upper_bound 128
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %i = gpu.$OP $U : index
    memref.store %i, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.barrier
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %i = gpu.thread_id x
    gpu.barrier
    memref.store %i, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.all_reduce
// for $K to $T: add to f32, mul to f32, minnumf to f32, maxnumf to f32, minimumf to f32, maximumf to f32
// for $K to $T: add to f16, mul to bf16, minnumf to f16, maximumf to bf16, add to f64, maxnumf to f64
// for $K to $T: add to i32, mul to i32, minui to i32, minsi to i32, maxui to i32, maxsi to i32
// for $K to $T: and to i32, or to i32, xor to i32, add to i1, mul to i1, and to i1, or to i1, xor to i1
// for $K to $T: minui to i1, maxsi to i1, add to i8, minsi to i8, maxui to i16, xor to i16
// for $K to $T: add to i64, mul to i64, minui to i64, maxsi to i64, and to i64
// for $U: , uniform
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$T>
    %y = gpu.all_reduce $K %x $U {} : ($T) -> $T
    memref.store %y, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.all_reduce
// for $T: i8, i32, i64, f16, f32, f64, bf16
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>) kernel attributes {known_block_size = array<i32: 64, 2, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$T>
    %y = gpu.all_reduce %x uniform {
    ^bb0(%p: $T, %q: $T):
      %c = arith.constant true
      %s = arith.select %c, %p, %q : $T
      gpu.yield %s : $T
    } : ($T) -> $T
    memref.store %y, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_reduce
// for $K to $T: add to f32, mul to f32, minnumf to f32, maxnumf to f32, minimumf to f32, maximumf to f32
// for $K to $T: add to f16, mul to bf16, minnumf to f16, maximumf to bf16, add to f64, maxnumf to f64
// for $K to $T: add to i32, mul to i32, minui to i32, minsi to i32, maxui to i32, maxsi to i32
// for $K to $T: and to i32, or to i32, xor to i32, add to i1, mul to i1, and to i1, or to i1, xor to i1
// for $K to $T: minui to i1, maxsi to i1, add to i8, minsi to i8, maxui to i16, xor to i16
// for $K to $T: add to i64, mul to i64, minui to i64, maxsi to i64, and to i64
// for $K to $T: add to vector<2xf32>, maxnumf to vector<4xf16>, add to vector<8xi32>, xor to vector<4xi8>
// for $C: , uniform, cluster(size = 4), cluster(size = 2,stride = 4)
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$T>
    %y = gpu.subgroup_reduce $K %x $C : ($T) -> $T
    memref.store %y, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.shuffle
// for $M: xor, up, down, idx
// for $T: i8, i16, i32, i64, f16, bf16, f32, f64, vector<4xf32>, vector<8xf16>, vector<2xi64>, i1
// for $W: 8, 4
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>, %o: i32) kernel {
    %i = gpu.thread_id x
    %w = arith.constant $W : i32
    %x = memref.load %a[%i] : memref<?x$T>
    %y, %valid = gpu.shuffle $M %x, %o, %w : $T
    scf.if %valid {
      memref.store %y, %a[%i] : memref<?x$T>
    }
    gpu.return
  }
}
// -----
// op: gpu.shuffle
// for $M: xor, up, down, idx
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %o: i32, %w: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xf32>
    %y, %valid = gpu.shuffle $M %x, %o, %w : f32
    memref.store %y, %a[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.rotate
// for $T: i1, i8, i16, i32, i64, f16, bf16, f32, f64, vector<4xf32>, vector<8xf16>, vector<2xi64>
// for $W: 8, 4
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$T>
    %y, %valid = gpu.rotate %x, 3, $W : $T
    memref.store %y, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_broadcast
// for $T: i1, i8, i16, i32, i64, f16, bf16, f32, f64, vector<4xf32>, vector<8xf16>, vector<2xi64>, index
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?x$T>
    %y = gpu.subgroup_broadcast %x, specific_lane %l : $T
    %z = gpu.subgroup_broadcast %y, first_active_lane : $T
    memref.store %z, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.dynamic_shared_memory
// for $T: f32, i8, f16, i64, vector<4xf32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>) kernel {
    %i = gpu.thread_id x
    %zero = arith.constant 0 : index
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %v = memref.view %d[%zero][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<16x$T, #gpu.address_space<workgroup>>
    %x = memref.load %a[%i] : memref<?x$T>
    memref.store %x, %v[%i] : memref<16x$T, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %v[%zero] : memref<16x$T, #gpu.address_space<workgroup>>
    memref.store %y, %a[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: gpu.printf
// for $F to $T: %d to i32, %f to f32, %lld to i64, %g to f64, %zu to index, %hhd to i8, %e to f16, %f to bf16
// for $F to $T: %x to i1
gpu.module @sample {
  gpu.func @kernel(%x: $T) kernel {
    %i = gpu.thread_id x
    gpu.printf "lane %zu has $F\n", %i, %x : index, $T
    gpu.return
  }
}
