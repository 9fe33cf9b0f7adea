// Factors of products that subgroups multiply at once: their text, and errors.
// RUN: pumice-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.func @product
gpu.module @m {
  gpu.func @product(%s: !gpu.mma_matrix<16x32xi32, "COp">, %i: index) workgroup(%m: memref<4096xi32, #gpu.address_space<workgroup>>) kernel {
    // CHECK: vk.load_factor %{{.*}}[%{{.*}}] stride 36 : memref<4096xi32, #gpu.address_space<workgroup>> -> <16x8xsi8, a>
    %a = vk.load_factor %m[%i] stride 36 : memref<4096xi32, #gpu.address_space<workgroup>> -> <16x8xsi8, a>
    // CHECK: vk.load_factor %{{.*}}[%{{.*}}] stride 40 transposed : {{.*}} -> <8x32xui8, b>
    %b = vk.load_factor %m[%i] stride 40 transposed : memref<4096xi32, #gpu.address_space<workgroup>> -> <8x32xui8, b>
    // CHECK: vk.multiply_factors %{{.*}}, %{{.*}}, %{{.*}} : <16x8xsi8, a>, <8x32xui8, b>, !gpu.mma_matrix<16x32xi32, "COp">
    %d = vk.multiply_factors %a, %b, %s : <16x8xsi8, a>, <8x32xui8, b>, !gpu.mma_matrix<16x32xi32, "COp">
    gpu.return
  }
}

// -----

func.func @sizes(%a: !vk.factor<16x16xbf16, a>, %b: !vk.factor<8x16xbf16, b>, %s: !gpu.mma_matrix<16x16xf32, "COp">) {
  // expected-error@below {{expected a first factor of MxK, a second of KxN and a !gpu.mma_matrix of MxN as the sum, got '!vk.factor<16x16xbf16, a>', '!vk.factor<8x16xbf16, b>' and '!gpu.mma_matrix<16x16xf32, "COp">'}}
  %d = vk.multiply_factors %a, %b, %s : <16x16xbf16, a>, <8x16xbf16, b>, !gpu.mma_matrix<16x16xf32, "COp">
  return
}

// -----

func.func @order(%a: !vk.factor<16x16xf16, a>, %s: !gpu.mma_matrix<16x16xf32, "COp">) {
  // expected-error@below {{expected a first factor of MxK, a second of KxN}}
  %d = vk.multiply_factors %a, %a, %s : <16x16xf16, a>, <16x16xf16, a>, !gpu.mma_matrix<16x16xf32, "COp">
  return
}

// -----

// expected-error@below {{expected a factor such as !vk.factor<16x16xbf16, a>; b marks the second one}}
func.func private @text(!vk.factor<16xbf16, a>)

// -----

func.func @stride(%m: memref<64xf16>, %i: index) {
  // expected-error@below {{whose value is positive}}
  %a = vk.load_factor %m[%i] stride 0 : memref<64xf16> -> <16x16xf16, a>
  return
}
