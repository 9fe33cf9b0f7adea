// op: scf.if
// for $T: i1, i8, i32, i64, index, f16, bf16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%c: i1, %a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %z = scf.if %c -> $T {
      %x = memref.load %a[%i] : memref<4x$T>
      scf.yield %x : $T
    } else {
      %y = memref.load %b[%i] : memref<4x$T>
      scf.yield %y : $T
    }
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: scf.for
// for $I: index, i8, i16, i32, i64
gpu.module @sample {
  gpu.func @kernel(%from: $I, %to: $I, %step: $I, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %z = scf.for %k = %from to %to step %step iter_args(%sum = %zero) -> (f32) : $I {
      %next = arith.addf %sum, %one : f32
      scf.yield %next : f32
    }
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: scf.for
gpu.module @sample {
  gpu.func @kernel(%from: i32, %to: i32, %step: i32, %r: memref<4xi32>) kernel {
    scf.for unsigned %k = %from to %to step %step : i32 {
      %i = arith.index_castui %k : i32 to index
      memref.store %k, %r[%i] : memref<4xi32>
    }
    gpu.return
  }
}
// -----
// op: scf.for
// for $T: i1, i8, i32, i64, index, f16, bf16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%n: index, %a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = memref.load %a[%zero] : memref<4x$T>
    %y = memref.load %a[%one] : memref<4x$T>
    %z:2 = scf.for %k = %zero to %n step %one iter_args(%p = %x, %q = %y) -> ($T, $T) {
      scf.yield %q, %p : $T, $T
    }
    memref.store %z#0, %r[%zero] : memref<4x$T>
    memref.store %z#1, %r[%one] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: scf.for
gpu.module @sample {
  gpu.func @kernel(%n: index, %a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    scf.for %i = %zero to %n step %four {
      scf.for %j = %i to %n step %one {
        %c = arith.cmpi ult, %j, %four : index
        scf.if %c {
          %x = memref.load %a[%j] : memref<?xf32>
          memref.store %x, %b[%i] : memref<?xf32>
        }
      }
    }
    gpu.return
  }
}
// -----
// op: scf.while
gpu.module @sample {
  gpu.func @kernel(%n: i32, %r: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %one = arith.constant 1 : i32
    %z = scf.while (%k = %one) : (i32) -> i32 {
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.addi %k, %k : i32
      scf.yield %next : i32
    }
    memref.store %z, %r[%i] : memref<4xi32>
    gpu.return
  }
}
// -----
// op: scf.while
gpu.module @sample {
  gpu.func @kernel(%n: i32, %r: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %one = arith.constant 1 : i32
    %z:2 = scf.while (%k = %one) : (i32) -> (i32, f32) {
      %f = arith.sitofp %k : i32 to f32
      %next = arith.addi %k, %k : i32
      %more = arith.cmpi slt, %next, %n : i32
      scf.condition(%more) %next, %f : i32, f32
    } do {
    ^bb0(%k: i32, %f: f32):
      memref.store %k, %r[%i] : memref<4xi32>
      scf.yield %k : i32
    }
    memref.store %z#0, %r[%i] : memref<4xi32>
    gpu.return
  }
}
// -----
// op: scf.execute_region
gpu.module @sample {
  gpu.func @kernel(%c: i1, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %z = scf.execute_region -> f32 {
      %a = arith.constant 1.0 : f32
      cf.cond_br %c, ^left, ^right
    ^left:
      scf.yield %a : f32
    ^right:
      %b = arith.constant 2.0 : f32
      scf.yield %b : f32
    }
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: scf.index_switch
gpu.module @sample {
  gpu.func @kernel(%s: index, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %z = scf.index_switch %s -> f32
    case 2 {
      %a = arith.constant 1.0 : f32
      scf.yield %a : f32
    }
    case 5 {
      %a = arith.constant 2.0 : f32
      scf.yield %a : f32
    }
    default {
      %a = arith.constant 3.0 : f32
      scf.yield %a : f32
    }
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: scf.parallel
gpu.module @sample {
  gpu.func @kernel(%n: index, %r: memref<?x?xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    scf.parallel (%i, %j) = (%zero, %zero) to (%n, %n) step (%one, %one) {
      memref.store %x, %r[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    gpu.return
  }
}
// -----
// op: scf.parallel
gpu.module @sample {
  gpu.func @kernel(%n: index, %a: memref<?xf32>, %r: memref<4xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %sum = scf.parallel (%i) = (%zero) to (%n) step (%one) init (%start) -> f32 {
      %x = memref.load %a[%i] : memref<?xf32>
      scf.reduce(%x : f32) {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scf.reduce.return %s : f32
      }
    }
    memref.store %sum, %r[%zero] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: scf.forall
gpu.module @sample {
  gpu.func @kernel(%n: index, %r: memref<?x?xf32>) kernel {
    %x = arith.constant 1.0 : f32
    scf.forall (%i, %j) in (%n, 4) {
      memref.store %x, %r[%i, %j] : memref<?x?xf32>
    }
    gpu.return
  }
}
