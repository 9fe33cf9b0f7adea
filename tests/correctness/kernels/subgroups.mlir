// Exchanges in subgroups of four lanes.
module attributes {gpu.container_module} {
  gpu.module @subgroups {
    gpu.func @votes_of_four(%in: memref<?xi32>, %out: memref<8x?xi32>) kernel
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

    gpu.func @shuffles_of_four(%in: memref<?xi32>, %out: memref<5x?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %none = arith.constant -1 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %w4 = arith.constant 4 : i32
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      %a, %va = gpu.shuffle xor %e, %three, %w4 : i32
      %ra = arith.select %va, %a, %none : i32
      memref.store %ra, %out[%c0, %i] : memref<5x?xi32>
      %b, %vb = gpu.shuffle up %e, %one, %w4 : i32
      %rb = arith.select %vb, %b, %none : i32
      memref.store %rb, %out[%c1, %i] : memref<5x?xi32>
      %c, %vc = gpu.shuffle down %e, %one, %w4 : i32
      %rc = arith.select %vc, %c, %none : i32
      memref.store %rc, %out[%c2, %i] : memref<5x?xi32>
      %lane = gpu.lane_id
      %lane32 = arith.index_cast %lane : index to i32
      %from = arith.subi %three, %lane32 : i32
      %d, %vd = gpu.shuffle idx %e, %from, %w4 : i32
      memref.store %d, %out[%c3, %i] : memref<5x?xi32>
      %r, %vr = gpu.rotate %e, 3, 4 : i32
      memref.store %r, %out[%c4, %i] : memref<5x?xi32>
      gpu.return
    }

    gpu.func @reductions_of_four(%in: memref<?xi32>, %out: memref<4x?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xi32>
      %all = gpu.subgroup_reduce add %e uniform : (i32) -> i32
      memref.store %all, %out[%c0, %i] : memref<4x?xi32>
      %two = gpu.subgroup_reduce maxsi %e cluster(size = 2) : (i32) -> i32
      memref.store %two, %out[%c1, %i] : memref<4x?xi32>
      %apart = gpu.subgroup_reduce xor %e cluster(size = 2, stride = 2) : (i32) -> i32
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

    gpu.func @broadcasts_of_four(%in: memref<?xf32>, %out: memref<2x?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %three = arith.constant 3 : i32
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?xf32>
      %first = gpu.subgroup_broadcast %e, first_active_lane : f32
      %last = gpu.subgroup_broadcast %e, specific_lane %three : f32
      memref.store %first, %out[%c0, %i] : memref<2x?xf32>
      memref.store %last, %out[%c1, %i] : memref<2x?xf32>
      gpu.return
    }
  }
}
