// What moves memory, and little else: each invocation takes four vectors, a workgroup apart, so that
// every access of a subgroup is contiguous and several are on their way at once.
gpu.module @stream {
  gpu.func @copy(%n: i32, %from: memref<?xvector<4xf32>>, %to: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %lane = gpu.thread_id x
    %group = gpu.block_id x
    %count = arith.index_cast %n : i32 to index
    %c512 = arith.constant 512 : index
    %base = arith.muli %group, %c512 : index
    %first = arith.addi %base, %lane : index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    scf.for %step = %c0 to %c512 step %c128 {
      %i = arith.addi %first, %step : index
      %inside = arith.cmpi ult, %i, %count : index
      scf.if %inside {
        %v = memref.load %from[%i] : memref<?xvector<4xf32>>
        memref.store %v, %to[%i] : memref<?xvector<4xf32>>
      }
    }
    gpu.return
  }

  gpu.func @fill(%n: i32, %value: f32, %to: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %lane = gpu.thread_id x
    %group = gpu.block_id x
    %count = arith.index_cast %n : i32 to index
    %c512 = arith.constant 512 : index
    %base = arith.muli %group, %c512 : index
    %first = arith.addi %base, %lane : index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %v = vector.broadcast %value : f32 to vector<4xf32>
    scf.for %step = %c0 to %c512 step %c128 {
      %i = arith.addi %first, %step : index
      %inside = arith.cmpi ult, %i, %count : index
      scf.if %inside {
        memref.store %v, %to[%i] : memref<?xvector<4xf32>>
      }
    }
    gpu.return
  }

  gpu.func @saxpy(%n: i32, %a: f32, %x: memref<?xvector<4xf32>>, %y: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %lane = gpu.thread_id x
    %group = gpu.block_id x
    %count = arith.index_cast %n : i32 to index
    %c512 = arith.constant 512 : index
    %base = arith.muli %group, %c512 : index
    %first = arith.addi %base, %lane : index
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %av = vector.broadcast %a : f32 to vector<4xf32>
    scf.for %step = %c0 to %c512 step %c128 {
      %i = arith.addi %first, %step : index
      %inside = arith.cmpi ult, %i, %count : index
      scf.if %inside {
        %xi = memref.load %x[%i] : memref<?xvector<4xf32>>
        %yi = memref.load %y[%i] : memref<?xvector<4xf32>>
        %sum = vector.fma %av, %xi, %yi : vector<4xf32>
        memref.store %sum, %y[%i] : memref<?xvector<4xf32>>
      }
    }
    gpu.return
  }

  // One small step that the next one depends on: what a launch costs.
  gpu.func @step(%y: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    %v = memref.load %y[%i] : memref<64xf32>
    %sum = arith.addf %v, %one : f32
    memref.store %sum, %y[%i] : memref<64xf32>
    gpu.return
  }
}
