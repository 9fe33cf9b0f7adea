// RUN: pumice-opt %s --split-input-file --pumice-read-inline-assembly --canonicalize | FileCheck %s

// Assembly for single elements becomes operations on whole tensors.
// CHECK-LABEL: @tanh
// CHECK: %[[Y:.*]] = math.tanh %{{.*}} : tensor<64xf32>
// CHECK-NEXT: tt.store %{{.*}}, %[[Y]]
tt.func public @tanh(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) attributes {noinline = false} {
  %y = tt.elementwise_inline_asm "tanh.approx.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : tensor<64xf32> -> tensor<64xf32>
  tt.store %p, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Two halves share a register, so one piece of code computes two neighbours, in any order.
// CHECK-LABEL: @halves
// CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: f16, %[[B:.*]]: f16):
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: tt.map_elementwise.return
// CHECK: pumice.any_order
tt.func public @halves(%p: tensor<64x!tt.ptr<f16>>, %x: tensor<64xf16>) attributes {noinline = false} {
  %y = tt.elementwise_inline_asm "add.f16x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x : tensor<64xf16> -> tensor<64xf16>
  tt.store %p, %y : tensor<64x!tt.ptr<f16>>
  tt.return
}

// -----

// Tests the function that the table of lop3 describes. A scalar stays a scalar.
// CHECK-LABEL: @logic
// CHECK-DAG: %[[MASK:.*]] = arith.constant 983055 : i32
// CHECK-DAG: %[[BIAS:.*]] = arith.constant 1677747200 : i32
// CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %[[MASK]] : i32
// CHECK: %[[ALL:.*]] = arith.ori %[[LOW]], %[[BIAS]] : i32
// CHECK: tt.store %{{.*}}, %[[ALL]]
tt.func public @logic(%p: !tt.ptr<i32>, %x: i32) attributes {noinline = false} {
  %y = tt.elementwise_inline_asm "lop3.b32 $0, $1, 0x000f000f, 0x64006400, 0xea;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}

// -----

// An access keeps the kernel's pointer. Its guard becomes the mask, and masked elements keep the
// register's old value.
// CHECK-LABEL: @load
// CHECK-SAME: %[[P:.*]]: tensor<64x!tt.ptr<f32>>
// CHECK: %[[AT:.*]] = tt.addptr %[[P]], %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
// CHECK: %[[X:.*]] = tt.load %[[AT]], %{{.*}}, %{{.*}} evictionPolicy = evict_first : tensor<64x!tt.ptr<f32>>
// CHECK: tt.store %[[P]], %[[X]]
tt.func public @load(%p: tensor<64x!tt.ptr<f32>>, %n: tensor<64xi32>) attributes {noinline = false} {
  %y = tt.elementwise_inline_asm "{ .reg .pred q; setp.ne.s32 q, $2, 0; mov.f32 $0, 0f00000000; @q ld.global.L1::evict_first.f32 $0, [$1+8]; }" {constraints = "=f,l,r", packed_element = 1 : i32, pure = true} %p, %n : tensor<64x!tt.ptr<f32>>, tensor<64xi32> -> tensor<64xf32>
  tt.store %p, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
