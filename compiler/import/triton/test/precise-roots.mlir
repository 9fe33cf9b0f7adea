// Tests correctly rounded roots. A CPU's own root is already correct, and a GPU's root is
// corrected.
// On a CPU this is one operation. On a GPU the root is compared with its neighbours, without fused operations.
// RUN: pumice compile %s --target h200 --emit mlir-after=pumice-triton-to-tile 2>&1 | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: pumice compile %s --target cpu --emit mlir-after=pumice-triton-to-tile 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU

module attributes {"tt.num_warps" = 4 : i32} {
// CHECK-LABEL: gpu.func @root
// CHECK: %[[R:.*]] = math.sqrt
// CPU-NOT: arith.cmpf
// GPU: arith.divf
// GPU: math.isnan
// GPU-COUNT-2: arith.bitcast %{{.*}} : {{.*}}i32{{.*}} to {{.*}}f32
// GPU-NOT: math.fma
// GPU: arith.cmpf oge
// GPU: arith.cmpf olt
// CHECK: tile.store
tt.func public @root(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {noinline = false} {
  %a = tt.load %x : !tt.ptr<f32>
  %r = tt.precise_sqrt %a : f32
  tt.store %y, %r : !tt.ptr<f32>
  tt.return
}

// CUDA's library also has these functions. The f64 root is left to the device.
// CHECK-LABEL: gpu.func @library
// CHECK: math.sqrt
// CPU-NOT: arith.cmpf
// GPU: arith.cmpf olt
// CHECK: math.sqrt {{.*}}f64
// CHECK-NOT: arith.cmpf
tt.func public @library(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %d: f64, %z: !tt.ptr<f64>) attributes {noinline = false} {
  %a = tt.load %x : !tt.ptr<f32>
  %r = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rn"} : (f32) -> f32
  tt.store %y, %r : !tt.ptr<f32>
  %s = tt.extern_elementwise %d {libname = "", libpath = "", pure = true, symbol = "__nv_dsqrt_rn"} : (f64) -> f64
  tt.store %z, %s : !tt.ptr<f64>
  tt.return
}
}
