// op: index.$OP
// for $OP: add, and, ceildivs, ceildivu, divs, divu, floordivs, maxs, maxu, mins, minu, mul, or
// for $OP: rems, remu, shl, shrs, shru, sub, xor
gpu.module @sample {
  gpu.func @kernel(%a: memref<4xindex>, %b: memref<4xindex>, %r: memref<4xindex>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xindex>
    %y = memref.load %b[%i] : memref<4xindex>
    %z = index.$OP %x, %y
    memref.store %z, %r[%i] : memref<4xindex>
    gpu.return
  }
}
// -----
// op: index.$OP
// for $OP: casts, castu
// for $A to $B: i8 to index, i32 to index, i64 to index, index to i8, index to i32, index to i64
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$A>, %r: memref<4x$B>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$A>
    %z = index.$OP %x : $A to $B
    memref.store %z, %r[%i] : memref<4x$B>
    gpu.return
  }
}
// -----
// op: index.cmp
// for $P: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
gpu.module @sample {
  gpu.func @kernel(%x: index, %y: index, %r: memref<4xi1>) kernel {
    %i = gpu.thread_id x
    %z = index.cmp $P(%x, %y)
    memref.store %z, %r[%i] : memref<4xi1>
    gpu.return
  }
}
// -----
// op: index.constant
gpu.module @sample {
  gpu.func @kernel(%r: memref<4xindex>) kernel {
    %i = index.constant 2
    memref.store %i, %r[%i] : memref<4xindex>
    gpu.return
  }
}
// -----
// op: index.bool.constant
gpu.module @sample {
  gpu.func @kernel(%r: memref<4xi1>) kernel {
    %i = gpu.thread_id x
    %z = index.bool.constant true
    memref.store %z, %r[%i] : memref<4xi1>
    gpu.return
  }
}
// -----
// op: index.sizeof
gpu.module @sample {
  gpu.func @kernel(%r: memref<4xindex>) kernel {
    %i = gpu.thread_id x
    %z = index.sizeof
    memref.store %z, %r[%i] : memref<4xindex>
    gpu.return
  }
}
