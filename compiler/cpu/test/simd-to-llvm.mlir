// RUN: pumice-opt %s -pumice-simd-to-llvm | FileCheck %s
// RUN: pumice-opt %s -pumice-simd-to-llvm=avx512 | FileCheck %s --check-prefix=AVX512

// CHECK-LABEL: llvm.func @arithmetic
// CHECK: llvm.fadd %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>
// CHECK: llvm.intr.sqrt
// CHECK: llvm.mlir.poison : vector<16xf32>
// CHECK: llvm.return
llvm.func @arithmetic(%a: vector<16xf32>, %n: i32) -> vector<16xf32> {
  %0 = arith.addf %a, %a fastmath<contract> : vector<16xf32>
  %1 = math.sqrt %0 : vector<16xf32>
  %2 = vector.broadcast %n : i32 to vector<16xi32>
  %3 = arith.sitofp %2 : vector<16xi32> to vector<16xf32>
  %4 = ub.poison : vector<16xf32>
  %5 = vector.shuffle %1, %4 [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : vector<16xf32>, vector<16xf32>
  %6 = arith.mulf %5, %3 : vector<16xf32>
  llvm.return %6 : vector<16xf32>
}

// AVX512-LABEL: llvm.func @functions
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.rsqrt14.ps.512"
// AVX512: llvm.intr.fma
// AVX512: llvm.fcmp "ord"
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX512: llvm.insertelement
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX512: llvm.extractelement
llvm.func @functions(%a: vector<16xf32>, %b: f32) -> f32 {
  %0 = math.rsqrt %a : vector<16xf32>
  %1 = math.exp %0 : vector<16xf32>
  %2 = math.exp2 %b : f32
  llvm.return %2 : f32
}
