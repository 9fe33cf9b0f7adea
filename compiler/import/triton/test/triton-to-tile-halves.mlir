// The memory of a 16-bit atomic may not begin at a word. Then the kernel uses addresses, if the
// target has them.
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile="lanes=4 has-addresses" | FileCheck %s
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=4 | FileCheck %s --check-prefix=NONE
// NONE-NOT: vk.address_of

// CHECK-LABEL: gpu.func @anywhere
// CHECK: vk.address_of
tt.func public @anywhere(%x: !tt.ptr<i16>, %a: i16, %b: i16) attributes {noinline = false} {
  %0 = tt.atomic_cas acq_rel, gpu, %x, %a, %b : (!tt.ptr<i16>, i16, i16) -> i16
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @whole_words
// CHECK-NOT: vk.address_of
tt.func public @whole_words(%x: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %a: i16, %b: i16) attributes {noinline = false} {
  %0 = tt.atomic_cas acq_rel, gpu, %x, %a, %b : (!tt.ptr<i16>, i16, i16) -> i16
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @words
// CHECK-NOT: vk.address_of
tt.func public @words(%x: !tt.ptr<i32>, %a: i32, %b: i32) attributes {noinline = false} {
  %0 = tt.atomic_cas acq_rel, gpu, %x, %a, %b : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}
