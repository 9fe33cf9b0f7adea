// Kernels that do little except move memory. An invocation handles one vector. On an H200, loops
// over several vectors were 3 times slower, since a load must not pass the store before it: the
// buffers may be the same. Workgroups of 128 were as slow, since they ended sooner than new ones
// could start. The grid has two dimensions, so that large buffers need no more workgroups
// along x than every device allows.
gpu.module @stream {
  func.func private @index() -> index {
    %lane = gpu.thread_id x
    %x = gpu.block_id x
    %y = gpu.block_id y
    %width = gpu.grid_dim x
    %size = gpu.block_dim x
    %row = arith.muli %y, %width : index
    %group = arith.addi %row, %x : index
    %base = arith.muli %group, %size : index
    %i = arith.addi %base, %lane : index
    return %i : index
  }

  gpu.func @copy(%n: i32, %from: memref<?xvector<4xf32>>, %to: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = func.call @index() : () -> index
    %count = arith.index_cast %n : i32 to index
    %inside = arith.cmpi ult, %i, %count : index
    scf.if %inside {
      %v = memref.load %from[%i] : memref<?xvector<4xf32>>
      memref.store %v, %to[%i] : memref<?xvector<4xf32>>
    }
    gpu.return
  }

  gpu.func @fill(%n: i32, %value: f32, %to: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = func.call @index() : () -> index
    %count = arith.index_cast %n : i32 to index
    %inside = arith.cmpi ult, %i, %count : index
    scf.if %inside {
      %v = vector.broadcast %value : f32 to vector<4xf32>
      memref.store %v, %to[%i] : memref<?xvector<4xf32>>
    }
    gpu.return
  }

  gpu.func @saxpy(%n: i32, %a: f32, %x: memref<?xvector<4xf32>>, %y: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = func.call @index() : () -> index
    %count = arith.index_cast %n : i32 to index
    %inside = arith.cmpi ult, %i, %count : index
    scf.if %inside {
      %av = vector.broadcast %a : f32 to vector<4xf32>
      %xi = memref.load %x[%i] : memref<?xvector<4xf32>>
      %yi = memref.load %y[%i] : memref<?xvector<4xf32>>
      %sum = vector.fma %av, %xi, %yi : vector<4xf32>
      memref.store %sum, %y[%i] : memref<?xvector<4xf32>>
    }
    gpu.return
  }

  // One small step that the next one depends on, to measure the cost of a launch.
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
