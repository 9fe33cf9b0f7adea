// Views and scopes without copies, and loops that each invocation runs in full.
module attributes {gpu.container_module} {
  gpu.module @views {
    // An alignment, two buffers that do not overlap, a hint, an address space.
    gpu.func @promises(%in: memref<?xf32, #gpu.address_space<global>>, %out: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %i = gpu.thread_id x
      %plain = memref.memory_space_cast %in
          : memref<?xf32, #gpu.address_space<global>> to memref<?xf32>
      %aligned = memref.assume_alignment %plain, 16 : memref<?xf32>
      %a, %b = memref.distinct_objects %aligned, %out : memref<?xf32>, memref<?xf32>
      memref.prefetch %a[%i], read, locality<3>, data : memref<?xf32>
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %b[%i] : memref<?xf32>
      gpu.return
    }

    // What a view is made of, and the same elements found by it.
    gpu.func @metadata(%in: memref<?x?xf32, strided<[?, ?], offset: ?>>, %numbers: memref<6xindex>,
                       %out: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %in
          : memref<?x?xf32, strided<[?, ?], offset: ?>>
          -> memref<f32>, index, index, index, index, index
      %rank = memref.rank %in : memref<?x?xf32, strided<[?, ?], offset: ?>>
      memref.store %offset, %numbers[%c0] : memref<6xindex>
      memref.store %sizes#0, %numbers[%c1] : memref<6xindex>
      memref.store %sizes#1, %numbers[%c2] : memref<6xindex>
      memref.store %strides#0, %numbers[%c3] : memref<6xindex>
      memref.store %strides#1, %numbers[%c4] : memref<6xindex>
      memref.store %rank, %numbers[%c5] : memref<6xindex>
      %again = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#1],
          strides: [%strides#1] : memref<f32> to memref<?xf32, strided<[?], offset: ?>>
      scf.for %i = %c0 to %sizes#1 step %c1 {
        %x = memref.load %again[%i] : memref<?xf32, strided<[?], offset: ?>>
        memref.store %x, %out[%i] : memref<?xf32>
      }
      gpu.return
    }

    gpu.func @transposed_view(%in: memref<?x?xf32>, %out: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 7, 5, 1>} {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %t = memref.transpose %in (i, j) -> (j, i)
          : memref<?x?xf32> to memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>
      %x = memref.load %t[%i, %j] : memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>
      memref.store %x, %out[%i, %j] : memref<?x?xf32>
      gpu.return
    }

    gpu.func @scopes(%in: memref<?xi32>, %out: memref<2x?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0 : i32
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<?xi32>
      %twice = memref.alloca_scope -> (i32) {
        %own = memref.alloca() : memref<2xi32>
        memref.store %x, %own[%c0] : memref<2xi32>
        memref.store %x, %own[%c1] : memref<2xi32>
        %p = memref.load %own[%c0] : memref<2xi32>
        %q = memref.load %own[%c1] : memref<2xi32>
        %s = arith.addi %p, %q : i32
        memref.alloca_scope.return %s : i32
      }
      memref.store %twice, %out[%c0, %i] : memref<2x?xi32>
      %negative = arith.cmpi slt, %x, %zero : i32
      %y = scf.execute_region -> i32 {
        cf.cond_br %negative, ^less, ^more
      ^less:
        %m = arith.subi %zero, %x : i32
        scf.yield %m : i32
      ^more:
        %d = arith.xori %x, %twice : i32
        scf.yield %d : i32
      }
      memref.store %y, %out[%c1, %i] : memref<2x?xi32>
      gpu.return
    }

    gpu.func @parallel_loops(%n: index, %in: memref<?xi32>, %out: memref<?x?xi32>,
                             %sum: memref<1xi32>, %table: memref<?x4xi32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %start = arith.constant 100 : i32
      scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c2) {
        %a = memref.load %in[%i] : memref<?xi32>
        %b = memref.load %in[%j] : memref<?xi32>
        %p = arith.muli %a, %b : i32
        memref.store %p, %out[%i, %j] : memref<?x?xi32>
        scf.reduce
      }
      %total = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%start) -> i32 {
        %x = memref.load %in[%i] : memref<?xi32>
        scf.reduce(%x : i32) {
        ^bb0(%p: i32, %q: i32):
          %s = arith.addi %p, %q : i32
          scf.reduce.return %s : i32
        }
      }
      memref.store %total, %sum[%c0] : memref<1xi32>
      scf.forall (%i, %j) in (%n, 4) {
        %x = memref.load %in[%i] : memref<?xi32>
        %jj = arith.index_cast %j : index to i32
        %y = arith.subi %x, %jj : i32
        memref.store %y, %table[%i, %j] : memref<?x4xi32>
      }
      gpu.return
    }

    // A value that nothing may depend on: what is chosen beside it is seen, and it is zero here.
    gpu.func @poison(%in: memref<?xi32>, %out: memref<2x?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<?xi32>
      %none = ub.poison : i32
      %positive = arith.cmpi sgt, %x, %zero : i32
      %y = arith.select %positive, %x, %none : i32
      scf.if %positive {
        memref.store %y, %out[%c0, %i] : memref<2x?xi32>
      }
      memref.store %none, %out[%c1, %i] : memref<2x?xi32>
      gpu.return
    }
  }
}
