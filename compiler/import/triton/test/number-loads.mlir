// RUN: pumice-opt %s --pumice-number-loads | FileCheck %s
// RUN: pumice-opt %s --pumice-number-loads --pumice-lower-descriptors | FileCheck %s --check-prefix=LOWERED
// RUN: pumice-opt %s --pumice-number-loads --pumice-lower-descriptors --pumice-triton-to-tile=lanes=8 | FileCheck %s --check-prefix=TILE
// RUN: pumice-opt %s --pumice-lower-descriptors --pumice-triton-to-tile=lanes=8 | FileCheck %s --check-prefix=PLAIN
// RUN: pumice-opt %s --pumice-number-loads --pumice-lower-descriptors --pumice-triton-to-tile="lanes=8 access-bytes=16" | FileCheck %s --check-prefix=GPU

// Numbers continue from kernel to kernel, and stay with the operations that replace a load. Stores
// get no numbers.
// Without the pass, no operation has a number.
// PLAIN-NOT: pumice.load

// CHECK-LABEL: tt.func public @forms
// CHECK: tt.load %{{.*}} {pumice.load = {form = "pointer", number = 0 : i32, type = i32}} : !tt.ptr<i32>
// CHECK: tt.load %{{.*}} {pumice.load = {form = "pointers", number = 1 : i32, type = tensor<8xi32>}}
// CHECK: tt.descriptor_load {{.*}}{pumice.load = {form = "descriptor", number = 2 : i32, type = tensor<1x32xi32>}}
// CHECK: tt.descriptor_gather {{.*}}{pumice.load = {form = "rows of a descriptor", number = 3 : i32, type = tensor<8x32xi32>}}
// CHECK-NOT: pumice.load
// LOWERED: tt.load {{.*}}number = 0 : i32
// LOWERED: tt.load {{.*}}number = 1 : i32
// LOWERED: tt.load {{.*}}form = "descriptor", number = 2 : i32
// LOWERED: tt.load {{.*}}form = "rows of a descriptor", number = 3 : i32
// Eight lanes of a CPU load together, if the facts show that their pointers are neighbours.
// GPU: tile.load {{.*}}form = "pointers", number = 1 : i32
// TILE: tile.load {{.*}}form = "pointer", lanes = 1 : i32, number = 0 : i32
// TILE: tile.load {{.*}}form = "pointers", lanes = 8 : i32, number = 1 : i32
// TILE: tile.load {{.*}}form = "descriptor", lanes = 8 : i32, number = 2 : i32
// TILE: tile.load {{.*}}form = "rows of a descriptor", lanes = 8 : i32, number = 3 : i32
tt.func public @forms(%p: !tt.ptr<i32>, %n: i32, %s: i64, %y: !tt.ptr<i32>) attributes {noinline = false} {
  %one = arith.constant 1 : i64
  %first = tt.load %p : !tt.ptr<i32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %rows = tt.load %q : tensor<8x!tt.ptr<i32>>
  %d = tt.make_tensor_descriptor %y, [%n, %n], [%s, %one] : <i32>, <tensor<1x32xsi32>>
  %b = tt.descriptor_load %d[%first, %n] : !tt.tensordesc<tensor<1x32xsi32>> -> tensor<1x32xi32>
  %v = tt.descriptor_gather %d[%rows, %n] : (!tt.tensordesc<tensor<1x32xsi32>>, tensor<8xi32>, i32) -> tensor<8x32xi32>
  tt.descriptor_store %d[%n, %n], %b : !tt.tensordesc<tensor<1x32xsi32>>, tensor<1x32xi32>
  tt.descriptor_scatter %d[%rows, %n], %v : !tt.tensordesc<tensor<1x32xsi32>>, tensor<8xi32>, i32, tensor<8x32xi32>
  tt.return
}

// CHECK-LABEL: tt.func public @next
// CHECK: number = 4 : i32
tt.func public @next(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>) attributes {noinline = false} {
  %v = tt.load %p : !tt.ptr<i32>
  tt.store %y, %v : !tt.ptr<i32>
  tt.return
}
