// RUN: pumice-opt %s --pumice-widen-products | FileCheck %s

// CHECK-LABEL: tt.func public @half
// CHECK: %[[C:.*]] = arith.extf %{{.*}} : tensor<16x16xf16> to tensor<16x16xf32>
// CHECK: %[[S:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[C]], inputPrecision = tf32 : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
// CHECK: arith.truncf %[[S]] : tensor<16x16xf32> to tensor<16x16xf16>
// CHECK-NOT: -> tensor<16x16xf16>
// CHECK: tt.dot {{.*}} -> tensor<16x16xf64>
tt.func public @half() attributes {noinline = false} {
  %a = arith.constant dense<1.0> : tensor<16x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x16xf16>
  %c = arith.constant dense<0.0> : tensor<16x16xf16>
  %r = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf16>
  %x = arith.constant dense<1.0> : tensor<16x64xf64>
  %y = arith.constant dense<1.0> : tensor<64x16xf64>
  %z = arith.constant dense<0.0> : tensor<16x16xf64>
  %s = tt.dot %x, %y, %z, inputPrecision = ieee : tensor<16x64xf64> * tensor<64x16xf64> -> tensor<16x16xf64>
  tt.return
}
