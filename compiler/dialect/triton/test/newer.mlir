// RUN: pumice-opt %s | FileCheck %s
// RUN: pumice-opt %s | pumice-opt | FileCheck %s
// The forms that Triton prints from 3.7 on. Operations that 3.6 lacks print as they parse. Other forms print
// in the form of 3.6.0.

// CHECK-LABEL: tt.func public @operations(
tt.func public @operations(%p: tensor<8x!tt.ptr<f32>>, %q: !tt.ptr<i32>, %f: tensor<8xf32>, %h: tensor<8xf16>, %i: i32, %b: tensor<8xi1>, %c: i1, %t: i64, %r: tensor<8x!tt.ptr<i64>>, %l: tensor<8xi64>) attributes {noinline = false} {
  // CHECK: tt.atomic_load acquire, gpu, %{{[^],) ]+}}, %{{[^],) ]+}} : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<8xf32>
  %0 = tt.atomic_load acquire, gpu, %p, %b : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<8xf32>
  // CHECK: tt.atomic_load relaxed, sys, %{{[^],) ]+}} : (!tt.ptr<i32>) -> i32
  %1 = tt.atomic_load relaxed, sys, %q : (!tt.ptr<i32>) -> i32
  // CHECK: tt.atomic_store release, gpu, %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>>
  tt.atomic_store release, gpu, %p, %f, %b : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.atomic_store relaxed, cta, %{{[^],) ]+}}, %{{[^],) ]+}} : !tt.ptr<i32>
  tt.atomic_store relaxed, cta, %q, %i : !tt.ptr<i32>
  // CHECK: tt.atomic_poll relaxed, gpu, %{{[^],) ]+}}, %{{[^],) ]+}} timeout %{{[^],) ]+}} : tensor<8x!tt.ptr<i64>>, tensor<8xi64> -> tensor<8xi1>
  %2 = tt.atomic_poll relaxed, gpu, %r, %l timeout %t : tensor<8x!tt.ptr<i64>>, tensor<8xi64> -> tensor<8xi1>
  // CHECK: tt.atomic_poll acquire, gpu, %{{[^],) ]+}}, %{{[^],) ]+}} : !tt.ptr<i32>, i32 -> i1
  %3 = tt.atomic_poll acquire, gpu, %q, %i : !tt.ptr<i32>, i32 -> i1
  // CHECK: tt.approx_divf %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8xf32>
  %4 = tt.approx_divf %f, %f : tensor<8xf32>
  // CHECK: tt.fp_to_fp %{{[^],) ]+}}, rounding = rtne : tensor<8xf16> -> tensor<8xbf16>
  %5 = tt.fp_to_fp %h, rounding = rtne : tensor<8xf16> -> tensor<8xbf16>
  // CHECK: tt.clampf %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}}, propagateNan = none : tensor<8xf16>
  %6 = tt.clampf %h, %h, %h, propagateNan = none : tensor<8xf16>
  // CHECK: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK: ttg.barrier local
  ttg.barrier local
  // CHECK: ttg.barrier global_read|global_write
  ttg.barrier global_read|global_write
  // CHECK: ttg.barrier none
  ttg.barrier none
  tt.return
}

// CHECK-LABEL: tt.func public @cache_policies(
tt.func public @cache_policies(%p: tensor<8x!tt.ptr<f32>>, %b: tensor<8xi1>, %d: !tt.tensordesc<4x16xf32>, %i: i32) attributes {noinline = false} {
  // CHECK: tt.load %{{[^],) ]+}}, %{{[^],) ]+}} {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>} : tensor<8x!tt.ptr<f32>>
  %0 = tt.load %p, %b {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>} : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{[^],) ]+}} {cachePolicy = #tt.cache_policy<cache_modifier = cv, eviction_policy = evict_normal>, isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cv, eviction_policy = evict_normal>, isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{[^],) ]+}}, %{{[^],) ]+}} {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : tensor<8x!tt.ptr<f32>>
  tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.descriptor_load %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<tensor<4x16xf32>> -> tensor<4x16xf32>
  %2 = tt.descriptor_load %d[%i, %i] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<4x16xf32> -> tensor<4x16xf32>
  tt.return
}

// CHECK-LABEL: tt.func public @types(
// CHECK-SAME: !tt.tensordesc<tensor<4x16xsi8>>, %{{[^:]*}}: !tt.tensordesc<tensor<16xbf16>>, %{{[^:]*}}: !tt.tensordesc<tensor<2xf32>>
// CHECK-SAME: !tt.ptr<f16>, %{{[^:]*}}: !tt.ptr<f16>, %{{[^:]*}}: !tt.ptr<f16>
tt.func public @types(%a: !tt.tensordesc<4x16xsi8>, %b: !tt.tensordesc<16xbf16>, %old: !tt.tensordesc<tensor<2xf32>>, %c: !tt.ptr<f16, "constant">, %g: !tt.ptr<f16, "global">, %one: !tt.ptr<f16, 1>, %i: tensor<8xi32>) attributes {noinline = false} {
  // CHECK: tt.splat %{{[^],) ]+}} : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %0 = tt.splat %c : !tt.ptr<f16, "constant"> -> tensor<8x!tt.ptr<f16, "constant">>
  // CHECK: tt.addptr %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8x!tt.ptr<f16>>, tensor<8xi32>
  %1 = tt.addptr %0, %i : tensor<8x!tt.ptr<f16, "constant">>, tensor<8xi32>
  tt.return
}
