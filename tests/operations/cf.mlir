// op: cf.br
gpu.module @sample {
  gpu.func @kernel(%n: i32, %r: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    cf.br ^head(%zero, %one : i32, i32)
  ^head(%k: i32, %sum: i32):
    %more = arith.cmpi slt, %k, %n : i32
    cf.cond_br %more, ^body, ^end
  ^body:
    %next = arith.addi %k, %one : i32
    %product = arith.muli %sum, %next : i32
    cf.br ^head(%next, %product : i32, i32)
  ^end:
    memref.store %sum, %r[%i] : memref<4xi32>
    gpu.return
  }
}
// -----
// op: cf.cond_br
// for $T: i1, i8, i32, i64, index, f16, bf16, f32, f64, vector<4xf32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%c: i1, %a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    cf.cond_br %c, ^left, ^right
  ^left:
    %x = memref.load %a[%i] : memref<4x$T>
    cf.br ^join(%x : $T)
  ^right:
    %y = memref.load %b[%i] : memref<4x$T>
    cf.br ^join(%y : $T)
  ^join(%z: $T):
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: cf.cond_br
gpu.module @sample {
  gpu.func @kernel(%n: i32, %a: memref<?xi32>, %r: memref<4xi32>) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %first = arith.constant 0 : index
    cf.br ^outer(%zero, %first : i32, index)
  ^outer(%k: i32, %i: index):
    %x = memref.load %a[%i] : memref<?xi32>
    %found = arith.cmpi eq, %x, %n : i32
    cf.cond_br %found, ^early, ^next
  ^next:
    %j = arith.addi %k, %one : i32
    %at = arith.index_cast %j : i32 to index
    %more = arith.cmpi slt, %j, %n : i32
    cf.cond_br %more, ^outer(%j, %at : i32, index), ^late
  ^early:
    memref.store %one, %r[%first] : memref<4xi32>
    gpu.return
  ^late:
    memref.store %zero, %r[%first] : memref<4xi32>
    gpu.return
  }
}
// -----
// op: cf.switch
// for $T: i8, i32, i64
gpu.module @sample {
  gpu.func @kernel(%s: $T, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %a = arith.constant 1.0 : f32
    %b = arith.constant 2.0 : f32
    cf.switch %s : $T, [
      default: ^join(%a : f32),
      1: ^join(%b : f32),
      7: ^more
    ]
  ^more:
    %c = arith.constant 3.0 : f32
    cf.br ^join(%c : f32)
  ^join(%z: f32):
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: cf.assert
gpu.module @sample {
  gpu.func @kernel(%c: i1) kernel {
    cf.assert %c, "must hold"
    gpu.return
  }
}
