// Operations of a workgroup or a subgroup: barriers, reductions, scans, exchange between lanes.
module attributes {gpu.container_module} {
  gpu.module @groups {
    // C = A * B in tiles of 8 x 8; extents need not be multiples of 8.
    gpu.func @votes_of_eight(%in: memref<?xi32>, %out: memref<8x?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      %yes = arith.cmpi ne, %e, %zero : i32
      %all = spirv.GroupNonUniformAll <Subgroup> %yes : i1
      %all32 = arith.extui %all : i1 to i32
      memref.store %all32, %out[%c0, %i] : memref<8x?xi32>
      %any = spirv.GroupNonUniformAny <Subgroup> %yes : i1
      %any32 = arith.extui %any : i1 to i32
      memref.store %any32, %out[%c1, %i] : memref<8x?xi32>
      %equal = spirv.GroupNonUniformAllEqual <Subgroup> %e : i32, i1
      %equal32 = arith.extui %equal : i1 to i32
      memref.store %equal32, %out[%c2, %i] : memref<8x?xi32>
      %first = spirv.GroupNonUniformElect <Subgroup> : i1
      %first32 = arith.extui %first : i1 to i32
      memref.store %first32, %out[%c3, %i] : memref<8x?xi32>
      %votes = spirv.GroupNonUniformBallot <Subgroup> %yes : vector<4xi32>
      %word = spirv.CompositeExtract %votes[0 : i32] : vector<4xi32>
      memref.store %word, %out[%c4, %i] : memref<8x?xi32>
      %before = spirv.GroupNonUniformBallotBitCount <Subgroup> <ExclusiveScan> %votes
          : vector<4xi32> -> i32
      memref.store %before, %out[%c5, %i] : memref<8x?xi32>
      // The results are undefined for a ballot without a vote, so lane 1 always votes here.
      %lane = gpu.lane_id
      %second = arith.cmpi eq, %lane, %c1 : index
      %some = arith.ori %yes, %second : i1
      %others = spirv.GroupNonUniformBallot <Subgroup> %some : vector<4xi32>
      %low = spirv.GroupNonUniformBallotFindLSB <Subgroup> %others : vector<4xi32>, i32
      memref.store %low, %out[%c6, %i] : memref<8x?xi32>
      %high = spirv.GroupNonUniformBallotFindMSB <Subgroup> %others : vector<4xi32>, i32
      memref.store %high, %out[%c7, %i] : memref<8x?xi32>
      gpu.return
    }

    gpu.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
        workgroup(%ta: memref<8x8xf32, #gpu.address_space<workgroup>>,
                  %tb: memref<8x8xf32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 8, 8, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %row = gpu.global_id y
      %column = gpu.global_id x
      %m = memref.dim %a, %c0 : memref<?x?xf32>
      %k = memref.dim %a, %c1 : memref<?x?xf32>
      %n = memref.dim %b, %c1 : memref<?x?xf32>
      %in_m = arith.cmpi ult, %row, %m : index
      %in_n = arith.cmpi ult, %column, %n : index
      %sum = scf.for %k0 = %c0 to %k step %c8 iter_args(%so_far = %zero) -> (f32) {
        %ka = arith.addi %k0, %tx : index
        %kb = arith.addi %k0, %ty : index
        %in_ka = arith.cmpi ult, %ka, %k : index
        %in_kb = arith.cmpi ult, %kb, %k : index
        %in_a = arith.andi %in_m, %in_ka : i1
        %in_b = arith.andi %in_n, %in_kb : i1
        %ea = scf.if %in_a -> (f32) {
          %e = memref.load %a[%row, %ka] : memref<?x?xf32>
          scf.yield %e : f32
        } else {
          scf.yield %zero : f32
        }
        %eb = scf.if %in_b -> (f32) {
          %e = memref.load %b[%kb, %column] : memref<?x?xf32>
          scf.yield %e : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %ea, %ta[%ty, %tx] : memref<8x8xf32, #gpu.address_space<workgroup>>
        memref.store %eb, %tb[%ty, %tx] : memref<8x8xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        %part = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %so_far) -> (f32) {
          %x = memref.load %ta[%ty, %i] : memref<8x8xf32, #gpu.address_space<workgroup>>
          %y = memref.load %tb[%i, %tx] : memref<8x8xf32, #gpu.address_space<workgroup>>
          %xy = arith.mulf %x, %y : f32
          %next = arith.addf %p, %xy : f32
          scf.yield %next : f32
        }
        gpu.barrier
        scf.yield %part : f32
      }
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %sum, %c[%row, %column] : memref<?x?xf32>
      }
      gpu.return
    }

    // Inclusive sum of each block of 64, by doubling distances.
    gpu.func @scan(%in: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%shared: memref<2x64xi32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c6 = arith.constant 6 : index
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      memref.store %e, %shared[%c0, %t] : memref<2x64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = scf.for %round = %c0 to %c6 step %c1 iter_args(%from = %c0) -> (index) {
        %to = arith.subi %c1, %from : index
        %distance = arith.shli %c1, %round : index
        %own = memref.load %shared[%from, %t] : memref<2x64xi32, #gpu.address_space<workgroup>>
        %far = arith.cmpi uge, %t, %distance : index
        %sum = scf.if %far -> (i32) {
          %at = arith.subi %t, %distance : index
          %other = memref.load %shared[%from, %at] : memref<2x64xi32, #gpu.address_space<workgroup>>
          %s = arith.addi %own, %other : i32
          scf.yield %s : i32
        } else {
          scf.yield %own : i32
        }
        memref.store %sum, %shared[%to, %t] : memref<2x64xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        scf.yield %to : index
      }
      %result = memref.load %shared[%last, %t] : memref<2x64xi32, #gpu.address_space<workgroup>>
      memref.store %result, %out[%i] : memref<?xi32>
      gpu.return
    }

    // Bytes in workgroup memory, mirrored: neighbours share a word where bytes cannot be stored.
    gpu.func @mirror_bytes(%in: memref<?xi8>, %out: memref<?xi8>)
        workgroup(%shared: memref<64xi8, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi8>
      memref.store %e, %shared[%t] : memref<64xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %at = arith.subi %c63, %t : index
      %m = memref.load %shared[%at] : memref<64xi8, #gpu.address_space<workgroup>>
      memref.store %m, %out[%i] : memref<?xi8>
      gpu.return
    }

    gpu.func @mirror_f16(%in: memref<?xf16>, %out: memref<?xf16>)
        workgroup(%shared: memref<64xf16, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xf16>
      memref.store %e, %shared[%t] : memref<64xf16, #gpu.address_space<workgroup>>
      gpu.barrier
      %at = arith.subi %c63, %t : index
      %m = memref.load %shared[%at] : memref<64xf16, #gpu.address_space<workgroup>>
      memref.store %m, %out[%i] : memref<?xf16>
      gpu.return
    }

    // Two tables in workgroup memory whose size the launch sets.
    gpu.func @dynamic_memory(%in: memref<?xf32>, %out: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %c31 = arith.constant 31 : index
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %first = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<32xf32, #gpu.address_space<workgroup>>
      %second = memref.view %bytes[%c128][] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<32xi32, #gpu.address_space<workgroup>>
      %e = memref.load %in[%i] : memref<?xf32>
      memref.store %e, %first[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      %whole = arith.fptosi %e : f32 to i32
      memref.store %whole, %second[%t] : memref<32xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %at = arith.subi %c31, %t : index
      %f = memref.load %first[%at] : memref<32xf32, #gpu.address_space<workgroup>>
      %w = memref.load %second[%at] : memref<32xi32, #gpu.address_space<workgroup>>
      %wf = arith.sitofp %w : i32 to f32
      %rest = arith.subf %f, %wf : f32
      memref.store %rest, %out[%i] : memref<?xf32>
      gpu.return
    }

    // Histogram of bytes: counted in workgroup memory, then added to the result.
    gpu.func @histogram(%in: memref<?xi8>, %out: memref<256xi32>)
        workgroup(%counts: memref<256xi32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %start = gpu.global_id x
      %groups = gpu.grid_dim x
      %step = arith.muli %groups, %c64 : index
      %n = memref.dim %in, %c0 : memref<?xi8>
      scf.for %b = %t to %c256 step %c64 {
        memref.store %zero, %counts[%b] : memref<256xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      scf.for %i = %start to %n step %step {
        %e = memref.load %in[%i] : memref<?xi8>
        %wide = arith.extui %e : i8 to i32
        %bin = arith.index_cast %wide : i32 to index
        %old = memref.atomic_rmw addi %one, %counts[%bin]
            : (i32, memref<256xi32, #gpu.address_space<workgroup>>) -> i32
      }
      gpu.barrier
      scf.for %b = %t to %c256 step %c64 {
        %count = memref.load %counts[%b] : memref<256xi32, #gpu.address_space<workgroup>>
        %old = memref.atomic_rmw addi %count, %out[%b] : (i32, memref<256xi32>) -> i32
      }
      gpu.return
    }

    // Shuffles of every mode; invalid ones leave -1.
    gpu.func @shuffles(%in: memref<?xi32>, %out: memref<5x?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %i = gpu.global_id x
      %none = arith.constant -1 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %w8 = arith.constant 8 : i32
      %e = memref.load %in[%i] : memref<?xi32>
      %a, %va = gpu.shuffle xor %e, %three, %w8 : i32
      %ra = arith.select %va, %a, %none : i32
      memref.store %ra, %out[%c0, %i] : memref<5x?xi32>
      %b, %vb = gpu.shuffle up %e, %two, %w8 : i32
      %rb = arith.select %vb, %b, %none : i32
      memref.store %rb, %out[%c1, %i] : memref<5x?xi32>
      %c, %vc = gpu.shuffle down %e, %one, %w8 : i32
      %rc = arith.select %vc, %c, %none : i32
      memref.store %rc, %out[%c2, %i] : memref<5x?xi32>
      %lane = gpu.lane_id
      %lane32 = arith.index_cast %lane : index to i32
      %five = arith.constant 5 : i32
      %away = arith.muli %lane32, %five : i32
      %seven = arith.constant 7 : i32
      %from = arith.andi %away, %seven : i32
      %d, %vd = gpu.shuffle idx %e, %from, %w8 : i32
      %rd = arith.select %vd, %d, %none : i32
      memref.store %rd, %out[%c3, %i] : memref<5x?xi32>
      %g, %vg = gpu.rotate %e, 3, 8 : i32
      memref.store %g, %out[%c4, %i] : memref<5x?xi32>
      gpu.return
    }

    // Shuffles of narrow and wide types.
    gpu.func @shuffled_types(%a: memref<?xi8>, %b: memref<?xf16>, %c: memref<?xf64>,
                             %d: memref<?xi64>, %e: memref<?xbf16>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %five = arith.constant 5 : i32
      %w8 = arith.constant 8 : i32
      %va = memref.load %a[%i] : memref<?xi8>
      %vb = memref.load %b[%i] : memref<?xf16>
      %vc = memref.load %c[%i] : memref<?xf64>
      %vd = memref.load %d[%i] : memref<?xi64>
      %ve = memref.load %e[%i] : memref<?xbf16>
      %wide = arith.extsi %va : i8 to i32
      %sa, %ia = gpu.shuffle xor %wide, %five, %w8 : i32
      %na = arith.trunci %sa : i32 to i8
      %sb, %ib = gpu.shuffle xor %vb, %five, %w8 : f16
      %sc, %ic = gpu.shuffle xor %vc, %five, %w8 : f64
      %sd, %id = gpu.shuffle xor %vd, %five, %w8 : i64
      %se, %ie = gpu.shuffle xor %ve, %five, %w8 : bf16
      memref.store %na, %a[%i] : memref<?xi8>
      memref.store %sb, %b[%i] : memref<?xf16>
      memref.store %sc, %c[%i] : memref<?xf64>
      memref.store %sd, %d[%i] : memref<?xi64>
      memref.store %se, %e[%i] : memref<?xbf16>
      gpu.return
    }

    // Sums over whole subgroups, clusters of 4 lanes, and clusters of 4 lanes with stride 2.
    gpu.func @subgroup_reduce(%in: memref<?xi32>, %out: memref<4x?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      %all = gpu.subgroup_reduce add %e uniform : (i32) -> i32
      memref.store %all, %out[%c0, %i] : memref<4x?xi32>
      %four = gpu.subgroup_reduce maxsi %e cluster(size = 4) : (i32) -> i32
      memref.store %four, %out[%c1, %i] : memref<4x?xi32>
      %apart = gpu.subgroup_reduce xor %e cluster(size = 4, stride = 2) : (i32) -> i32
      memref.store %apart, %out[%c2, %i] : memref<4x?xi32>
      %size = gpu.subgroup_size : index
      %id = gpu.subgroup_id : index
      %count = gpu.num_subgroups : index
      %size32 = arith.index_cast %size : index to i32
      %id32 = arith.index_cast %id : index to i32
      %count32 = arith.index_cast %count : index to i32
      %hundred = arith.constant 100 : i32
      %x = arith.muli %size32, %hundred : i32
      %y = arith.addi %x, %id32 : i32
      %z = arith.muli %y, %hundred : i32
      %s = arith.addi %z, %count32 : i32
      memref.store %s, %out[%c3, %i] : memref<4x?xi32>
      gpu.return
    }

    gpu.func @broadcasts(%in: memref<?xf32>, %out: memref<2x?xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %three = arith.constant 3 : i32
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xf32>
      %first = gpu.subgroup_broadcast %e, first_active_lane : f32
      %third = gpu.subgroup_broadcast %e, specific_lane %three : f32
      memref.store %first, %out[%c0, %i] : memref<2x?xf32>
      memref.store %third, %out[%c1, %i] : memref<2x?xf32>
      gpu.return
    }

    // The maximum over a workgroup of 44, reduced by a region in the kernel.
    gpu.func @reduce_by_body(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 44, 1, 1>} {
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      %r = gpu.all_reduce %e uniform {
      ^bb0(%p: i32, %q: i32):
        %more = arith.cmpi sgt, %p, %q : i32
        %s = arith.select %more, %p, %q : i32
        gpu.yield %s : i32
      } : (i32) -> i32
      memref.store %r, %out[%i] : memref<?xi32>
      gpu.return
    }
  }
}
