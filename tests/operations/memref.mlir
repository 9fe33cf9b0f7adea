// op: memref.load
// for $T: i1, i4, i8, i16, i24, i32, i64, index, bf16, f16, f32, f64, f8E4M3FN, vector<2xf16>
// for $T: vector<3xf32>, vector<4xi32>, vector<8xi16>, vector<5xi8>, vector<2x2xf32>, vector<2x3xf16>, vector<1x2x2xi32>, vector<f32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%j, %i] : memref<?x4x$T>
    memref.store %x, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: memref.load
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x?xf32, strided<[?, 2], offset: ?>>, %s: memref<f32>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%j, %i] : memref<?x?xf32, strided<[?, 2], offset: ?>>
    memref.store %x, %s[] : memref<f32>
    gpu.return
  }
}
// -----
// op: memref.load
// error: memory of 'complex<f32>' is not supported
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xcomplex<f32>>, %b: memref<4xcomplex<f32>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xcomplex<f32>>
    memref.store %x, %b[%i] : memref<4xcomplex<f32>>
    gpu.return
  }
}
// -----
// op: memref.store
// for $T: i1, i4, i8, i16, i24, i32, i64, index, bf16, f16, f32, f64, f8E4M3FN, vector<2xf16>
// for $T: vector<3xf32>, vector<4xi32>, vector<8xi16>, vector<5xi8>, vector<2x2xf32>, vector<2x3xf16>, vector<1x2x2xi32>, vector<f32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>)
      workgroup(%shared: memref<4x$T, #gpu.address_space<workgroup>>)
      private(%own: memref<4x$T, #gpu.address_space<private>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    memref.store %x, %shared[%i] : memref<4x$T, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %shared[%i] : memref<4x$T, #gpu.address_space<workgroup>>
    memref.store %y, %own[%i] : memref<4x$T, #gpu.address_space<private>>
    %z = memref.load %own[%i] : memref<4x$T, #gpu.address_space<private>>
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: memref.atomic_rmw
// for $K to $T: addi to i8, addi to i16, addi to i32, addi to i64
// for $K to $T: andi to i8, andi to i16, andi to i32, andi to i64
// for $K to $T: assign to i8, assign to i16, assign to i32, assign to i64
// for $K to $T: assign to bf16, assign to f16, assign to f32, assign to f64
// for $K to $T: maxs to i8, maxs to i16, maxs to i32, maxs to i64
// for $K to $T: maxu to i8, maxu to i16, maxu to i32, maxu to i64
// for $K to $T: mins to i8, mins to i16, mins to i32, mins to i64
// for $K to $T: minu to i8, minu to i16, minu to i32, minu to i64
// for $K to $T: muli to i8, muli to i16, muli to i32, muli to i64
// for $K to $T: ori to i8, ori to i16, ori to i32, ori to i64
// for $K to $T: xori to i8, xori to i16, xori to i32, xori to i64
// for $K to $T: addf to bf16, addf to f16, addf to f32, addf to f64
// for $K to $T: mulf to bf16, mulf to f16, mulf to f32, mulf to f64
// for $K to $T: maximumf to bf16, maximumf to f16, maximumf to f32, maximumf to f64
// for $K to $T: minimumf to bf16, minimumf to f16, minimumf to f32, minimumf to f64
// for $K to $T: maxnumf to bf16, maxnumf to f16, maxnumf to f32, maxnumf to f64
// for $K to $T: minnumf to bf16, minnumf to f16, minnumf to f32, minnumf to f64
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>, %x: $T, %r: memref<?x$T>)
      workgroup(%shared: memref<4x$T, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %old = memref.atomic_rmw $K %x, %a[%i] : ($T, memref<?x$T>) -> $T
    %new = memref.atomic_rmw $K %old, %shared[%i]
      : ($T, memref<4x$T, #gpu.address_space<workgroup>>) -> $T
    memref.store %new, %r[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: memref.generic_atomic_rmw
// for $T: i8, i16, i32, i64, bf16, f16, f32, f64
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x$T>, %x: $T, %c: i1, %r: memref<?x$T>)
      workgroup(%shared: memref<4x$T, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %old = memref.generic_atomic_rmw %a[%i] : memref<?x$T> {
    ^bb0(%was: $T):
      %next = arith.select %c, %x, %was : $T
      memref.atomic_yield %next : $T
    }
    %new = memref.generic_atomic_rmw %shared[%i] : memref<4x$T, #gpu.address_space<workgroup>> {
    ^bb0(%was: $T):
      %next = arith.select %c, %old, %was : $T
      memref.atomic_yield %next : $T
    }
    memref.store %new, %r[%i] : memref<?x$T>
    gpu.return
  }
}
// -----
// op: memref.alloca
// for $T: i1, i8, i16, i32, i64, index, bf16, f16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %own = memref.alloca() : memref<2x3x$T>
    %x = memref.load %a[%i] : memref<4x$T>
    memref.store %x, %own[%i, %j] : memref<2x3x$T>
    %y = memref.load %own[%j, %i] : memref<2x3x$T>
    memref.store %y, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: memref.alloca
// error: SPIR-V variables are of static size
gpu.module @sample {
  gpu.func @kernel(%n: index, %a: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %own = memref.alloca(%n) : memref<?xf32>
    %x = memref.load %own[%i] : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.$OP
// for $OP: global, get_global
gpu.module @sample {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" @shared : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @kernel(%r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %t = memref.get_global @table : memref<4xf32>
    %s = memref.get_global @shared : memref<4xf32, #gpu.address_space<workgroup>>
    %x = memref.load %t[%i] : memref<4xf32>
    memref.store %x, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %s[%j] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %y, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: memref.get_global
// for $T to $V: i1 to true, i8 to 1, i16 to 1, i64 to 1, index to 1, bf16 to 1.0, f16 to 1.0, f64 to 1.0
gpu.module @sample {
  memref.global "private" constant @table : memref<2x2x$T> = dense<$V>
  gpu.func @kernel(%r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %t = memref.get_global @table : memref<2x2x$T>
    %x = memref.load %t[%i, %j] : memref<2x2x$T>
    memref.store %x, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: memref.get_global
// error: a variable in device memory; pass a buffer to the kernel
gpu.module @sample {
  memref.global @table : memref<4xf32> = uninitialized
  gpu.func @kernel(%r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %t = memref.get_global @table : memref<4xf32>
    %x = memref.load %t[%i] : memref<4xf32>
    memref.store %x, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: memref.assume_alignment
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.assume_alignment %a, 16 : memref<?xf32>
    %x = vector.load %b[%i] : memref<?xf32>, vector<4xf32>
    vector.store %x, %r[%i] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}
// -----
// op: memref.cast
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x8xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.cast %a : memref<4x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %x = memref.load %b[%i, %i] : memref<?x?xf32, strided<[?, ?], offset: ?>>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.cast
// error: unknown rank
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x8xf32>) kernel {
    %b = memref.cast %a : memref<4x8xf32> to memref<*xf32>
    gpu.return
  }
}
// -----
// op: memref.collapse_shape
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4x8xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.collapse_shape %a [[0, 1], [2]] : memref<?x4x8xf32> into memref<?x8xf32>
    %x = memref.load %b[%i, %i] : memref<?x8xf32>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.dim
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4x?xf32>, %k: index, %r: memref<?xindex>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %m = memref.dim %a, %zero : memref<?x4x?xf32>
    %n = memref.dim %a, %two : memref<?x4x?xf32>
    memref.store %m, %r[%zero] : memref<?xindex>
    memref.store %n, %r[%one] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: memref.dim
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4x?xf32>, %k: index, %r: memref<?xindex>) kernel {
    %i = gpu.thread_id x
    %n = memref.dim %a, %k : memref<?x4x?xf32>
    memref.store %n, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: memref.distinct_objects
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %1, %2 = memref.distinct_objects %a, %b : memref<?xf32>, memref<?xf32>
    %x = memref.load %1[%i] : memref<?xf32>
    memref.store %x, %2[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.expand_shape
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %n: index, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.expand_shape %a [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
    %x = memref.load %b[%i, %i] : memref<?x4xf32>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.extract_strided_metadata
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %r: memref<?xindex>) kernel {
    %i = gpu.thread_id x
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
      : memref<?x?xf32, strided<[?, ?], offset: ?>>
      -> memref<f32>, index, index, index, index, index
    %s = arith.addi %sizes#1, %strides#0 : index
    %t = arith.addi %s, %offset : index
    memref.store %t, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: memref.extract_strided_metadata
gpu.module @sample {
  gpu.func @kernel(%a: memref<8x8xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
      : memref<8x8xf32> -> memref<f32>, index, index, index, index, index
    %b = memref.reinterpret_cast %base to offset: [%i], sizes: [8], strides: [%strides#0]
      : memref<f32> to memref<8xf32, strided<[?], offset: ?>>
    %x = memref.load %b[%i] : memref<8xf32, strided<[?], offset: ?>>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.memory_space_cast
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32, #gpu.address_space<global>>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.memory_space_cast %a : memref<?xf32, #gpu.address_space<global>> to memref<?xf32>
    %x = memref.load %b[%i] : memref<?xf32>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.rank
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x?xf32>, %r: memref<?xindex>) kernel {
    %i = gpu.thread_id x
    %n = memref.rank %a : memref<?x?xf32>
    memref.store %n, %r[%i] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: memref.reinterpret_cast
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %n: index, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.reinterpret_cast %a to offset: [%i], sizes: [%n, 4], strides: [%n, 1]
      : memref<?xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
    %x = memref.load %b[%i, %i] : memref<?x4xf32, strided<[?, 1], offset: ?>>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.subview
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x?x8xf32>, %n: index, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %b = memref.subview %a[%i, 0, 2] [%n, 1, 4] [2, 1, %n]
      : memref<?x?x8xf32> to memref<?x4xf32, strided<[?, ?], offset: ?>>
    %x = memref.load %b[%i, %i] : memref<?x4xf32, strided<[?, ?], offset: ?>>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.transpose
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x?xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %b = memref.transpose %a (i, j) -> (j, i)
      : memref<?x?xf32> to memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>
    %x = memref.load %b[%i, %j] : memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.view
// for $T: i1, i8, i16, i32, i64, bf16, f16, f32, f64, vector<4xf32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi8>, %n: index, %r: memref<4x$T>)
      workgroup(%shared: memref<256xi8, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %at = arith.constant 64 : index
    %v = memref.view %a[%at][%n] : memref<?xi8> to memref<?x4x$T>
    %s = memref.view %shared[%at][]
      : memref<256xi8, #gpu.address_space<workgroup>>
      to memref<4x$T, #gpu.address_space<workgroup>>
    %x = memref.load %v[%i, %i] : memref<?x4x$T>
    memref.store %x, %s[%i] : memref<4x$T, #gpu.address_space<workgroup>>
    %y = memref.load %s[%i] : memref<4x$T, #gpu.address_space<workgroup>>
    memref.store %y, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: memref.copy
// for $T: i1, i8, i32, i64, index, f16, f32, f64, vector<4xf32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4x$T>, %r: memref<?x4x$T, strided<[8, 1]>>) kernel {
    memref.copy %a, %r : memref<?x4x$T> to memref<?x4x$T, strided<[8, 1]>>
    gpu.return
  }
}
// -----
// op: memref.prefetch
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %r: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    memref.prefetch %a[%i], read, locality<3>, data : memref<?xf32>
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %r[%i] : memref<?xf32>
    gpu.return
  }
}
// -----
// op: memref.alloc
gpu.module @sample {
  gpu.func @kernel() kernel {
    %a = memref.alloc() : memref<4xf32>
    gpu.return
  }
}
// -----
// op: memref.realloc
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>) kernel {
    %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
    gpu.return
  }
}
// -----
// op: memref.dealloc
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>) kernel {
    memref.dealloc %a : memref<4xf32>
    gpu.return
  }
}
// -----
// op: memref.alloca_scope
gpu.module @sample {
  gpu.func @kernel(%r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    memref.alloca_scope {
      %x = arith.constant 1.0 : f32
      memref.store %x, %r[%i] : memref<4xf32>
    }
    gpu.return
  }
}
// -----
// op: memref.dma_start
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>, %tag: memref<1xi32>, %n: index)
      workgroup(%b: memref<4xf32, 3>) kernel {
    %i = gpu.thread_id x
    memref.dma_start %a[%i], %b[%i], %n, %tag[%i]
      : memref<4xf32>, memref<4xf32, 3>, memref<1xi32>
    gpu.return
  }
}
// -----
// op: memref.dma_wait
gpu.module @sample {
  gpu.func @kernel(%tag: memref<1xi32>, %n: index) kernel {
    %i = gpu.thread_id x
    memref.dma_wait %tag[%i], %n : memref<1xi32>
    gpu.return
  }
}
// -----
// op: memref.extract_aligned_pointer_as_index
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>) kernel {
    %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
    gpu.return
  }
}
// -----
// op: memref.reshape
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>, %s: memref<2xindex>) kernel {
    %p = memref.reshape %a(%s) : (memref<4xf32>, memref<2xindex>) -> memref<?x?xf32>
    gpu.return
  }
}
