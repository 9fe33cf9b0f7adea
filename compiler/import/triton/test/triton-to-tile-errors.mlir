// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile --verify-diagnostics
// RUN: not pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=12 2>&1 | FileCheck %s
// CHECK: lanes is 12; expected a power of two up to 1024

tt.func public @unknown_function(%x: f32) attributes {noinline = false} {
  // expected-error@below {{unsupported function '__nv_nothing' of a device library}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_nothing"} : (f32) -> f32
  tt.return
}

// -----

// expected-error@below {{has branches; run pumice-structure-triton first}}
tt.func public @branches(%x: !tt.ptr<f32>, %yes: i1) attributes {noinline = false} {
  cf.cond_br %yes, ^bb1, ^bb1
^bb1:
  tt.return
}

// -----

tt.func public @differing(%x: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{unsupported constant tensor with different elements; compute it from tl.arange, or load it}}
  %c = arith.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
  tt.return
}

// -----

tt.func public @undefined_pointer(%v: f32) attributes {noinline = false} {
  %p = ub.poison : !tt.ptr<f32>
  // expected-error@below {{the pointer has no value here; assign it before it is used}}
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}
