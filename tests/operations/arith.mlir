// op: arith.$OP
// for $OP: addf, subf, mulf, divf, remf, maximumf, minimumf, maxnumf, minnumf
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = arith.$OP %x, %y : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: addf, subf, mulf, divf, remf, maximumf, minimumf, maxnumf, minnumf
// for $F: contract, fast, nnan,ninf, reassoc
gpu.module @sample {
  gpu.func @kernel(%x: f32, %y: f32, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %z = arith.$OP %x, %y fastmath<$F> : f32
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: arith.negf
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %z = arith.negf %x : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: addi, subi, muli, divui, divsi, remui, remsi, andi, ori, xori, shli, shrsi, shrui
// for $OP: maxsi, maxui, minsi, minui, ceildivsi, ceildivui, floordivsi
// for $T: i1, i8, i16, i24, i32, i64, index, vector<3xi32>, vector<4xi64>, vector<8xi16>, vector<16xi8>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = arith.$OP %x, %y : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.addui_extended
// for $T to $B: i1 to i1, i8 to i1, i16 to i1, i32 to i1, i64 to i1, index to i1
// for $T to $B: vector<3xi32> to vector<3xi1>, vector<8xi16> to vector<8xi1>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %sum, %carry = arith.addui_extended %x, %x : $T, $B
    %z = arith.select %carry, %sum, %x : $B, $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: mulsi_extended, mului_extended
// for $T: i1, i8, i16, i32, i64, index, vector<3xi32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %low, %high = arith.$OP %x, %x : $T
    memref.store %low, %r[%i] : memref<4x$T>
    memref.store %high, %a[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.cmpf
// for $P: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true
// for $T to $B: bf16 to i1, f16 to i1, f32 to i1, f64 to i1, vector<4xf32> to vector<4xi1>
// for $T to $B: vector<8xf16> to vector<8xi1>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %a[%j] : memref<4x$T>
    %c = arith.cmpf $P, %x, %y : $T
    %z = arith.select %c, %x, %y : $B, $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.cmpi
// for $P: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
// for $T to $B: i1 to i1, i8 to i1, i16 to i1, i32 to i1, i64 to i1, index to i1
// for $T to $B: vector<4xi32> to vector<4xi1>, vector<8xi8> to vector<8xi1>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %a[%j] : memref<4x$T>
    %c = arith.cmpi $P, %x, %y : $T
    %z = arith.select %c, %x, %y : $B, $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.select
// for $T: i1, i8, i16, i32, i64, index, bf16, f16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %c: i1, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = arith.select %c, %x, %y : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.select
// error: chooses between different buffers at run time
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xf32>, %b: memref<4xf32>, %c: i1) kernel {
    %i = gpu.thread_id x
    %m = arith.select %c, %a, %b : memref<4xf32>
    %x = memref.load %m[%i] : memref<4xf32>
    memref.store %x, %a[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: arith.cmpi
gpu.module @sample {
  gpu.func @kernel(%x: i32, %r: memref<4xi1>) kernel {
    %i = gpu.thread_id x
    %c = arith.cmpi slt, %x, %x : i32
    memref.store %c, %r[%i] : memref<4xi1>
    gpu.return
  }
}
// -----
// op: arith.select
gpu.module @sample {
  gpu.func @kernel(%a: memref<?x4xf32>, %c: i1) kernel {
    %i = gpu.thread_id x
    %one = memref.subview %a[%i, 0] [1, 4] [1, 1]
      : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %two = memref.subview %a[0, %i] [4, 1] [1, 1]
      : memref<?x4xf32> to memref<4xf32, strided<[4], offset: ?>>
    %p = memref.cast %one
      : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
    %q = memref.cast %two
      : memref<4xf32, strided<[4], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
    %m = arith.select %c, %p, %q : memref<4xf32, strided<[?], offset: ?>>
    %x = memref.load %m[%i] : memref<4xf32, strided<[?], offset: ?>>
    memref.store %x, %m[%i] : memref<4xf32, strided<[?], offset: ?>>
    gpu.return
  }
}
// -----
// op: arith.constant
// for $T to $V: i1 to 1, i8 to -1, i16 to 7, i32 to 7, i64 to 1099511627776, index to 3, bf16 to 1.5
// for $T to $V: f16 to 1.5, f32 to 0x7FC00000, f64 to 1.0e300, vector<4xf32> to dense<1.0>
// for $T to $V: vector<2xi16> to dense<[1,2]>, vector<8xf16> to dense<2.0>, vector<2x2xf32> to dense<[[1.,2.],[3.,4.]]>
gpu.module @sample {
  gpu.func @kernel(%r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %z = arith.constant $V : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: arith.bitcast
// for $A to $B: i8 to i8, i16 to f16, f16 to bf16, bf16 to i16, i32 to f32, f32 to i32, f64 to i64
// for $A to $B: i64 to f64, vector<4xf32> to vector<4xi32>, vector<8xf16> to vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.bitcast %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: extsi, extui
// for $A to $B: i1 to i8, i1 to i32, i1 to i64, i8 to i16, i8 to i32, i8 to i64, i16 to i32, i16 to i64
// for $A to $B: i32 to i64, i12 to i24, vector<4xi8> to vector<4xi32>, vector<8xi16> to vector<8xi64>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.trunci
// for $A to $B: i8 to i1, i32 to i1, i64 to i1, i16 to i8, i32 to i8, i64 to i8, i32 to i16, i64 to i16
// for $A to $B: i64 to i32, i24 to i12, vector<4xi32> to vector<4xi8>, vector<8xi64> to vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.trunci %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.trunci
// for $F: <nsw>, <nuw>, <nsw,nuw>
gpu.module @sample {
  gpu.func @kernel(%x: i64, %r: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %z = arith.trunci %x overflow$F : i64 to i32
    memref.store %z, %r[%i] : memref<4xi32>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: index_cast, index_castui
// for $A to $B: i1 to index, i8 to index, i16 to index, i32 to index, i64 to index, index to i1
// for $A to $B: index to i8, index to i16, index to i32, index to i64
// for $A to $B: vector<4xi32> to vector<4xindex>, vector<8xindex> to vector<8xi64>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: sitofp, uitofp
// for $A: i1, i8, i16, i32, i64
// for $B: bf16, f16, f32, f64
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP: fptosi, fptoui
// for $A: bf16, f16, f32, f64
// for $B: i1, i8, i16, i32, i64
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.$OP
// for $OP to $A to $B: sitofp to vector<4xi32> to vector<4xf32>, uitofp to vector<8xi16> to vector<8xf16>
// for $OP to $A to $B: fptosi to vector<4xf32> to vector<4xi32>, fptoui to vector<8xf16> to vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.extf
// for $A to $B: f16 to f32, f16 to f64, bf16 to f32, bf16 to f64, f32 to f64, f8E4M3FN to f32
// for $A to $B: f8E5M2 to f16, vector<4xf16> to vector<4xf32>, vector<8xbf16> to vector<8xf32>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.extf %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.truncf
// for $R: , to_nearest_even, downward, upward, toward_zero, to_nearest_away
// for $A to $B: f32 to f16, f64 to f16, f32 to bf16, f64 to bf16, f64 to f32, f32 to f8E4M3FN, f16 to f8E5M2
// for $A to $B: vector<4xf32> to vector<4xf16>, vector<8xf32> to vector<8xbf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = arith.truncf %x $R : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.scaling_extf
// for $A to $S to $B: f4E2M1FN to f8E8M0FNU to f32, f8E4M3FN to f8E8M0FNU to bf16, f16 to f32 to f32
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %s: memref<4x$S>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %y = memref.load %s[%i] : memref<4x$S>
    %z = arith.scaling_extf %x, %y : $A, $S to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: arith.scaling_truncf
// for $A to $S to $B: f32 to f8E8M0FNU to f4E2M1FN, bf16 to f8E8M0FNU to f8E4M3FN, f32 to f32 to f16
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %s: memref<4x$S>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %y = memref.load %s[%i] : memref<4x$S>
    %z = arith.scaling_truncf %x, %y : $A, $S to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
