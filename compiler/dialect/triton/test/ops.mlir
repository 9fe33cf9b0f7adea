// RUN: pumice-opt %s --split-input-file | pumice-opt --split-input-file | FileCheck %s
// Every operation prints as it parses. tests/triton/ttir has the text that the Triton wheel prints.

// CHECK-LABEL: tt.func public @structure(
tt.func public @structure(%p: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
  // CHECK: tt.get_program_id x : i32
  %x = tt.get_program_id x : i32
  // CHECK: tt.get_num_programs z : i32
  %y = tt.get_num_programs z : i32
  // CHECK: tt.call @"two results"(%{{[^],) ]+}}, %{{[^],) ]+}}) : (!tt.ptr<f32>, i32) -> (f32, i32)
  %r:2 = tt.call @"two results"(%p, %n) : (!tt.ptr<f32>, i32) -> (f32, i32)
  tt.return
}

// CHECK-LABEL: tt.func private @"two results"(
// CHECK-SAME: {tt.divisibility = 16 : i32}
// CHECK-SAME: -> (f32, i32) attributes {noinline = true}
tt.func private @"two results"(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> (f32, i32) attributes {noinline = true} {
  %v = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.return %{{.*}}, %{{.*}} : f32, i32
  tt.return %v, %n : f32, i32
}

// CHECK-LABEL: tt.func public @elementwise(
tt.func public @elementwise(%p: tensor<8x!tt.ptr<f32>>, %f: tensor<8xf32>, %i: tensor<8xi32>, %s: f32, %l: i64, %one: !tt.ptr<f32>) attributes {noinline = false} {
  // CHECK: tt.bitcast %{{[^],) ]+}} : tensor<8xf32> -> tensor<8xi32>
  %0 = tt.bitcast %f : tensor<8xf32> -> tensor<8xi32>
  // CHECK: tt.bitcast %{{[^],) ]+}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %1 = tt.bitcast %one : !tt.ptr<f32> -> !tt.ptr<i8>
  // CHECK: tt.int_to_ptr %{{[^],) ]+}} : i64 -> !tt.ptr<!tt.ptr<f16>>
  %2 = tt.int_to_ptr %l : i64 -> !tt.ptr<!tt.ptr<f16>>
  // CHECK: tt.ptr_to_int %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>> -> tensor<8xi64>
  %3 = tt.ptr_to_int %p : tensor<8x!tt.ptr<f32>> -> tensor<8xi64>
  // CHECK: tt.fp_to_fp %{{[^],) ]+}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %4 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  // CHECK: tt.fp_to_fp %{{[^],) ]+}}, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2FNUZ>
  %5 = tt.fp_to_fp %f, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2FNUZ>
  // CHECK: tt.fp_to_fp %{{[^],) ]+}} : tensor<8xf8E4M3FN> -> tensor<8xbf16>
  %6 = tt.fp_to_fp %4 : tensor<8xf8E4M3FN> -> tensor<8xbf16>
  // CHECK: tt.clampf %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}}, propagateNan = all : tensor<8xf32>
  %7 = tt.clampf %f, %f, %f, propagateNan = all : tensor<8xf32>
  // CHECK: tt.clampf %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}}, propagateNan = none : f32
  %8 = tt.clampf %s, %s, %s, propagateNan = none : f32
  // CHECK: tt.precise_sqrt %{{[^],) ]+}} : tensor<8xf32>
  %9 = tt.precise_sqrt %f : tensor<8xf32>
  // CHECK: tt.precise_divf %{{[^],) ]+}}, %{{[^],) ]+}} : f32
  %10 = tt.precise_divf %s, %s : f32
  // CHECK: tt.mulhiui %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8xi32>
  %11 = tt.mulhiui %i, %i : tensor<8xi32>
  // CHECK: tt.addptr %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %12 = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: tt.addptr %{{[^],) ]+}}, %{{[^],) ]+}} : !tt.ptr<f32>, i64
  %13 = tt.addptr %one, %l : !tt.ptr<f32>, i64
  // CHECK: tt.extern_elementwise %{{[^],) ]+}}, %{{[^],) ]+}} {libname = "", libpath = "", pure = true, symbol = "__nv_ldexpf"} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  %14 = tt.extern_elementwise %f, %i {libname = "", libpath = "", pure = true, symbol = "__nv_ldexpf"} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "mov.b32 $0, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %{{[^],) ]+}} : tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
  %15:2 = tt.elementwise_inline_asm "mov.b32 $0, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %i : tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
  tt.return
}

// CHECK-LABEL: tt.func public @shapes(
tt.func public @shapes(%v: tensor<8xf32>, %m: tensor<4x8xf32>, %one: tensor<1xf32>, %s: f32, %at: tensor<4x8xi32>, %i: tensor<8xi32>, %b: tensor<8xi1>) attributes {noinline = false} {
  // CHECK: tt.make_range {end = 24 : i32, start = 8 : i32} : tensor<16xi32>
  %0 = tt.make_range {end = 24 : i32, start = 8 : i32} : tensor<16xi32>
  // CHECK: tt.splat %{{[^],) ]+}} : f32 -> tensor<4x8xf32>
  %1 = tt.splat %s : f32 -> tensor<4x8xf32>
  // CHECK: tt.unsplat %{{[^],) ]+}} : tensor<1xf32>
  %2 = tt.unsplat %one : tensor<1xf32>
  // CHECK: tt.expand_dims %{{[^],) ]+}} {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %3 = tt.expand_dims %v {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK: tt.broadcast %{{[^],) ]+}} : tensor<8x1xf32> -> tensor<8x4xf32>
  %4 = tt.broadcast %3 : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: tt.reshape %{{[^],) ]+}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %5 = tt.reshape %m : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tt.reshape %{{[^],) ]+}} allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %6 = tt.reshape %m allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{[^],) ]+}} allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  %7 = tt.reshape %m allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tt.trans %{{[^],) ]+}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %8 = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tt.cat %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8xf32> -> tensor<16xf32>
  %9 = tt.cat %v, %v : tensor<8xf32> -> tensor<16xf32>
  // CHECK: tt.join %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8xf32> -> tensor<8x2xf32>
  %10 = tt.join %v, %v : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: tt.split %{{[^],) ]+}} : tensor<8x2xf32> -> tensor<8xf32>
  %11, %12 = tt.split %10 : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK: tt.gather %{{[^],) ]+}}[%{{[^],) ]+}}] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %13 = tt.gather %m[%at] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: tt.gather %{{[^],) ]+}}[%{{[^],) ]+}}] {axis = 0 : i32, efficient_layout} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %14 = tt.gather %m[%at] {axis = 0 : i32, efficient_layout} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: tt.histogram %{{[^],) ]+}} : tensor<8xi32> -> tensor<4xi32>
  %15 = tt.histogram %i : tensor<8xi32> -> tensor<4xi32>
  // CHECK: tt.histogram %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8xi32> -> tensor<4xi32>
  %16 = tt.histogram %i, %b : tensor<8xi32> -> tensor<4xi32>
  tt.return
}

// CHECK-LABEL: tt.func public @memory(
tt.func public @memory(%p: tensor<8x!tt.ptr<f32>>, %q: !tt.ptr<i32>, %f: tensor<8xf32>, %i: i32, %b: tensor<8xi1>, %c: i1) attributes {noinline = false} {
  // CHECK: tt.load %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>>
  %0 = tt.load %p : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %b : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} cacheModifier = ca evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  %2 = tt.load %p, %b, %f cacheModifier = ca evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} cacheModifier = cg evictionPolicy = evict_last : !tt.ptr<i32>
  %3 = tt.load %q, %c, %i cacheModifier = cg evictionPolicy = evict_last : !tt.ptr<i32>
  // CHECK: tt.load %{{[^],) ]+}} cacheModifier = cv {isVolatile = true} : !tt.ptr<i32>
  %4 = tt.load %q cacheModifier = cv {isVolatile = true} : !tt.ptr<i32>
  // CHECK: tt.store %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<8x!tt.ptr<f32>>
  tt.store %p, %f : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} cacheModifier = wb evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  tt.store %p, %f, %b cacheModifier = wb evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{[^],) ]+}}, %{{[^],) ]+}} cacheModifier = cs : !tt.ptr<i32>
  tt.store %q, %i cacheModifier = cs : !tt.ptr<i32>
  // CHECK: tt.store %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} cacheModifier = wt evictionPolicy = evict_last : !tt.ptr<i32>
  tt.store %q, %i, %c cacheModifier = wt evictionPolicy = evict_last : !tt.ptr<i32>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %5 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %f, %b : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  // CHECK: tt.atomic_rmw exch, relaxed, cta, %{{[^],) ]+}}, %{{[^],) ]+}} : (!tt.ptr<i32>, i32) -> i32
  %6 = tt.atomic_rmw exch, relaxed, cta, %q, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw umin, release, sys, %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : (!tt.ptr<i32>, i32, i1) -> i32
  %7 = tt.atomic_rmw umin, release, sys, %q, %i, %c : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK: tt.atomic_cas acquire, gpu, %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : (!tt.ptr<i32>, i32, i32) -> i32
  %8 = tt.atomic_cas acquire, gpu, %q, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// CHECK-LABEL: tt.func public @descriptors(
tt.func public @descriptors(%p: !tt.ptr<f16>, %u: !tt.ptr<i16>, %m: i32, %n: i32, %l: i64, %row: tensor<8xi32>, %host: !tt.tensordesc<tensor<4x16xsi8>>, %v: tensor<4x16xi16>) attributes {noinline = false} {
  // CHECK: arith.constant 1 : i64
  %one = arith.constant 1 : i64
  // CHECK: tt.make_tensor_descriptor %{{[^],) ]+}}, [%{{[^],) ]+}}, %{{[^],) ]+}}], [%{{[^],) ]+}}, %{{[^],) ]+}}] : <f16>, <tensor<1x32xf16>>
  %0 = tt.make_tensor_descriptor %p, [%m, %n], [%l, %one] : <f16>, <tensor<1x32xf16>>
  // CHECK: tt.make_tensor_descriptor %{{[^],) ]+}}, [%{{[^],) ]+}}], [%{{[^],) ]+}}] {padding = 2 : i32} : <f16>, <tensor<16xf16>>
  %1 = tt.make_tensor_descriptor %p, [%n], [%one] {padding = 2 : i32} : <f16>, <tensor<16xf16>>
  // CHECK: tt.make_tensor_descriptor %{{[^],) ]+}}, [%{{[^],) ]+}}, %{{[^],) ]+}}], [%{{[^],) ]+}}, %{{[^],) ]+}}] : <i16>, <tensor<4x16xui16>>
  %2 = tt.make_tensor_descriptor %u, [%m, %n], [%l, %one] : <i16>, <tensor<4x16xui16>>
  // CHECK: tt.descriptor_load %{{[^],) ]+}}[%{{[^],) ]+}}] : !tt.tensordesc<tensor<16xf16>> -> tensor<16xf16>
  %3 = tt.descriptor_load %1[%n] : !tt.tensordesc<tensor<16xf16>> -> tensor<16xf16>
  // CHECK: tt.descriptor_load %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<4x16xsi8>> -> tensor<4x16xi8>
  %4 = tt.descriptor_load %host[%m, %n] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<4x16xsi8>> -> tensor<4x16xi8>
  // CHECK: tt.descriptor_store %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}], %{{[^],) ]+}} : !tt.tensordesc<tensor<4x16xui16>>, tensor<4x16xi16>
  tt.descriptor_store %2[%m, %n], %v : !tt.tensordesc<tensor<4x16xui16>>, tensor<4x16xi16>
  // CHECK: tt.descriptor_reduce max, %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}], %{{[^],) ]+}} : !tt.tensordesc<tensor<4x16xui16>>, tensor<4x16xi16>
  tt.descriptor_reduce max, %2[%m, %n], %v : !tt.tensordesc<tensor<4x16xui16>>, tensor<4x16xi16>
  // CHECK: tt.descriptor_gather %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  %5 = tt.descriptor_gather %0[%row, %n] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  // CHECK: tt.descriptor_scatter %{{[^],) ]+}}[%{{[^],) ]+}}, %{{[^],) ]+}}], %{{[^],) ]+}} : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.descriptor_scatter %0[%row, %n], %5 : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.return
}

// CHECK-LABEL: tt.func public @products(
tt.func public @products(%h: tensor<16x32xf16>, %k: tensor<32x16xf16>, %f: tensor<16x16xf32>, %b: tensor<16x32xi8>, %bk: tensor<32x16xi8>, %e: tensor<16x2xi8>, %g: tensor<16x4xf8E4M3FN>, %c: tensor<16x16xi32>, %w: tensor<64x16xf8E5M2>) attributes {noinline = false} {
  // CHECK: tt.dot %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %0 = tt.dot %h, %k, %f : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  // CHECK: tt.dot %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}}, inputPrecision = tf32x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = tt.dot %f, %f, %f, inputPrecision = tf32x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: tt.dot %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}}, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %2 = tt.dot %h, %k, %f, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  // CHECK: tt.dot %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %3 = tt.dot %b, %bk, %c : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  // CHECK: tt.dot_scaled %{{[^],) ]+}} scale %{{[^],) ]+}}, %{{[^],) ]+}}, %{{[^],) ]+}} lhs = e2m1 rhs = e5m2 {fastMath = true} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  %4 = tt.dot_scaled %b scale %e, %w, %f lhs = e2m1 rhs = e5m2 {fastMath = true} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  // CHECK: tt.dot_scaled %{{[^],) ]+}} scale %{{[^],) ]+}}, %{{[^],) ]+}} scale %{{[^],) ]+}}, %{{[^],) ]+}} lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8>, tensor<16x4xf8E4M3FN> * tensor<32x16xi8>, tensor<16x4xf8E4M3FN> -> tensor<16x16xf32>
  %5 = tt.dot_scaled %b scale %g, %bk scale %g, %f lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8>, tensor<16x4xf8E4M3FN> * tensor<32x16xi8>, tensor<16x4xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}

// CHECK-LABEL: tt.func public @debug(
tt.func public @debug(%v: tensor<4xi32>, %s: f32, %b: tensor<4xi1>, %c: i1) attributes {noinline = false} {
  // CHECK: tt.print " v: " {hex = false, isSigned = array<i32: 1, 0>} : %{{[^],) ]+}}, %{{[^],) ]+}} : tensor<4xi32>, f32
  tt.print " v: " {hex = false, isSigned = array<i32: 1, 0>} : %v, %s : tensor<4xi32>, f32
  // CHECK: tt.print " only text" {hex = true, isSigned = array<i32>}
  tt.print " only text" {hex = true, isSigned = array<i32>}
  // CHECK: tt.assert %{{[^],) ]+}}, "too large" : tensor<4xi1>
  tt.assert %b, "too large" : tensor<4xi1>
  // CHECK: tt.assert %{{[^],) ]+}}, "" : i1
  tt.assert %c, "" : i1
  tt.return
}

// CHECK-LABEL: tt.func public @regions(
tt.func public @regions(%v: tensor<4x8xf32>, %i: tensor<4x8xi32>, %w: tensor<8xf32>) attributes {noinline = false} {
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 1 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %0:2 = "tt.reduce"(%v, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %s = arith.addf %a, %c : f32
    tt.reduce.return %s, %d : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %b : f32
  }) : (tensor<8xf32>) -> f32
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK-NEXT: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "tt.scan"(%v) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
  // CHECK: cf.cond_br
  // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, i32
  // CHECK-NEXT: }) : (tensor<8xf32>) -> tensor<8xi32>
  %3 = "tt.map_elementwise"(%w) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %less = arith.cmpf olt, %a, %b : f32
    cf.cond_br %less, ^bb1(%one : i32), ^bb1(%two : i32)
  ^bb1(%c: i32):
    tt.map_elementwise.return %c, %one : i32, i32
  }) : (tensor<8xf32>) -> tensor<8xi32>
  tt.return
}
