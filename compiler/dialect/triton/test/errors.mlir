// RUN: pumice-opt %s --split-input-file --verify-diagnostics
// Errors of verifiers name the place and the value, and say what to do instead.

tt.func public @kernel(%v: tensor<3xf32>) attributes {noinline = false} {
  // expected-error@below {{'tt.precise_sqrt' op has a tensor 'tensor<3xf32>' with a dimension of 3; dimensions must be powers of two: use the next one, and a mask}}
  %0 = tt.precise_sqrt %v : tensor<3xf32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{has a tensor 'tensor<2048x1024xf32>' of more than 1048576 elements; take a smaller block, and a loop or a larger grid}}
  %0 = tt.splat %f : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{has a tensor with a layout, }}
  %0 = tt.splat %f : f32 -> tensor<8xf32, dense<0> : tensor<1xi32>>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{makes 'i16' of 'f32', which has another number of bits}}
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{makes 'i64' of '!tt.ptr<f32>'; numbers become addresses by tt.int_to_ptr, and back by tt.ptr_to_int}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has an operand of type 'tensor<8xf32>' and a result of type 'tensor<4xi32>'; both must have the same shape}}
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{makes 'f16' of 'f32' without a rounding: rtne or rtz}}
  %0 = tt.fp_to_fp %v : tensor<8xf32> -> tensor<8xf16>
  tt.return
}

// -----

tt.func public @kernel(%v: f16) attributes {noinline = false} {
  // expected-error@below {{has the rounding rtz from 'f16' to 'f32', which needs none}}
  %0 = tt.fp_to_fp %v, rounding = rtz : f16 -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %i: tensor<8xi32>) attributes {noinline = false} {
  // expected-error@below {{has a pointer of type '!tt.ptr<f32>' and an offset of type 'tensor<8xi32>'; both must have the same shape}}
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, tensor<8xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>, %s: f32) attributes {noinline = false} {
  // expected-error@below {{has an operand of type 'f32' and a result of type 'tensor<8xf32>'; both must have the same shape}}
  %0 = tt.extern_elementwise %v, %s {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>, f32) -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel() attributes {noinline = false} {
  // expected-error@below {{goes from 8 to 4; the end must be larger}}
  %0 = tt.make_range {end = 4 : i32, start = 8 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel() attributes {noinline = false} {
  // expected-error@below {{goes from 0 to 8 in a tensor 'tensor<4xi32>'}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{has an operand of type 'f32', expected 'f16'}}
  %0 = tt.splat %f : f32 -> tensor<8xf16>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has an operand of type 'tensor<8xf32>'; expected a tensor of one element}}
  %0 = tt.unsplat %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has axis 2 of a tensor of 2 dimensions}}
  %0 = tt.expand_dims %v {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'tensor<8x1xf32>', expected 'tensor<1x8xf32>'}}
  %0 = tt.expand_dims %v {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{makes 'tensor<16xf32>' of 'tensor<8xf32>'; only dimensions of one element are repeated}}
  %0 = tt.broadcast %v : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{makes 'tensor<4x4xf32>' of 'tensor<8xf32>'; the elements stay the same}}
  %0 = tt.reshape %v : tensor<8xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{has dimension 1 in its order; each of the 2 must occur once}}
  %0 = tt.trans %m {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{has operands of type 'tensor<4x8xf32>'; expected one dimension}}
  %0 = tt.cat %m, %m : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'tensor<2x8xf32>', expected 'tensor<8x2xf32>'}}
  %0 = tt.join %v, %v : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has an operand of type 'tensor<8xf32>'; its last dimension must be 2}}
  %0, %1 = tt.split %v : tensor<8xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>, %i: tensor<2x8xi32>) attributes {noinline = false} {
  // expected-error@below {{has a source of type 'tensor<4x8xf32>' and indices of type 'tensor<2x8xi32>'; they differ along axis 1 at most}}
  %0 = tt.gather %m[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xi32>) attributes {noinline = false} {
  // expected-error@below {{has a tensor 'tensor<4x8xi32>'; it counts one dimension into one}}
  %0 = tt.histogram %m : tensor<4x8xi32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{'tensor<8xf32>' is neither a pointer nor a tensor of pointers}}
  %0 = tt.load %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = false} {
  // expected-error@below {{has other values and no mask that would choose them}}
  %0 = "tt.load"(%p, %f) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'f16', expected 'f32'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32, %m: tensor<4xi1>) attributes {noinline = false} {
  // expected-error@below {{has a pointer of type '!tt.ptr<f32>' and a mask of type 'tensor<4xi1>'; both must have the same shape}}
  "tt.store"(%p, %f, %m) : (!tt.ptr<f32>, f32, tensor<4xi1>) -> ()
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = false} {
  // expected-error@below {{does add on 'f32'; floats have fadd and exch, integers all others}}
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %f : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = false} {
  // expected-error@below {{one of the following enum values for attribute 'kind' [and, or, xor, add, fadd, max, min, umax, umin, exch]}}
  %0 = tt.atomic_rmw mul, acq_rel, gpu, %p, %f : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %i: i32) attributes {noinline = false} {
  // expected-error@below {{has an expected value of type 'i32', expected 'f32'}}
  %0 = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<f32>, i32, i32) -> i32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{has 1 lengths for blocks 'tensor<4x8xf32>' of 2 dimensions}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l, %l] : <f32>, <tensor<4x8xf32>>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{pads 'si32' with NaN, which only floats have}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l] {padding = 2 : i32} : <i32>, <tensor<8xsi32>>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f16>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{has a pointer of type '!tt.ptr<f16>' for blocks 'tensor<8xf32>' of other elements}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l] : <f16>, <tensor<8xf32>>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<4x8xf32>>, %n: i32) attributes {noinline = false} {
  // expected-error@below {{has 1 indices for blocks 'tensor<4x8xf32>' of 2 dimensions}}
  %0 = tt.descriptor_load %d[%n] : !tt.tensordesc<tensor<4x8xf32>> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<8xui32>>, %n: i32, %v: tensor<4xi32>) attributes {noinline = false} {
  // expected-error@below {{moves a tensor 'tensor<4xi32>'; the descriptor's blocks are 'tensor<8xui32>'}}
  tt.descriptor_store %d[%n], %v : !tt.tensordesc<tensor<8xui32>>, tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<8xf32>>, %n: i32, %v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{does xor on 'f32'; floats have add, min and max}}
  tt.descriptor_reduce xor, %d[%n], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<4x8xf32>>, %n: i32, %r: tensor<8xi32>) attributes {noinline = false} {
  // expected-error@below {{has a descriptor of blocks 'tensor<4x8xf32>'; rows are moved by blocks of one row, in two dimensions}}
  %0 = tt.descriptor_gather %d[%r, %n] : (!tt.tensordesc<tensor<4x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<1x8xf32>>, %n: i32, %r: tensor<8xi32>, %v: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{has values of type 'tensor<4x8xf32>', expected 'tensor<8x8xf32>'}}
  tt.descriptor_scatter %d[%r, %n], %v : !tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32, tensor<4x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<16x8xf16>, %c: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{multiplies 16x8 by 16x8 into 16x16}}
  %0 = tt.dot %a, %a, %c : tensor<16x8xf16> * tensor<16x8xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{multiplies 'f16' by 'bf16' into 'f32'; both are of one type, or f8; i8 gives i32, floats give their own type or f32, f8 also f16}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{has batches of different lengths}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has a tensor 'tensor<8xf32>'; matrices have two dimensions, batches of them three}}
  %0 = tt.dot %v, %v, %v : tensor<8xf32> * tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%b: tensor<16x32xi8>, %bk: tensor<32x16xi8>, %s: tensor<16x4xi8>, %f: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{has scales of type 'tensor<16x4xi8>', expected 'tensor<16x2xi8>'}}
  %0 = tt.dot_scaled %b scale %s, %bk, %f lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8>, tensor<16x4xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%b: tensor<16x32xi8>, %bk: tensor<32x16xi8>, %f: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{has an operand of format e2m3; expected e2m1, e4m3, e5m2, bf16 or fp16}}
  %0 = tt.dot_scaled %b, %bk, %f lhs = e2m3 rhs = e2m1 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has axis 1 of a tensor of 1 dimensions}}
  %0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has a region with arguments of types 'f32', expected 'f32', 'f32'}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{takes 3 elements at a time of 'tensor<8xf32>'}}
  %0 = "tt.map_elementwise"(%v) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{has 1 values and 0 numbers that say which have a sign}}
  tt.print " v: " {hex = false, isSigned = array<i32>} : %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{calls 'nobody', and the module has no such tt.func}}
  tt.call @nobody(%i) : (i32) -> ()
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{calls 'kernel', whose type is '(i32) -> ()', as '(i32) -> i32'}}
  tt.call @kernel(%i) : (i32) -> i32
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{gives 1 values of types 'i32'; 'kernel' has results of types }}
  tt.return %i : i32
}

// -----

// expected-error@below {{a pointer to a block, 'tensor<8xf32>', must be removed by Triton's pass rewrite_tensor_pointer: run it first}}
tt.func public @kernel(%p: !tt.ptr<tensor<8xf32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{a pointer to 'index'; there are pointers to integers of 1, 8, 16, 32 and 64 bits, floats of 8 to 64 bits, and pointers}}
tt.func public @kernel(%p: !tt.ptr<index>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{a pointer into address space 3; kernels access only device memory, which is address space 1}}
tt.func public @kernel(%p: !tt.ptr<f32, 3>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{a descriptor of blocks 'tensor<?xf32>'; a block has a constant shape, and numbers}}
tt.func public @kernel(%d: !tt.tensordesc<tensor<?xf32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{a descriptor of blocks of 0 dimensions; expected 1 to 5}}
tt.func public @kernel(%d: !tt.tensordesc<tensor<f32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{'kernel' takes or gives a value of type 'index'; functions pass numbers, pointers, tensors and descriptors}}
tt.func public @kernel(%d: index) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{'kernel' is a kernel, and returns a value of type 'i32'; store it through a pointer}}
tt.func public @kernel(%i: i32) -> i32 attributes {noinline = false} {
  tt.return %i : i32
}

// -----

// expected-error@below {{'kernel' is a kernel without a body}}
tt.func public @kernel(%i: i32) attributes {noinline = false}

// -----

// expected-error@below {{expected the address space "constant", "global" or a number, got "shared"}}
tt.func public @kernel(%p: !tt.ptr<f32, "shared">) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a block of numbers, got elements of type 'index'}}
tt.func public @kernel(%d: !tt.tensordesc<4x16xindex>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a tensor type, got 'f32'}}
tt.func public @kernel(%d: !tt.tensordesc<f32>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{a descriptor with a layout, 'tensor<4x16xf32, 1 : i64>': that is TTGIR; give Pumice the TTIR}}
tt.func public @kernel(%d: !tt.tensordesc<4x16xf32, 1>) attributes {noinline = false} {
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{has the order acq_rel; expected relaxed or acquire}}
  %0 = tt.atomic_load acq_rel, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'f32', expected 'i32'}}
  %0 = tt.atomic_load relaxed, gpu, %p : (!tt.ptr<i32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %i: i32) attributes {noinline = false} {
  // expected-error@below {{has the order acquire; expected relaxed or release}}
  tt.atomic_store acquire, gpu, %p, %i : !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i8>, %i: i8) attributes {noinline = false} {
  // expected-error@below {{polls 'i8'; expected an integer of 16, 32 or 64 bits}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %i : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %i: i32) attributes {noinline = false} {
  // expected-error@below {{has a result of type 'tensor<1xi1>', expected 'i1'}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %i : !tt.ptr<i32>, i32 -> tensor<1xi1>
  tt.return
}

// -----

tt.func public @kernel(%v: f16) attributes {noinline = false} {
  // expected-error@below {{has the rounding rtne from 'f16' to 'f16', which needs none}}
  %0 = tt.fp_to_fp %v, rounding = rtne : f16 -> f16
  tt.return
}

// -----

tt.func public @kernel(%v: f32, %w: f16) attributes {noinline = false} {
  // expected-error@below {{operand #1 must be 32-bit float, or a tensor of these, but got 'f16'}}
  %0 = "tt.approx_divf"(%v, %w) : (f32, f16) -> f32
  tt.return
}

// -----

tt.func public @kernel() attributes {noinline = false} {
  // expected-error@below {{expected the memory that a barrier orders: none, all, local, global_read, global_write, tensor_read or tensor_write, got everything}}
  ttg.barrier everything
  tt.return
}
