// RUN: pumice-opt %s --split-input-file --pumice-lower-descriptors --verify-diagnostics

tt.func public @kinds(%p: !tt.ptr<f16>, %n: i32, %s: i64, %v: tensor<8xf16>) attributes {noinline = false} {
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<8xf16>>
  // expected-error@below {{unsupported max of 'f16' by a descriptor; load, combine and store the block, or use tl.atomic_max}}
  tt.descriptor_reduce max, %d[%n], %v : !tt.tensordesc<tensor<8xf16>>, tensor<8xf16>
  tt.return
}

// -----

// expected-error@below {{argument 0 is a descriptor of 2 dimensions, and its shape and strides do not follow it: 'i32', 'i32', 'i64', 'i64'}}
tt.func public @arguments(%d: !tt.tensordesc<tensor<4x8xf32>>, %m: i32, %n: i32, %s: i64) attributes {noinline = false} {
  tt.return
}
