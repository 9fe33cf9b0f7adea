// RUN: pumice-opt %s --split-input-file --pumice-read-inline-assembly --verify-diagnostics

tt.func public @unknown(%x: i32) attributes {noinline = false} {
  // expected-error@below {{inline assembly, line 2: unsupported PTX instruction 'mma.sync.aligned'; multiply matrices with tl.dot}}
  %y = tt.elementwise_inline_asm "// first\0Amma.sync.aligned $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func public @counts(%x: tensor<8xf16>) attributes {noinline = false} {
  // expected-error@below {{inline assembly: the constraints '=r,r,r' name 1 results and 2 operands; with pack=2, the values take 1 and 1}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r,r", packed_element = 2 : i32, pure = true} %x : tensor<8xf16> -> tensor<8xf16>
  tt.return
}

// -----

tt.func public @widths(%x: i64) attributes {noinline = false} {
  // expected-error@below {{inline assembly: $1 is a register of 32 bits by its constraint, and holds 64 bits; h holds 16, r and f 32, l and d 64}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i64 -> i32
  tt.return
}

// -----

tt.func public @packs(%x: tensor<8xf32>) attributes {noinline = false} {
  // expected-error@below {{inline assembly: pack is 3; expected a power of two up to 64}}
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 3 : i32, pure = true} %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @packed_pointers(%x: tensor<8x!tt.ptr<f32>>) attributes {noinline = false} {
  // expected-error@below {{inline assembly: pointers take one element at a time; use pack=1}}
  %y = tt.elementwise_inline_asm "ld.global.b32 $0, [$2];" {constraints = "=r,=r,l,l", packed_element = 2 : i32, pure = true} %x : tensor<8x!tt.ptr<f32>> -> tensor<8xf32>
  tt.return
}

// -----

tt.func public @shared(%x: !tt.ptr<f32>) attributes {noinline = false} {
  // expected-error@below {{'ld.shared.b32' accesses .shared memory, which kernels of Triton cannot name}}
  %y = tt.elementwise_inline_asm "ld.shared.b32 $0, [$1];" {constraints = "=r,l", packed_element = 1 : i32, pure = true} %x : !tt.ptr<f32> -> f32
  tt.return
}

// -----

tt.func public @unwritten(%x: i32) attributes {noinline = false} {
  // expected-error@below {{inline assembly, line 1: register 't' is read before it is written}}
  %y = tt.elementwise_inline_asm "{ .reg .b32 t; mov.b32 $0, t; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func public @types(%x: i32) attributes {noinline = false} {
  // expected-error@below {{inline assembly: register 't' has the type '.b24'; registers have b8 to b64, u, s or f of these, or pred}}
  %y = tt.elementwise_inline_asm "{ .reg .b24 t; mov.b32 $0, $1; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func public @conversion(%x: i32) attributes {noinline = false} {
  // expected-error@below {{expected .rni, .rzi, .rmi or .rpi, got 'cvt.s32.f32'}}
  %y = tt.elementwise_inline_asm "cvt.s32.f32 $0, $1;" {constraints = "=r,f", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func public @no_type(%x: i32) attributes {noinline = false} {
  // expected-error@below {{'add' must end with a type such as .s32 or .f32, got none}}
  %y = tt.elementwise_inline_asm "add $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}
