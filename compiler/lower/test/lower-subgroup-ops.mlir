// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(gpu.module(pumice-lower-subgroup-ops))' | FileCheck %s

// Everything but extended types: subgroupFeatures = basic to clustered (0x7f), size 32.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, shaderInt64 = unit}>} {
  // CHECK-LABEL: gpu.func @reduce_native
  // CHECK-SAME:    (%[[X:.*]]: f32, %[[I:.*]]: i32, %[[B:.*]]: i1)
  // CHECK:         spirv.GroupNonUniformFAdd <Subgroup> <Reduce> %[[X]] : f32 -> f32
  // CHECK:         spirv.GroupNonUniformUMin <Subgroup> <Reduce> %[[I]] : i32 -> i32
  // CHECK:         %[[C4:.*]] = spirv.Constant 4 : i32
  // CHECK:         spirv.GroupNonUniformBitwiseXor <Subgroup> <ClusteredReduce> %[[I]] cluster_size(%[[C4]]) : i32, i32 -> i32
  // CHECK:         spirv.GroupNonUniformAll <Subgroup> %[[B]] : i1
  // CHECK:         spirv.GroupNonUniformAny <Subgroup> %[[B]] : i1
  // minsi of i1: the least of 0 and -1
  // CHECK:         spirv.GroupNonUniformAny <Subgroup> %[[B]] : i1
  gpu.func @reduce_native(%x: f32, %i: i32, %b: i1) kernel {
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    %1 = gpu.subgroup_reduce minui %i : (i32) -> i32
    %2 = gpu.subgroup_reduce xor %i cluster(size = 4) : (i32) -> i32
    %3 = gpu.subgroup_reduce and %b : (i1) -> i1
    %4 = gpu.subgroup_reduce or %b : (i1) -> i1
    %5 = gpu.subgroup_reduce minsi %b : (i1) -> i1
    "test.use"(%0, %1, %2, %3, %4, %5) : (f32, i32, i32, i1, i1, i1) -> ()
    gpu.return
  }

  // Drivers that do not count an incomplete subgroup are corrected.
  // CHECK-LABEL: gpu.func @incomplete
  // CHECK:         %[[N:.*]] = gpu.num_subgroups : index
  // CHECK:         %[[ONE:.*]] = arith.constant 1 : index
  // CHECK:         %[[SIZE:.*]] = gpu.subgroup_size : index
  // CHECK:         %[[ALL:.*]] = arith.constant 44 : index
  // CHECK:         %[[LAST:.*]] = arith.subi %[[ALL]], %[[ONE]] : index
  // CHECK:         %[[FULL:.*]] = arith.divui %[[LAST]], %[[SIZE]] : index
  // CHECK:         %[[LEAST:.*]] = arith.addi %[[FULL]], %[[ONE]] : index
  // CHECK:         %[[MAX:.*]] = arith.maxui %[[N]], %[[LEAST]] : index
  // CHECK:         "test.use"(%[[MAX]])
  gpu.func @incomplete() kernel attributes {known_block_size = array<i32: 44, 1, 1>} {
    %0 = gpu.num_subgroups : index
    "test.use"(%0) : (index) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @complete
  // CHECK:         %[[N:.*]] = gpu.num_subgroups : index
  // CHECK-NEXT:    "test.use"(%[[N]])
  gpu.func @complete() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = gpu.num_subgroups : index
    "test.use"(%0) : (index) -> ()
    gpu.return
  }

  // maxnumf ignores NaN: its key is below all others.
  // CHECK-LABEL: gpu.func @reduce_vector
  // CHECK:         %[[X0:.*]] = vector.extract %{{.*}}[0] : f16 from vector<2xf16>
  // CHECK:         %[[W0:.*]] = arith.extf %[[X0]] : f16 to f32
  // CHECK:         %[[B0:.*]] = arith.bitcast %[[W0]] : f32 to i32
  // CHECK:         arith.constant -2147483648 : i32
  // CHECK:         %[[R0:.*]] = spirv.GroupNonUniformSMax <Subgroup> <Reduce>
  // CHECK:         vector.extract %{{.*}}[1]
  // CHECK:         spirv.GroupNonUniformSMax <Subgroup> <Reduce>
  // CHECK:         vector.from_elements
  gpu.func @reduce_vector(%x: vector<2xf16>) kernel {
    %0 = gpu.subgroup_reduce maxnumf %x : (vector<2xf16>) -> vector<2xf16>
    "test.use"(%0) : (vector<2xf16>) -> ()
    gpu.return
  }

  // Lanes are 2 apart, and all are active: a butterfly over distances 2, 4, 8.
  // CHECK-LABEL: gpu.func @reduce_butterfly
  // CHECK:         %[[D2:.*]] = arith.constant 2 : i32
  // CHECK:         %[[L2:.*]] = arith.xori %[[LANE:.*]], %[[D2]] : i32
  // CHECK:         %[[V2:.*]] = spirv.GroupNonUniformShuffle <Subgroup> %[[X:.*]], %[[L2]] : f32, i32
  // CHECK:         arith.addf %[[X]], %[[V2]] : f32
  // CHECK:         arith.constant 4 : i32
  // CHECK:         spirv.GroupNonUniformShuffle
  // CHECK:         arith.constant 8 : i32
  // CHECK:         spirv.GroupNonUniformShuffle
  // CHECK-NOT:     spirv.GroupNonUniformShuffle
  // CHECK:         "test.use"
  gpu.func @reduce_butterfly(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = gpu.subgroup_reduce add %x cluster(size = 8, stride = 2) : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }

  // Some lanes may be inactive: a ballot tells which. A 64-bit value moves as two words.
  // CHECK-LABEL: gpu.func @reduce_lane_loop
  // CHECK:         %[[BALLOT:.*]] = spirv.GroupNonUniformBallot <Subgroup> %{{.*}} : vector<4xi32>
  // CHECK:         %[[SIZE:.*]] = gpu.subgroup_size : index
  // CHECK:         %[[ID:.*]] = arith.constant 1 : i64
  // CHECK:         scf.for %{{.*}} to %[[SIZE]] step %{{.*}} iter_args(%[[SUM:.*]] = %[[ID]])
  // CHECK:           vector.extract %[[BALLOT]][0]
  // CHECK:           %[[ACTIVE:.*]] = arith.trunci %{{.*}} : i32 to i1
  // CHECK:           spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : i32, i32
  // CHECK:           spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : i32, i32
  // CHECK:           %[[NEW:.*]] = arith.muli %[[SUM]], %{{.*}} : i64
  // CHECK:           arith.select %[[ACTIVE]], %[[NEW]], %[[SUM]] : i64
  gpu.func @reduce_lane_loop(%x: i64) kernel {
    %0 = gpu.subgroup_reduce mul %x : (i64) -> i64
    "test.use"(%0) : (i64) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shuffle
  // CHECK-SAME:    (%[[X:.*]]: f32, %[[O:.*]]: i32, %[[W:.*]]: i32)
  // CHECK:         spirv.GroupNonUniformShuffleXor <Subgroup> %[[X]], %c1_i32 : f32, i32
  // CHECK:         spirv.GroupNonUniformShuffleDown <Subgroup> %[[X]], %c1_i32 : f32, i32
  // CHECK:         %[[LANE:.*]] = arith.index_castui %{{.*}} : index to i32
  // CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[LANE]], %[[W]] : i32
  // CHECK:         %[[ROOM:.*]] = arith.subi %[[W]], %[[LANE]] : i32
  // CHECK:         %[[FITS:.*]] = arith.cmpi ult, %c1_i32, %[[ROOM]] : i32
  // CHECK:         %[[VALID:.*]] = arith.andi %[[IN]], %[[FITS]] : i1
  // CHECK:         %[[DOWN:.*]] = arith.subi %{{.*}}, %[[O]] : i32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[DOWN]] : f32, i32
  // CHECK:         %[[UP:.*]] = arith.cmpi uge, %{{.*}}, %[[O]] : i32
  // CHECK:         %[[UPVALID:.*]] = arith.andi %{{.*}}, %[[UP]] : i1
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[O]] : f32, i32
  // CHECK:         "test.use"(%{{.*}}, %{{.*}}, %[[VALID]], %{{.*}}, %[[UPVALID]], %{{.*}})
  gpu.func @shuffle(%x: f32, %o: i32, %w: i32) kernel {
    %c1 = arith.constant 1 : i32
    %0, %v0 = gpu.shuffle xor %x, %c1, %w : f32
    %1, %v1 = gpu.shuffle down %x, %c1, %w : f32
    %2, %v2 = gpu.shuffle up %x, %o, %w : f32
    %3, %v3 = gpu.shuffle idx %x, %o, %w : f32
    "test.use"(%0, %1, %v1, %2, %v2, %3) : (f32, f32, i1, f32, i1, f32) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shuffle_types
  // CHECK:         %[[A:.*]] = arith.extui %{{.*}} : i8 to i32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %[[A]], %{{.*}} : i32, i32
  // CHECK:         arith.trunci %{{.*}} : i32 to i8
  // CHECK:         arith.extf %{{.*}} : bf16 to f32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : f32, i32
  // CHECK:         arith.truncf %{{.*}} : f32 to bf16
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : i1, i32
  gpu.func @shuffle_types(%a: i8, %b: bf16, %c: i1, %o: i32, %w: i32) kernel {
    %0, %v0 = gpu.shuffle idx %a, %o, %w : i8
    %1, %v1 = gpu.shuffle idx %b, %o, %w : bf16
    %2, %v2 = gpu.shuffle idx %c, %o, %w : i1
    "test.use"(%0, %1, %2) : (i8, bf16, i1) -> ()
    gpu.return
  }

  // (lane + 3) & 15, within the lane's own 16
  // CHECK-LABEL: gpu.func @rotate_by_shuffle
  // CHECK:         %[[LANE:.*]] = arith.index_castui
  // CHECK:         arith.addi %[[LANE]], %c3_i32
  // CHECK:         %[[IN:.*]] = arith.andi %{{.*}}, %c15_i32
  // CHECK:         %[[BASE:.*]] = arith.andi %[[LANE]], %c-16_i32
  // CHECK:         %[[SRC:.*]] = arith.ori %[[BASE]], %[[IN]]
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}}, %[[SRC]] : i32, i32
  // CHECK:         arith.cmpi ult, %{{.*}}, %c16_i32
  gpu.func @rotate_by_shuffle(%x: i32) kernel {
    %0, %v = gpu.rotate %x, 3, 16 : i32
    "test.use"(%0, %v) : (i32, i1) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @broadcast
  // CHECK:         %[[C2:.*]] = spirv.Constant 2 : i32
  // CHECK:         spirv.GroupNonUniformBroadcast <Subgroup> %{{.*}}, %[[C2]] : f32, i32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : f32, i32
  // CHECK:         %[[B:.*]] = spirv.GroupNonUniformBallot <Subgroup> %true
  // CHECK:         %[[FIRST:.*]] = spirv.GroupNonUniformBallotFindLSB <Subgroup> %[[B]] : vector<4xi32>, i32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}}, %[[FIRST]] : i32, i32
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}}, %[[FIRST]] : i32, i32
  gpu.func @broadcast(%x: f32, %i: index, %l: i32) kernel {
    %c2 = arith.constant 2 : i32
    %0 = gpu.subgroup_broadcast %x, specific_lane %c2 : f32
    %1 = gpu.subgroup_broadcast %x, specific_lane %l : f32
    %2 = gpu.subgroup_broadcast %i, first_active_lane : index
    "test.use"(%0, %1, %2) : (f32, f32, index) -> ()
    gpu.return
  }
}

// -----

// Extended types and rotation are supported. The size varies, so that a cluster of 32 requires one.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_shader_subgroup_rotate], {subgroupSize = 32 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 64 : i32, subgroupSizeControl = unit, subgroupFeatures = 127 : i32, shaderSubgroupExtendedTypes = unit, shaderSubgroupRotate = unit, shaderSubgroupRotateClustered = unit, shaderInt64 = unit, shaderFloat16 = unit}>} {
  // CHECK-LABEL: gpu.func @extended
  // CHECK-NOT:     pumice.required_subgroup_size
  // CHECK:         spirv.GroupNonUniformIAdd <Subgroup> <Reduce> %{{.*}} : i64 -> i64
  // CHECK:         spirv.GroupNonUniformShuffle <Subgroup> %{{.*}} : f16, i32
  // CHECK:         spirv.GroupNonUniformRotateKHR <Subgroup> %{{.*}}, %{{.*}}, cluster_size(%{{.*}}) : i64, i32, i32 -> i64
  gpu.func @extended(%x: i64, %h: f16, %o: i32) kernel {
    %0 = gpu.subgroup_reduce add %x : (i64) -> i64
    %1, %v1 = gpu.shuffle idx %h, %o, %o : f16
    %2, %v2 = gpu.rotate %x, 1, 4 : i64
    "test.use"(%0, %1, %2) : (i64, f16, i64) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @requires_size
  // CHECK-SAME:    pumice.least_subgroup_size = 16 : i32, pumice.required_subgroup_size = 32 : i32
  // CHECK:         spirv.GroupNonUniformFAdd <Subgroup> <ClusteredReduce>
  gpu.func @requires_size(%x: f32) kernel {
    %0 = gpu.subgroup_reduce add %x cluster(size = 16) : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

// The target has shuffles, but no arithmetic: a butterfly over all lanes, whose number is required.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, minSubgroupSize = 16 : i32, maxSubgroupSize = 32 : i32, subgroupSizeControl = unit, subgroupFeatures = 17 : i32}>} {
  // CHECK-LABEL: gpu.func @butterfly
  // CHECK-SAME:    pumice.required_subgroup_size = 32 : i32
  // CHECK-COUNT-5: spirv.GroupNonUniformShuffle
  // CHECK-NOT:     spirv.GroupNonUniformShuffle
  gpu.func @butterfly(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = gpu.subgroup_reduce add %x uniform : (f32) -> f32
    "test.use"(%0) : (f32) -> ()
    gpu.return
  }
}

// -----

// OpenCL C has no shuffles of booleans.
gpu.module @opencl attributes {vk.target_env = #vk.target_env<opencl v3.0, r(0), [cl_khr_subgroups, cl_khr_subgroup_shuffle], {spirvMinor = 4 : i32, subgroupSize = 16 : i32}>} {
  // CHECK-LABEL: gpu.func @shuffle_booleans
  // CHECK:         %[[WIDE:.*]] = arith.extui %{{.*}} : i1 to i32
  // CHECK:         %[[MOVED:.*]] = spirv.GroupNonUniformShuffle <Subgroup> %[[WIDE]], %{{.*}} : i32, i32
  // CHECK:         arith.trunci %[[MOVED]] : i32 to i1
  gpu.func @shuffle_booleans(%b: i1, %lane: i32) kernel {
    %width = arith.constant 16 : i32
    %0, %valid = gpu.shuffle idx %b, %lane, %width : i1
    "test.use"(%0) : (i1) -> ()
    gpu.return
  }
}
