// Buffers, views and workgroup memory: how elements are found, whatever their type and layout.
module attributes {gpu.container_module} {
  gpu.module @memory {
    gpu.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %i = gpu.global_id x
      %zero = arith.constant 0 : index
      %n = memref.dim %x, %zero : memref<?xf32>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %xi = memref.load %x[%i] : memref<?xf32>
        %yi = memref.load %y[%i] : memref<?xf32>
        %product = arith.mulf %a, %xi : f32
        %sum = arith.addf %product, %yi : f32
        memref.store %sum, %y[%i] : memref<?xf32>
      }
      gpu.return
    }

    // out[c, r] = in[r, c]; both have strides and an offset.
    gpu.func @transpose(%in: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                        %out: memref<?x?xf32, strided<[?, ?], offset: ?>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = gpu.global_id y
      %c = gpu.global_id x
      %rows = memref.dim %in, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
      %columns = memref.dim %in, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
      %in_r = arith.cmpi ult, %r, %rows : index
      %in_c = arith.cmpi ult, %c, %columns : index
      %inside = arith.andi %in_r, %in_c : i1
      scf.if %inside {
        %e = memref.load %in[%r, %c] : memref<?x?xf32, strided<[?, ?], offset: ?>>
        memref.store %e, %out[%c, %r] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      }
      gpu.return
    }

    // A static layout that is neither contiguous nor starts at zero, of a narrow type.
    gpu.func @strided_bytes(%in: memref<4x5xi8, strided<[7, 1], offset: 3>>,
                            %out: memref<5x4xi8, strided<[1, 6], offset: 2>>) kernel
        attributes {known_block_size = array<i32: 5, 4, 1>} {
      %r = gpu.thread_id y
      %c = gpu.thread_id x
      %e = memref.load %in[%r, %c] : memref<4x5xi8, strided<[7, 1], offset: 3>>
      memref.store %e, %out[%c, %r] : memref<5x4xi8, strided<[1, 6], offset: 2>>
      gpu.return
    }

    // Reverses the elements, including the last one if the count is odd.
    gpu.func @reverse_i8(%in: memref<?xi8>, %out: memref<?xi8>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %i = gpu.global_id x
      %n = memref.dim %in, %zero : memref<?xi8>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %last = arith.subi %n, %one : index
        %from = arith.subi %last, %i : index
        %e = memref.load %in[%from] : memref<?xi8>
        memref.store %e, %out[%i] : memref<?xi8>
      }
      gpu.return
    }

    gpu.func @reverse_i16(%in: memref<?xi16>, %out: memref<?xi16>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %i = gpu.global_id x
      %n = memref.dim %in, %zero : memref<?xi16>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %last = arith.subi %n, %one : index
        %from = arith.subi %last, %i : index
        %e = memref.load %in[%from] : memref<?xi16>
        memref.store %e, %out[%i] : memref<?xi16>
      }
      gpu.return
    }

    // out[i] = in[i] and in[i + 1]: booleans are bytes of 0 and 1, and any non-zero is true.
    gpu.func @booleans(%in: memref<?xi1>, %out: memref<?xi1>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %i = gpu.global_id x
      %n = memref.dim %out, %zero : memref<?xi1>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %next = arith.addi %i, %one : index
        %a = memref.load %in[%i] : memref<?xi1>
        %b = memref.load %in[%next] : memref<?xi1>
        %both = arith.andi %a, %b : i1
        memref.store %both, %out[%i] : memref<?xi1>
      }
      gpu.return
    }

    // Elements that are only compared, masked and selected, so that no wider type is needed.
    gpu.func @narrow_only(%a: memref<?xi8>, %b: memref<?xi8>, %out: memref<?xi8>,
                          %less: memref<?xi1>, %c: memref<?xi16>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %x = memref.load %a[%i] : memref<?xi8>
      %y = memref.load %b[%i] : memref<?xi8>
      %is = arith.cmpi slt, %x, %y : i8
      memref.store %is, %less[%i] : memref<?xi1>
      %both = arith.andi %x, %y : i8
      %one = arith.ori %x, %y : i8
      %chosen = arith.select %is, %both, %one : i8
      memref.store %chosen, %out[%i] : memref<?xi8>
      %wide = arith.extsi %x : i8 to i32
      %short = arith.trunci %wide : i32 to i16
      memref.store %short, %c[%i] : memref<?xi16>
      gpu.return
    }

    // An i4 takes a byte in memory: out = in + 3 modulo 16, and its sign-extension.
    gpu.func @nibbles(%in: memref<?xi4>, %out: memref<?xi4>, %wide: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.global_id x
      %three = arith.constant 3 : i4
      %e = memref.load %in[%i] : memref<?xi4>
      %sum = arith.addi %e, %three : i4
      memref.store %sum, %out[%i] : memref<?xi4>
      %signed = arith.extsi %sum : i4 to i32
      memref.store %signed, %wide[%i] : memref<?xi32>
      gpu.return
    }

    gpu.func @indices(%in: memref<?xindex>, %values: memref<?xf16>, %out: memref<?xf16>,
                      %shifted: memref<?xindex>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.global_id x
      %at = memref.load %in[%i] : memref<?xindex>
      %e = memref.load %values[%at] : memref<?xf16>
      memref.store %e, %out[%i] : memref<?xf16>
      %c = arith.constant -5 : index
      %moved = arith.addi %at, %c : index
      memref.store %moved, %shifted[%i] : memref<?xindex>
      gpu.return
    }

    gpu.func @doubles(%x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.global_id x
      %a = memref.load %x[%i] : memref<?xf64>
      %b = memref.load %y[%i] : memref<?xf64>
      %c = arith.mulf %a, %b : f64
      %d = arith.divf %c, %a : f64
      %e = arith.subf %d, %b : f64
      %f = arith.addf %e, %c : f64
      memref.store %f, %y[%i] : memref<?xf64>
      %g = arith.truncf %f : f64 to f32
      memref.store %g, %z[%i] : memref<?xf32>
      gpu.return
    }

    // Rows 1.. and every second column of a matrix, through a view of it.
    gpu.func @subviews(%in: memref<?x?xf32>, %out: memref<?x?xf32>, %row: index) kernel
        attributes {known_block_size = array<i32: 4, 4, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %r = gpu.thread_id y
      %c = gpu.thread_id x
      %part = memref.subview %in[%row, 1] [4, 4] [1, 2]
          : memref<?x?xf32> to memref<4x4xf32, strided<[?, 2], offset: ?>>
      %inner = memref.subview %part[0, 2] [4, 2] [1, 1]
          : memref<4x4xf32, strided<[?, 2], offset: ?>> to memref<4x2xf32, strided<[?, 2], offset: ?>>
      %e = memref.load %part[%r, %c] : memref<4x4xf32, strided<[?, 2], offset: ?>>
      %half = arith.remui %c, %c2 : index
      %f = memref.load %inner[%r, %half] : memref<4x2xf32, strided<[?, 2], offset: ?>>
      %sum = arith.addf %e, %f : f32
      memref.store %sum, %out[%r, %c] : memref<?x?xf32>
      gpu.return
    }

    // A static matrix seen as a vector, and as three dimensions; then as another shape.
    gpu.func @reshapes(%in: memref<6x8xi32>, %out: memref<48xi32>, %other: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 48, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %flat = memref.collapse_shape %in [[0, 1]] : memref<6x8xi32> into memref<48xi32>
      %a = memref.load %flat[%i] : memref<48xi32>
      %cube = memref.expand_shape %in [[0], [1, 2]] output_shape [6, 2, 4]
          : memref<6x8xi32> into memref<6x2x4xi32>
      %r = arith.divui %i, %c8 : index
      %rest = arith.remui %i, %c8 : index
      %m = arith.divui %rest, %c4 : index
      %k = arith.remui %rest, %c4 : index
      %c1 = arith.constant 1 : index
      %flipped = arith.subi %c1, %m : index
      %b = memref.load %cube[%r, %flipped, %k] : memref<6x2x4xi32>
      %diagonal = memref.reinterpret_cast %in to offset: [1], sizes: [5], strides: [9]
          : memref<6x8xi32> to memref<5xi32, strided<[9], offset: 1>>
      %c5 = arith.constant 5 : index
      %d_at = arith.remui %i, %c5 : index
      %d = memref.load %diagonal[%d_at] : memref<5xi32, strided<[9], offset: 1>>
      %ab = arith.subi %a, %b : i32
      %abd = arith.xori %ab, %d : i32
      memref.store %abd, %out[%i] : memref<48xi32>
      %cast = memref.cast %in : memref<6x8xi32> to memref<?x8xi32>
      %n = memref.dim %cast, %c0 : memref<?x8xi32>
      %n32 = arith.index_cast %n : index to i32
      memref.store %n32, %other[%i] : memref<?xi32>
      gpu.return
    }

    // A buffer of bytes holds floats from byte 8 on, and i16 before.
    gpu.func @byte_views(%bytes: memref<64xi8>, %floats: memref<14xf32>, %shorts: memref<4xi16>) kernel
        attributes {known_block_size = array<i32: 14, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %f = memref.view %bytes[%c8][] : memref<64xi8> to memref<14xf32>
      %e = memref.load %f[%i] : memref<14xf32>
      memref.store %e, %floats[%i] : memref<14xf32>
      %s = memref.view %bytes[%c0][] : memref<64xi8> to memref<4xi16>
      %few = arith.cmpi ult, %i, %c4 : index
      scf.if %few {
        %h = memref.load %s[%i] : memref<4xi16>
        memref.store %h, %shorts[%i] : memref<4xi16>
      }
      gpu.return
    }

    gpu.func @copies(%in: memref<8x8xf32>, %out: memref<8x8xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %from = memref.subview %in[2, 1] [3, 4] [1, 1]
          : memref<8x8xf32> to memref<3x4xf32, strided<[8, 1], offset: 17>>
      %to = memref.subview %out[1, 0] [3, 4] [2, 2]
          : memref<8x8xf32> to memref<3x4xf32, strided<[16, 2], offset: 8>>
      memref.copy %from, %to : memref<3x4xf32, strided<[8, 1], offset: 17>>
          to memref<3x4xf32, strided<[16, 2], offset: 8>>
      gpu.return
    }

    // A vector of three floats takes the space of four.
    gpu.func @vector3_elements(%in: memref<?xvector<3xf32>>, %out: memref<?xvector<3xf32>>,
                               %scale: f32) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<?xvector<3xf32>>
      %s = vector.broadcast %scale : f32 to vector<3xf32>
      %p = arith.mulf %v, %s : vector<3xf32>
      memref.store %p, %out[%i] : memref<?xvector<3xf32>>
      gpu.return
    }

    gpu.func @vector4_elements(%in: memref<?xvector<4xi16>>, %out: memref<?xvector<4xi16>>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<?xvector<4xi16>>
      %p = arith.addi %v, %v : vector<4xi16>
      memref.store %p, %out[%i] : memref<?xvector<4xi16>>
      gpu.return
    }

    // Every invocation has its own table.
    gpu.func @private_table(%out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %i32 = arith.index_cast %i : index to i32
      %table = memref.alloca() : memref<8xi32>
      scf.for %k = %c0 to %c8 step %c1 {
        %k32 = arith.index_cast %k : index to i32
        %kk = arith.muli %k32, %i32 : i32
        memref.store %kk, %table[%k] : memref<8xi32>
      }
      %at = arith.remui %i, %c8 : index
      %e = memref.load %table[%at] : memref<8xi32>
      memref.store %e, %out[%i] : memref<?xi32>
      gpu.return
    }

    // A table that each iteration of a loop allocates again.
    gpu.func @private_in_loop(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> i32 {
        %table = memref.alloca() : memref<4xi32>
        %at = arith.addi %k, %i : index
        %e = memref.load %in[%at] : memref<?xi32>
        memref.store %e, %table[%k] : memref<4xi32>
        %f = memref.load %table[%k] : memref<4xi32>
        %n = arith.addi %s, %f : i32
        scf.yield %n : i32
      }
      memref.store %sum, %out[%i] : memref<?xi32>
      gpu.return
    }

    // Bytes in private memory, accessed at indices that are known only at run time.
    gpu.func @private_bytes(%in: memref<?xi8>, %out: memref<?xi8>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %table = memref.alloca() : memref<7xi8>
      scf.for %k = %c0 to %c7 step %c1 {
        %sum = arith.addi %k, %i : index
        %wrapped = arith.remui %sum, %c7 : index
        %e = memref.load %in[%k] : memref<?xi8>
        memref.store %e, %table[%wrapped] : memref<7xi8>
      }
      %at = arith.remui %i, %c7 : index
      %e = memref.load %table[%at] : memref<7xi8>
      memref.store %e, %out[%i] : memref<?xi8>
      gpu.return
    }

    // A table of constants.
    memref.global "private" constant @primes : memref<5xi32> = dense<[2, 3, 5, 7, 11]>
    gpu.func @constant_table(%out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.thread_id x
      %c5 = arith.constant 5 : index
      %primes = memref.get_global @primes : memref<5xi32>
      %at = arith.remui %i, %c5 : index
      %e = memref.load %primes[%at] : memref<5xi32>
      memref.store %e, %out[%i] : memref<?xi32>
      gpu.return
    }

    // The index of the part to read is known only at run time.
    gpu.func @chosen_view(%in: memref<?xf32>, %out: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %first = arith.cmpi ult, %i, %c8 : index
      %from = scf.if %first -> memref<16xf32, strided<[?], offset: ?>> {
        %a = memref.reinterpret_cast %in to offset: [%i], sizes: [16], strides: [%c8]
            : memref<?xf32> to memref<16xf32, strided<[?], offset: ?>>
        scf.yield %a : memref<16xf32, strided<[?], offset: ?>>
      } else {
        %b = memref.subview %in[%c8] [16] [1]
            : memref<?xf32> to memref<16xf32, strided<[1], offset: ?>>
        %c = memref.cast %b : memref<16xf32, strided<[1], offset: ?>>
            to memref<16xf32, strided<[?], offset: ?>>
        scf.yield %c : memref<16xf32, strided<[?], offset: ?>>
      }
      %e = memref.load %from[%i] : memref<16xf32, strided<[?], offset: ?>>
      memref.store %e, %out[%i] : memref<?xf32>
      gpu.return
    }

    // A view that moves in a loop: the sum of every third element.
    gpu.func @moving_view(%in: memref<48xi32>, %out: memref<3xi32>) kernel
        attributes {known_block_size = array<i32: 3, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c3 = arith.constant 3 : index
      %zero = arith.constant 0 : i32
      %first = memref.subview %in[0] [3] [1] : memref<48xi32> to memref<3xi32, strided<[1]>>
      %start = memref.cast %first : memref<3xi32, strided<[1]>> to memref<3xi32, strided<[1], offset: ?>>
      %r:2 = scf.for %k = %c0 to %c16 step %c1 iter_args(%view = %start, %sum = %zero)
          -> (memref<3xi32, strided<[1], offset: ?>>, i32) {
        %e = memref.load %view[%i] : memref<3xi32, strided<[1], offset: ?>>
        %s = arith.addi %sum, %e : i32
        %next = arith.addi %k, %c1 : index
        %at = arith.muli %next, %c3 : index
        %clipped = arith.remui %at, %c16 : index
        %moved = memref.subview %in[%clipped] [3] [1]
            : memref<48xi32> to memref<3xi32, strided<[1], offset: ?>>
        scf.yield %moved, %s : memref<3xi32, strided<[1], offset: ?>>, i32
      }
      memref.store %r#1, %out[%i] : memref<3xi32>
      gpu.return
    }
  }
}
