// RUN: pumice-opt %s --split-input-file --verify-diagnostics
// Errors of verifiers name the place and the value, and say what to do instead.

tt.func public @kernel(%v: tensor<3xf32>) attributes {noinline = false} {
  // expected-error@below {{'tt.precise_sqrt' op expected dimensions that are powers of two, got 3 in 'tensor<3xf32>'; use the next power of two and a mask}}
  %0 = tt.precise_sqrt %v : tensor<3xf32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{expected at most 1048576 elements, got 'tensor<2048x1024xf32>'; use a smaller block, and a loop or a larger grid}}
  %0 = tt.splat %f : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{expected a tensor without a layout, got }}
  %0 = tt.splat %f : f32 -> tensor<8xf32, dense<0> : tensor<1xi32>>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result with as many bits as 'f32', got 'i16'}}
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{expected two numbers or two pointers, got '!tt.ptr<f32>' and 'i64'; convert by tt.int_to_ptr or tt.ptr_to_int}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected an operand and a result of the same shape, got 'tensor<8xf32>' and 'tensor<4xi32>'}}
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a rounding from 'f32' to 'f16', got none; give rtne or rtz}}
  %0 = tt.fp_to_fp %v : tensor<8xf32> -> tensor<8xf16>
  tt.return
}

// -----

tt.func public @kernel(%v: f16) attributes {noinline = false} {
  // expected-error@below {{expected no rounding from 'f16' to 'f32', got rtz}}
  %0 = tt.fp_to_fp %v, rounding = rtz : f16 -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %i: tensor<8xi32>) attributes {noinline = false} {
  // expected-error@below {{expected a pointer and an offset of the same shape, got '!tt.ptr<f32>' and 'tensor<8xi32>'}}
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, tensor<8xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>, %s: f32) attributes {noinline = false} {
  // expected-error@below {{expected an operand and a result of the same shape, got 'f32' and 'tensor<8xf32>'}}
  %0 = tt.extern_elementwise %v, %s {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>, f32) -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel() attributes {noinline = false} {
  // expected-error@below {{expected an end greater than the start 8, got 4}}
  %0 = tt.make_range {end = 4 : i32, start = 8 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel() attributes {noinline = false} {
  // expected-error@below {{expected a tensor of 8 elements for 0 to 8, got 'tensor<4xi32>'}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%f: f32) attributes {noinline = false} {
  // expected-error@below {{expected an operand of type 'f16', got 'f32'}}
  %0 = tt.splat %f : f32 -> tensor<8xf16>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a tensor of one element, got 'tensor<8xf32>'}}
  %0 = tt.unsplat %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected an axis of a tensor of 2 dimensions, got 2}}
  %0 = tt.expand_dims %v {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'tensor<1x8xf32>', got 'tensor<8x1xf32>'}}
  %0 = tt.expand_dims %v {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result that repeats only dimensions of one element of 'tensor<8xf32>', got 'tensor<16xf32>'}}
  %0 = tt.broadcast %v : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result with the number and type of the elements of 'tensor<8xf32>', got 'tensor<4x4xf32>'}}
  %0 = tt.reshape %v : tensor<8xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected each of the 2 dimensions once in the order, got 1, 1}}
  %0 = tt.trans %m {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected operands of one dimension, got 'tensor<4x8xf32>'}}
  %0 = tt.cat %m, %m : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'tensor<8x2xf32>', got 'tensor<2x8xf32>'}}
  %0 = tt.join %v, %v : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected an operand whose last dimension is 2, got 'tensor<8xf32>'}}
  %0, %1 = tt.split %v : tensor<8xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xf32>, %i: tensor<2x8xi32>) attributes {noinline = false} {
  // expected-error@below {{expected a source and indices that differ only along axis 1, got 'tensor<4x8xf32>' and 'tensor<2x8xi32>'}}
  %0 = tt.gather %m[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%m: tensor<4x8xi32>) attributes {noinline = false} {
  // expected-error@below {{expected a source and a result of one dimension, got 'tensor<4x8xi32>'}}
  %0 = tt.histogram %m : tensor<4x8xi32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a pointer or a tensor of pointers, got 'tensor<8xf32>'}}
  %0 = tt.load %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = false} {
  // expected-error@below {{expected a mask that chooses the other values, got none}}
  %0 = "tt.load"(%p, %f) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'f32', got 'f16'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32, %m: tensor<4xi1>) attributes {noinline = false} {
  // expected-error@below {{expected a pointer and a mask of the same shape, got '!tt.ptr<f32>' and 'tensor<4xi1>'}}
  "tt.store"(%p, %f, %m) : (!tt.ptr<f32>, f32, tensor<4xi1>) -> ()
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = false} {
  // expected-error@below {{expected fadd or exch for elements of type 'f32', got add}}
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
  // expected-error@below {{expected an expected value of type 'f32', got 'i32'}}
  %0 = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<f32>, i32, i32) -> i32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{expected 2 lengths for blocks 'tensor<4x8xf32>', got 1}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l, %l] : <f32>, <tensor<4x8xf32>>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{expected floats to pad with NaN, got 'si32'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l] {padding = 2 : i32} : <i32>, <tensor<8xsi32>>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<f16>, %n: i32, %l: i64) attributes {noinline = false} {
  // expected-error@below {{expected a pointer to the elements of blocks 'tensor<8xf32>', got '!tt.ptr<f16>'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%l] : <f16>, <tensor<8xf32>>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<4x8xf32>>, %n: i32) attributes {noinline = false} {
  // expected-error@below {{expected 2 indices for blocks 'tensor<4x8xf32>', got 1}}
  %0 = tt.descriptor_load %d[%n] : !tt.tensordesc<tensor<4x8xf32>> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<8xui32>>, %n: i32, %v: tensor<4xi32>) attributes {noinline = false} {
  // expected-error@below {{expected a tensor with the elements of a block 'tensor<8xui32>', got 'tensor<4xi32>'}}
  tt.descriptor_store %d[%n], %v : !tt.tensordesc<tensor<8xui32>>, tensor<4xi32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<8xf32>>, %n: i32, %v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected add, min or max for elements of type 'f32', got xor}}
  tt.descriptor_reduce xor, %d[%n], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<4x8xf32>>, %n: i32, %r: tensor<8xi32>) attributes {noinline = false} {
  // expected-error@below {{expected a descriptor of blocks of one row, in two dimensions, got 'tensor<4x8xf32>'}}
  %0 = tt.descriptor_gather %d[%r, %n] : (!tt.tensordesc<tensor<4x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%d: !tt.tensordesc<tensor<1x8xf32>>, %n: i32, %r: tensor<8xi32>, %v: tensor<4x8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected values of type 'tensor<8x8xf32>', got 'tensor<4x8xf32>'}}
  tt.descriptor_scatter %d[%r, %n], %v : !tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32, tensor<4x8xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<16x8xf16>, %c: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a product of MxK times KxN into MxN, got 16x8 times 16x8 into 16x16}}
  %0 = tt.dot %a, %a, %c : tensor<16x8xf16> * tensor<16x8xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{expected two factors of the same type, or floats of 8 bits, got 'f16' and 'bf16'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf16>) attributes {noinline = false} {
  // expected-error@below {{expected factors and a sum of types that fit: i8 and i32, or floats and the same type or f32, or floats of 8 bits and f16, got 'f32' and 'f16'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func public @kernel(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{expected batches of the same length, got 'tensor<2x16x16xf16>' times 'tensor<4x16x16xf16>' into 'tensor<2x16x16xf32>'}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected matrices of two dimensions, or three with a batch, got 'tensor<8xf32>'}}
  %0 = tt.dot %v, %v, %v : tensor<8xf32> * tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%b: tensor<16x32xi8>, %bk: tensor<32x16xi8>, %s: tensor<16x4xi8>, %f: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{expected scales of type 'tensor<16x2xi8>', got 'tensor<16x4xi8>'}}
  %0 = tt.dot_scaled %b scale %s, %bk, %f lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8>, tensor<16x4xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%b: tensor<16x32xi8>, %bk: tensor<32x16xi8>, %f: tensor<16x16xf32>) attributes {noinline = false} {
  // expected-error@below {{expected an operand of format e2m1, e4m3, e5m2, bf16 or fp16, got e2m3}}
  %0 = tt.dot_scaled %b, %bk, %f lhs = e2m3 rhs = e2m1 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected an axis of a tensor of 1 dimensions, got 1}}
  %0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a region with arguments of types 'f32', 'f32', got 'f32'}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a divisor of the number of elements of 'tensor<8xf32>' as pack, got 3}}
  %0 = "tt.map_elementwise"(%v) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%v: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{expected a number in isSigned for each of the 1 values, got 0}}
  tt.print " v: " {hex = false, isSigned = array<i32>} : %v : tensor<8xf32>
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{expected a tt.func 'nobody' in the module, got none}}
  tt.call @nobody(%i) : (i32) -> ()
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{expected a call of 'kernel' with its type '(i32) -> ()', got '(i32) -> i32'}}
  tt.call @kernel(%i) : (i32) -> i32
  tt.return
}

// -----

tt.func public @kernel(%i: i32) attributes {noinline = false} {
  // expected-error@below {{expected 0 values for 'kernel' of type '(i32) -> ()', got 1 of types 'i32'}}
  tt.return %i : i32
}

// -----

// expected-error@below {{a pointer to a block, 'tensor<8xf32>', must be removed by Triton's pass rewrite_tensor_pointer: run it first}}
tt.func public @kernel(%p: !tt.ptr<tensor<8xf32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a pointer to integers of 1, 8, 16, 32 or 64 bits, to floats of 8 to 64 bits, or to pointers, got 'index'}}
tt.func public @kernel(%p: !tt.ptr<index>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a pointer into device memory (address space 1), got address space 3}}
tt.func public @kernel(%p: !tt.ptr<f32, 3>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a descriptor of blocks of numbers with a constant shape, got 'tensor<?xf32>'}}
tt.func public @kernel(%d: !tt.tensordesc<tensor<?xf32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected a descriptor of blocks of 1 to 5 dimensions, got 0}}
tt.func public @kernel(%d: !tt.tensordesc<tensor<f32>>) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected numbers, pointers, tensors or descriptors as arguments and results of 'kernel', got 'index'}}
tt.func public @kernel(%d: index) attributes {noinline = false} {
  tt.return
}

// -----

// expected-error@below {{expected no results of the kernel 'kernel', got 'i32'; store it through a pointer}}
tt.func public @kernel(%i: i32) -> i32 attributes {noinline = false} {
  tt.return %i : i32
}

// -----

// expected-error@below {{expected a body of the kernel 'kernel', got none}}
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

// expected-error@below {{expected a descriptor without a layout, got 'tensor<4x16xf32, 1 : i64>'; this is TTGIR: give Pumice the TTIR}}
tt.func public @kernel(%d: !tt.tensordesc<4x16xf32, 1>) attributes {noinline = false} {
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{expected the order relaxed or acquire, got acq_rel}}
  %0 = tt.atomic_load acq_rel, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'i32', got 'f32'}}
  %0 = tt.atomic_load relaxed, gpu, %p : (!tt.ptr<i32>) -> f32
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %i: i32) attributes {noinline = false} {
  // expected-error@below {{expected the order relaxed or release, got acquire}}
  tt.atomic_store acquire, gpu, %p, %i : !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i8>, %i: i8) attributes {noinline = false} {
  // expected-error@below {{expected an integer of 16, 32 or 64 bits, got 'i8'}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %i : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

tt.func public @kernel(%p: !tt.ptr<i32>, %i: i32) attributes {noinline = false} {
  // expected-error@below {{expected a result of type 'i1', got 'tensor<1xi1>'}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %i : !tt.ptr<i32>, i32 -> tensor<1xi1>
  tt.return
}

// -----

tt.func public @kernel(%v: f16) attributes {noinline = false} {
  // expected-error@below {{expected no rounding from 'f16' to 'f16', got rtne}}
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
