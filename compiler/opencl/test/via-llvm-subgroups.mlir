// Operations of subgroups and clocks become calls that LLVM's backend turns into the same instructions.
// RUN: pumice compile %s --target intel-cpu --via llvm --emit spirv-asm | FileCheck %s

// CHECK-DAG: OpCapability GroupNonUniformRotateKHR
// CHECK-DAG: OpExtension "SPV_KHR_subgroup_rotate"
// CHECK: OpGroupNonUniformRotateKHR %uint %uint_3 %{{.*}} %{{.*}} %uint_4
// CHECK: OpGroupNonUniformBallot %v4uint
// CHECK: OpGroupNonUniformBallotBitCount %uint %uint_3 Reduce
// CHECK: OpGroupNonUniformBallotBitCount %uint %uint_3 InclusiveScan
// CHECK: OpGroupNonUniformBallotBitCount %uint %uint_3 ExclusiveScan
// CHECK: OpGroupNonUniformBallotFindMSB %uint %uint_3
gpu.module @m {
  gpu.func @k(%x: memref<?xi32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xi32>
    %r, %valid = gpu.rotate %v, 3, 4 : i32
    %yes = arith.trunci %r : i32 to i1
    %b = spirv.GroupNonUniformBallot <Subgroup> %yes : vector<4xi32>
    %all = spirv.GroupNonUniformBallotBitCount <Subgroup> <Reduce> %b : vector<4xi32> -> i32
    %upto = spirv.GroupNonUniformBallotBitCount <Subgroup> <InclusiveScan> %b : vector<4xi32> -> i32
    %before = spirv.GroupNonUniformBallotBitCount <Subgroup> <ExclusiveScan> %b : vector<4xi32> -> i32
    %last = spirv.GroupNonUniformBallotFindMSB <Subgroup> %b : vector<4xi32>, i32
    %s = arith.addi %all, %upto : i32
    %t = arith.addi %s, %before : i32
    %u = arith.addi %t, %last : i32
    memref.store %u, %x[%i] : memref<?xi32>
    gpu.return
  }
}
