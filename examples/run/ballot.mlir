// Moves the positive numbers out of four to the front. A ballot tells each lane how many lanes
// before it keep their numbers. The gpu dialect has no ballot, so the spirv dialect provides it.
//   pumice run examples/run/ballot.mlir
gpu.module @kernels {
  gpu.func @compact(%in: memref<4xi32>, %out: memref<4xi32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %lane = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %x = memref.load %in[%lane] : memref<4xi32>
    %keep = arith.cmpi sgt, %x, %zero : i32
    // Bit n is the vote of lane n. The four lanes are one subgroup, or part of one.
    %votes = spirv.GroupNonUniformBallot <Subgroup> %keep : vector<4xi32>
    %before = spirv.GroupNonUniformBallotBitCount <Subgroup> <ExclusiveScan> %votes
        : vector<4xi32> -> i32
    scf.if %keep {
      %at = arith.index_cast %before : i32 to index
      memref.store %x, %out[%at] : memref<4xi32>
    }
    gpu.return
  }
}

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %in = memref.alloc() : memref<4xi32>
  %out = memref.alloc() : memref<4xi32>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %odd = arith.remsi %k, %two : i32
    %x = arith.muli %k, %odd : i32 // 0 1 0 3
    memref.store %x, %in[%i] : memref<4xi32>
    memref.store %zero, %out[%i] : memref<4xi32>
  }
  gpu.launch_func @kernels::@compact blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%in : memref<4xi32>, %out : memref<4xi32>)
  %any = memref.cast %out : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  memref.dealloc %in : memref<4xi32>
  memref.dealloc %out : memref<4xi32>
  return
}
