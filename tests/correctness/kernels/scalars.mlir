// Arguments by value, many arguments, workgroup sizes that the launch sets, and printing.
module attributes {gpu.container_module} {
  gpu.module @scalars {
    gpu.func @every_type(%a: i1, %b: i8, %c: i16, %d: f16, %e: bf16, %f: i64, %g: f64, %h: index,
                         %i: i32, %j: f32, %ints: memref<?xi64>, %floats: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %aw = arith.extui %a : i1 to i64
      memref.store %aw, %ints[%c0] : memref<?xi64>
      %bw = arith.extsi %b : i8 to i64
      memref.store %bw, %ints[%c1] : memref<?xi64>
      %cw = arith.extui %c : i16 to i64
      memref.store %cw, %ints[%c2] : memref<?xi64>
      memref.store %f, %ints[%c3] : memref<?xi64>
      %hw = arith.index_cast %h : index to i64
      memref.store %hw, %ints[%c4] : memref<?xi64>
      %iw = arith.extsi %i : i32 to i64
      memref.store %iw, %ints[%c5] : memref<?xi64>
      %dw = arith.extf %d : f16 to f64
      memref.store %dw, %floats[%c0] : memref<?xf64>
      %ef = arith.extf %e : bf16 to f32
      %ew = arith.extf %ef : f32 to f64
      memref.store %ew, %floats[%c1] : memref<?xf64>
      memref.store %g, %floats[%c2] : memref<?xf64>
      %jw = arith.extf %j : f32 to f64
      memref.store %jw, %floats[%c3] : memref<?xf64>
      gpu.return
    }

    // The parameter block is larger than the limit of push constants.
    gpu.func @many_arguments(%out: memref<?xf64>, %x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>,
                             %a: f64, %b: f64, %c: f64, %d: f64, %e: i64, %f: i64, %g: i64, %h: i64,
                             %i: f64, %j: f64, %k: f64, %l: f64, %m: i64, %n: i8, %o: i16, %p: f16)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %s0 = arith.subf %a, %b : f64
      %s1 = arith.mulf %s0, %c : f64
      %s2 = arith.addf %s1, %d : f64
      %s3 = arith.addf %s2, %i : f64
      %s4 = arith.subf %s3, %j : f64
      %s5 = arith.mulf %s4, %k : f64
      %s6 = arith.addf %s5, %l : f64
      memref.store %s6, %out[%c0] : memref<?xf64>
      %t0 = arith.subi %e, %f : i64
      %t1 = arith.muli %t0, %g : i64
      %t2 = arith.addi %t1, %h : i64
      %t3 = arith.subi %t2, %m : i64
      %n64 = arith.extsi %n : i8 to i64
      %o64 = arith.extsi %o : i16 to i64
      %t4 = arith.addi %t3, %n64 : i64
      %t5 = arith.subi %t4, %o64 : i64
      %t = arith.sitofp %t5 : i64 to f64
      memref.store %t, %out[%c1] : memref<?xf64>
      %xe = memref.load %x[%c1, %c2, %c0] : memref<?x?x?xf32>
      %ye = memref.load %y[%c1, %c0, %c1] : memref<?x?x?xf32>
      %xy = arith.subf %xe, %ye : f32
      %w = arith.extf %xy : f32 to f64
      memref.store %w, %out[%c2] : memref<?xf64>
      %p64 = arith.extf %p : f16 to f64
      memref.store %p64, %out[%c3] : memref<?xf64>
      gpu.return
    }

    // Every built-in number of an invocation, in a grid and a workgroup of three dimensions.
    gpu.func @numbers(%out: memref<?x?xi32>) kernel {
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %bz = gpu.block_id z
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %tz = gpu.thread_id z
      %dx = gpu.block_dim x
      %dy = gpu.block_dim y
      %dz = gpu.block_dim z
      %gx = gpu.grid_dim x
      %gy = gpu.grid_dim y
      %gz = gpu.grid_dim z
      %x = gpu.global_id x
      %y = gpu.global_id y
      %z = gpu.global_id z
      %width = arith.muli %gx, %dx : index
      %height = arith.muli %gy, %dy : index
      %depth = arith.muli %gz, %dz : index
      %plane = arith.muli %z, %height : index
      %row = arith.addi %plane, %y : index
      %rows = arith.muli %row, %width : index
      %at = arith.addi %rows, %x : index
      %ten = arith.constant 10 : index
      %v0 = arith.muli %bx, %ten : index
      %v1 = arith.addi %v0, %by : index
      %v2 = arith.muli %v1, %ten : index
      %v3 = arith.addi %v2, %bz : index
      %v4 = arith.muli %v3, %ten : index
      %v5 = arith.addi %v4, %tx : index
      %v6 = arith.muli %v5, %ten : index
      %v7 = arith.addi %v6, %ty : index
      %v8 = arith.muli %v7, %ten : index
      %v9 = arith.addi %v8, %tz : index
      %v10 = arith.muli %v9, %ten : index
      %v11 = arith.addi %v10, %depth : index
      %v = arith.index_cast %v11 : index to i32
      %c0 = arith.constant 0 : index
      memref.store %v, %out[%at, %c0] : memref<?x?xi32>
      gpu.return
    }

    // One invocation of two prints; then all know nothing of it.
    gpu.func @prints(%x: f32, %n: i8, %d: f64, %k: index, %h: f16, %b: i1) kernel
        attributes {known_block_size = array<i32: 2, 1, 1>} {
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %second = arith.cmpi eq, %i, %c1 : index
      scf.if %second {
        gpu.printf "x = %f, n = %d, %u\n", %x, %n, %n : f32, i8, i8
        gpu.printf "nothing\n"
        gpu.printf "%g %ld %e %d\n", %d, %k, %h, %b : f64, index, f16, i1
      }
      gpu.return
    }

    // Needs no 64-bit types, which some devices lack.
    gpu.func @prints_words(%x: f32, %n: i8, %h: f16) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.printf "%f %d %u %f\n", %x, %n, %n, %h : f32, i8, i8, f16
      gpu.return
    }
  }
}
