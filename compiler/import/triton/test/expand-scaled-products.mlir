// RUN: pumice-opt %s --pumice-expand-scaled-products | FileCheck %s

// CHECK-LABEL: tt.func public @scaled
// CHECK-NOT: tt.dot_scaled
// CHECK: arith.extf %{{.*}} : tensor<16x64xf8E4M3FN> to tensor<16x64xf32>
// The two halves of a byte are neighbours along K, which is the first dimension here.
// CHECK: tt.join
// CHECK: %[[S:.*]] = tt.reshape %{{.*}} : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK: arith.mulf %{{.*}}, %[[S]] : tensor<16x64xf32>
// CHECK: tt.dot {{.*}} : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>
tt.func public @scaled(%x: !tt.ptr<f32>) attributes {noinline = false} {
  %a = arith.constant dense<1.0> : tensor<16x64xf8E4M3FN>
  %b = arith.constant dense<1> : tensor<32x16xi8>
  %s = arith.constant dense<127> : tensor<16x2xi8>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<32x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  tt.return
}
