// RUN: pumice-opt %s | pumice-opt | FileCheck %s
// Every operation prints as it parses.

// CHECK-LABEL: func.func @positions
func.func @positions(%dimension: i32) {
  // CHECK: gen.local_id %arg0{{$}}
  %0 = gen.local_id %dimension
  // CHECK: gen.work_group_id %arg0{{$}}
  %1 = gen.work_group_id %dimension
  // CHECK: gen.work_group_size %arg0{{$}}
  %2 = gen.work_group_size %dimension
  // CHECK: gen.num_work_groups %arg0{{$}}
  %3 = gen.num_work_groups %dimension
  // CHECK: gen.sub_group_local_id{{$}}
  %4 = gen.sub_group_local_id
  // CHECK: gen.sub_group_size{{$}}
  %5 = gen.sub_group_size
  // CHECK: gen.sub_group_id{{$}}
  %6 = gen.sub_group_id
  // CHECK: gen.num_sub_groups{{$}}
  %7 = gen.num_sub_groups
  return
}

// CHECK-LABEL: func.func @together
func.func @together(%f: f32, %i: i32, %b: bf16, %lane: i32, %c: i1) {
  // CHECK: gen.barrier{{$}}
  gen.barrier
  // CHECK: gen.barrier{{$}}
  gen.barrier all
  // CHECK: gen.barrier local{{$}}
  gen.barrier local
  // CHECK: gen.barrier global{{$}}
  gen.barrier global
  // CHECK: gen.sub_group_shuffle xor %arg0, %arg3 : f32
  %0 = gen.sub_group_shuffle xor %f, %lane : f32
  // CHECK: gen.sub_group_shuffle up %arg1, %arg3 : i32
  %1 = gen.sub_group_shuffle up %i, %lane : i32
  // CHECK: gen.sub_group_shuffle down %arg2, %arg3 : bf16
  %2 = gen.sub_group_shuffle down %b, %lane : bf16
  // CHECK: gen.sub_group_shuffle idx %arg0, %arg3 : f32
  %3 = gen.sub_group_shuffle idx %f, %lane : f32
  // CHECK: gen.sub_group_reduce add %arg0 : f32
  %4 = gen.sub_group_reduce add %f : f32
  // CHECK: gen.sub_group_reduce umin %arg1 uniform : i32
  %5 = gen.sub_group_reduce umin %i uniform : i32
  // CHECK: gen.sub_group_scan xor %arg1 : i32
  %6 = gen.sub_group_scan xor %i : i32
  // CHECK: gen.sub_group_scan max %arg0 exclusive uniform : f32
  %7 = gen.sub_group_scan max %f exclusive uniform : f32
  // CHECK: gen.sub_group_broadcast %arg0, %arg3 : f32
  %8 = gen.sub_group_broadcast %f, %lane : f32
  // CHECK: gen.sub_group_ballot %arg4{{$}}
  %9 = gen.sub_group_ballot %c
  return
}
