// TTIR of later versions of Triton is converted to the same code as that of 3.6. Launches always
// run one after the other.
// RUN: pumice-opt %s --pumice-triton-to-tile=lanes=4 | FileCheck %s

// CHECK-LABEL: gpu.func @accesses
// CHECK-SAME: memref<?xf32>
// CHECK: %[[OLD:.*]] = tile.atomic_cas "acquire" %[[ZERO:.*]], %[[ZERO]] to %{{.*}} at %{{.*}} mask
// CHECK: tile.atomic_rmw "exchange" "release"
// CHECK: arith.divf
// CHECK: tile.load {{.*}} {cache = "cg", eviction = "evict_last"
// CHECK: gpu.barrier
// CHECK: gpu.barrier
tt.func public @accesses(%x: !tt.ptr<f32, "constant">, %o: !tt.ptr<f32>, %m: i1) attributes {noinline = false} {
  tt.grid_dependency_wait
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %o : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %b = tt.splat %m : i1 -> tensor<8xi1>
  %v = tt.atomic_load acquire, gpu, %q, %b : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<8xf32>
  tt.atomic_store release, gpu, %q, %v, %b : tensor<8x!tt.ptr<f32>>
  %w = tt.approx_divf %v, %v : tensor<8xf32>
  tt.store %q, %w : tensor<8x!tt.ptr<f32>>
  %s = tt.load %x {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32, "constant">
  ttg.barrier all
  tt.store %o, %s : !tt.ptr<f32>
  ttg.barrier global_read|global_write
  tt.grid_dependency_launch_dependents
  tt.return
}
