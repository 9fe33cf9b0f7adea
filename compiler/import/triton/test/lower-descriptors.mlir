// RUN: pumice-opt %s --split-input-file --pumice-lower-descriptors --cse | FileCheck %s

// Scalar code computes the first element. Rows are multiplied by their stride, columns stay i32,
// and a mask covers the tensor.
// CHECK-LABEL: tt.func public @move
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK: %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[ROW:.*]] = arith.muli %[[WIDE]], %[[S]] : i64
// CHECK: %[[BEGIN:.*]] = tt.addptr %[[P]], %[[ROW]]
// CHECK: %[[ROWS:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32}
// CHECK: %[[WIDEROWS:.*]] = arith.extsi %[[ROWS]] : tensor<4xi32> to tensor<4xi64>
// CHECK: %[[STRIDES:.*]] = tt.splat %[[S]] : i64 -> tensor<4xi64>
// CHECK: %[[LINE:.*]] = arith.muli %[[WIDEROWS]], %[[STRIDES]]
// CHECK: %[[UP:.*]] = tt.reshape %[[LINE]] : tensor<4xi64> -> tensor<4x1xi64>
// CHECK: %[[DOWN:.*]] = tt.broadcast %[[UP]] : tensor<4x1xi64> -> tensor<4x16xi64>
// CHECK: %[[ATI:.*]] = tt.splat %[[I]]
// CHECK: %[[ROWNUMBERS:.*]] = arith.addi %[[ATI]], %[[ROWS]]
// CHECK: %[[MS:.*]] = tt.splat %[[M]] : i32 -> tensor<4xi32>
// CHECK: arith.cmpi sge, %[[ROWNUMBERS]], %{{.*}} : tensor<4xi32>
// CHECK: arith.cmpi slt, %[[ROWNUMBERS]], %[[MS]] : tensor<4xi32>
// CHECK: %[[FIRST:.*]] = tt.addptr %[[BEGIN]], %{{.*}} : !tt.ptr<f32>, i64
// CHECK: %[[COLUMNS:.*]] = tt.make_range {end = 16 : i32, start = 0 : i32}
// CHECK: %[[OVER:.*]] = tt.reshape %[[COLUMNS]] : tensor<16xi32> -> tensor<1x16xi32>
// CHECK: %[[ACROSS:.*]] = tt.broadcast %[[OVER]] : tensor<1x16xi32> -> tensor<4x16xi32>
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<4x16xi1>
// CHECK: %[[BASES:.*]] = tt.splat %[[FIRST]] : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>>
// CHECK: %[[LINES:.*]] = tt.addptr %[[BASES]], %[[DOWN]]
// CHECK: %[[ALL:.*]] = tt.addptr %[[LINES]], %[[ACROSS]] : tensor<4x16x!tt.ptr<f32>>, tensor<4x16xi32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x16xf32>
// CHECK: %[[V:.*]] = tt.load %[[ALL]], %[[INSIDE]], %[[ZERO]] evictionPolicy = evict_first
// CHECK: tt.store %[[ALL]], %[[V]], %[[INSIDE]]
// CHECK: tt.atomic_rmw fadd, relaxed, gpu, %[[ALL]], %[[V]], %[[INSIDE]]
tt.func public @move(%p: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32) attributes {noinline = false} {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f32>, <tensor<4x16xf32>>
  %v = tt.descriptor_load %d[%i, %j] evictionPolicy = evict_first : !tt.tensordesc<tensor<4x16xf32>> -> tensor<4x16xf32>
  tt.descriptor_store %d[%i, %j], %v : !tt.tensordesc<tensor<4x16xf32>>, tensor<4x16xf32>
  tt.descriptor_reduce add, %d[%i, %j], %v : !tt.tensordesc<tensor<4x16xf32>>, tensor<4x16xf32>
  tt.return
}

// -----

// Elements beyond the edges are NaN. An index of zero adds nothing. A block may have another shape
// than its descriptor.
// CHECK-LABEL: tt.func public @padding
// CHECK: %[[BASES:.*]] = tt.splat %arg0 : !tt.ptr<f16>
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<1x16xf16>
// CHECK: %[[V:.*]] = tt.load %{{.*}}, %{{.*}}, %[[NAN]]
// CHECK: tt.reshape %[[V]] : tensor<1x16xf16> -> tensor<16xf16>
tt.func public @padding(%p: !tt.ptr<f16>, %o: tensor<16x!tt.ptr<f16>>, %n: i32, %s: i64) attributes {noinline = false} {
  %zero = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] {padding = 2 : i32} : <f16>, <tensor<1x16xf16>>
  %v = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<tensor<1x16xf16>> -> tensor<16xf16>
  tt.store %o, %v : tensor<16x!tt.ptr<f16>>
  tt.return
}

// -----

// Loops, conditions and selections carry the parts that differ. The last stride is never carried.
// CHECK-LABEL: tt.func public @carried
// CHECK: %[[A:.*]] = arith.select %arg4, %arg0, %arg1 : !tt.ptr<i8>
// CHECK-NOT: tensordesc
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (!tt.ptr<i8>, i32, i32, i64, i1)
// CHECK: tt.atomic_rmw umax, relaxed, gpu
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<i8>, i32, i32, i64, i1
tt.func public @carried(%p: !tt.ptr<i8>, %q: !tt.ptr<i8>, %n: i32, %s: i64, %c: i1, %v: tensor<4x16xi8>) attributes {noinline = false} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <i8>, <tensor<4x16xui8>>
  %b = tt.make_tensor_descriptor %q, [%n, %n], [%s, %s] : <i8>, <tensor<4x16xui8>>
  %first = arith.select %c, %a, %b : !tt.tensordesc<tensor<4x16xui8>>
  %last = scf.for %i = %zero to %n step %one iter_args(%d = %first) -> (!tt.tensordesc<tensor<4x16xui8>>) : i32 {
    tt.descriptor_reduce max, %d[%i, %zero], %v : !tt.tensordesc<tensor<4x16xui8>>, tensor<4x16xi8>
    %next = scf.if %c -> (!tt.tensordesc<tensor<4x16xui8>>) {
      scf.yield %a : !tt.tensordesc<tensor<4x16xui8>>
    } else {
      scf.yield %b : !tt.tensordesc<tensor<4x16xui8>>
    }
    scf.yield %next : !tt.tensordesc<tensor<4x16xui8>>
  }
  tt.return
}

// -----

// Tests rows that are selected by their numbers.
// CHECK-LABEL: tt.func public @rows
// CHECK: %[[WIDE:.*]] = arith.extsi %[[ROWS:.*]] : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.cmpi sge, %[[ROWS]], %{{.*}} : tensor<8xi32>
// CHECK: %[[V:.*]] = tt.load %[[P:.*]], %[[INSIDE:.*]], %{{.*}} : tensor<8x32x!tt.ptr<i32>>
// CHECK: tt.store %[[P]], %[[V]], %[[INSIDE]]
tt.func public @rows(%p: !tt.ptr<i32>, %n: i32, %s: i64, %rows: tensor<8xi32>, %j: i32) attributes {noinline = false} {
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <i32>, <tensor<1x32xsi32>>
  %v = tt.descriptor_gather %d[%rows, %j] : (!tt.tensordesc<tensor<1x32xsi32>>, tensor<8xi32>, i32) -> tensor<8x32xi32>
  tt.descriptor_scatter %d[%rows, %j], %v : !tt.tensordesc<tensor<1x32xsi32>>, tensor<8xi32>, i32, tensor<8x32xi32>
  tt.return
}

// -----

// An argument becomes a pointer, a padding flag for floats, its shape and its strides.
// CHECK-LABEL: tt.func public @host(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %[[PADS:.*]]: i1 {pumice.pads_with_nan}, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64 {tt.divisibility = 8 : i32}, %{{.*}}: i64, %[[Q:.*]]: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %[[L:.*]]: i32, %{{.*}}: i64, %[[I:.*]]: i32)
// CHECK: arith.select %[[PADS]], %{{.*}}, %{{.*}}
// CHECK: tt.load %{{.*}} : tensor<4x16x!tt.ptr<f16>>
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<i32>>
tt.func public @host(%a: !tt.tensordesc<tensor<4x16xf16>>, %m: i32, %n: i32, %s: i64, %t: i64, %b: !tt.tensordesc<tensor<8xsi32>>, %l: i32, %u: i64, %i: i32) attributes {noinline = false} {
  %v = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<4x16xf16>> -> tensor<4x16xf16>
  tt.descriptor_store %a[%m, %n], %v : !tt.tensordesc<tensor<4x16xf16>>, tensor<4x16xf16>
  %w = tt.descriptor_load %b[%i] : !tt.tensordesc<tensor<8xsi32>> -> tensor<8xi32>
  tt.descriptor_store %b[%l], %w : !tt.tensordesc<tensor<8xsi32>>, tensor<8xi32>
  tt.return
}
