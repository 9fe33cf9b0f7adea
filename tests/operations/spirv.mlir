// op: spirv.GroupNonUniformElect
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %y = spirv.GroupNonUniformElect <Subgroup> : i1
    %z = arith.extui %y : i1 to i32
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
// -----
// op: spirv.GroupNonUniform$OP
// for $OP: All, Any
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %p = arith.cmpi slt, %x, %l : i32
    %y = spirv.GroupNonUniform$OP <Subgroup> %p : i1
    %z = arith.extui %y : i1 to i32
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
// -----
// op: spirv.GroupNonUniformAllEqual
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %y = spirv.GroupNonUniformAllEqual <Subgroup> %x : i32, i1
    %z = arith.extui %y : i1 to i32
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
// -----
// op: spirv.GroupNonUniformBallot
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %p = arith.cmpi slt, %x, %l : i32
    %y = spirv.GroupNonUniformBallot <Subgroup> %p : vector<4xi32>
    %z = spirv.CompositeExtract %y[0 : i32] : vector<4xi32>
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
// -----
// op: spirv.GroupNonUniformBallotBitCount
// for $G: Reduce, InclusiveScan, ExclusiveScan
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %p = arith.cmpi slt, %x, %l : i32
    %y = spirv.GroupNonUniformBallot <Subgroup> %p : vector<4xi32>
    %z = spirv.GroupNonUniformBallotBitCount <Subgroup> <$G> %y : vector<4xi32> -> i32
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
// -----
// op: spirv.GroupNonUniformBallotFind$E
// for $E: LSB, MSB
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xi32>, %l: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xi32>
    %p = arith.cmpi slt, %x, %l : i32
    %y = spirv.GroupNonUniformBallot <Subgroup> %p : vector<4xi32>
    %z = spirv.GroupNonUniformBallotFind$E <Subgroup> %y : vector<4xi32>, i32
    memref.store %z, %a[%i] : memref<?xi32>
    gpu.return
  }
}
