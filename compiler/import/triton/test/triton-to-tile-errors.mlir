// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile --verify-diagnostics
// RUN: not pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=12 2>&1 | FileCheck %s
// CHECK: lanes is 12; it is a power of two, up to 1024

tt.func public @two_arguments(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %yes: i1, %v: f32) attributes {noinline = false} {
  // expected-error@below {{unsupported choice between pointers into different arguments; load from both, and choose between the values}}
  %p = arith.select %yes, %x, %y : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @two_ways(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %yes: i1, %v: f32) attributes {noinline = false} {
  // expected-error@below {{unsupported pointer that is into one argument here, and into another on another way}}
  %p = scf.if %yes -> (!tt.ptr<f32>) {
    scf.yield %x : !tt.ptr<f32>
  } else {
    scf.yield %y : !tt.ptr<f32>
  }
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @other_size(%x: !tt.ptr<f32>, %v: i64) attributes {noinline = false} {
  // expected-error@below {{unsupported pointer to 'f32' taken for a pointer to 'i64', whose size differs; give the kernel a pointer to 'i64' as an argument}}
  %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i64>
  tt.store %p, %v : !tt.ptr<i64>
  tt.return
}

// -----

tt.func public @no_tile(%x: !tt.ptr<f32>) attributes {noinline = false} {
  %v = arith.constant 1.0 : f32
  // expected-error@below {{unsupported 'tt.print' on the way to tiles; store the values, and print them after the launch}}
  tt.print "v" {hex = false, isSigned = array<i32: 0>} : %v : f32
  tt.return
}

// -----

// expected-error@below {{has branches; pumice-structure-triton comes before}}
tt.func public @branches(%x: !tt.ptr<f32>, %yes: i1) attributes {noinline = false} {
  cf.cond_br %yes, ^bb1, ^bb1
^bb1:
  tt.return
}

// -----

tt.func public @differing(%x: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{unsupported constant tensor of elements that differ; compute it from tl.arange, or load it}}
  %c = arith.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
  tt.return
}

// -----

tt.func public @stored_pointer(%x: !tt.ptr<!tt.ptr<f32>>, %y: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{unsupported pointers as values in memory accesses; pass them as integers}}
  tt.store %x, %y : !tt.ptr<!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @number_of_argument(%x: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{unsupported number of the address of a kernel's argument; pass it as an integer, or work with offsets}}
  %n = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func public @undefined_pointer(%v: f32) attributes {noinline = false} {
  %p = ub.poison : !tt.ptr<f32>
  // expected-error@below {{the pointer has no value here; assign it before it is used}}
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}
