//===- Avx512MathTest.cpp - vector functions compared with f64 --------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/testing/NativeModule.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace pumice;
using namespace pumice::cpu;
using cpu::testing::Loaded;

namespace {

constexpr size_t lanes = 16;

/// Returns a kernel that applies the function to the first buffer and writes the second one. Each
/// workgroup handles a vector of 16.
std::string kernelOf(const std::string &function) {
  return R"(
llvm.func @k(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64,
             %end: i64) -> i32
    attributes {lane.kernel, lane.subgroup_size = 16 : i32,
                lane.workgroup_size = array<i32: 16, 1, 1>, lane.shared_bytes = 0 : i64,
                lane.scratch_bytes = 0 : i64, lane.push_constant_bytes = 0 : i64,
                lane.bindings = array<i32: 0, 0, 0, 0, 1, 0>} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %field = llvm.getelementptr %launch[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %buffers = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %from = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %buffers[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %to = llvm.load %second : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop(%begin : i64)
^loop(%i: i64):
  %more = llvm.icmp "ult" %i, %end : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %p = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<16xf32>
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %y = )" +
         function +
         R"( %x : vector<16xf32>
  %q = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<16xf32>
  llvm.store %y, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^done:
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
)";
}

/// Returns the error of `got`, in units in the last place.
double error(float got, double right) {
  float rounded = static_cast<float>(right);
  if (std::isnan(right) || std::isinf(rounded) || std::isinf(got))
    return (std::isnan(right) && std::isnan(got)) || got == rounded ? 0 : INFINITY;
  double unit =
      std::max(std::ldexp(1.0, std::ilogb(std::max(std::fabs(right), 1e-300)) - 23), 0x1p-149);
  return std::fabs(got - right) / unit;
}

void expectWithin(double limit, const std::string &function, double (*right)(double)) {
  if (hostCpu().lanes != lanes)
    GTEST_SKIP() << "this machine has no AVX-512";
  Loaded loaded(kernelOf(function).c_str(), createSimdToLlvm({/*avx512=*/true}));
  ASSERT_NE(loaded.info, nullptr);
  std::vector<float> from = {
      0.0f,      -0.0f,      INFINITY,  -INFINITY,       NAN,       1.0f,      -1.0f,
      0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 88.72283f, 88.72284f, -87.3366f,
      -103.97f,  -103.98f,   128.0f,    127.99999f,      -149.0f,   -149.5f,   -150.0f,
      95.5f,     -110.5f,    1e30f,     -1e30f};
  std::mt19937 random(1);
  while (from.size() < (1 << 20))
    from.push_back(from.size() % 2 ? std::bit_cast<float>(uint32_t(random()))
                                   : float(int32_t(random())) * 0x1p-24f);
  std::vector<float> to(from.size());
  executable::NativeBuffer buffers[] = {{from.data(), 4 * from.size()}, {to.data(), 4 * to.size()}};
  executable::NativeLaunch launch;
  launch.buffers = buffers;
  ASSERT_EQ(loaded.info->run(&launch, nullptr, nullptr, 0, from.size() / lanes), 0u);
  for (size_t i = 0; i < from.size(); ++i)
    ASSERT_LT(error(to[i], right(from[i])), limit)
        << function << " of " << from[i] << " is " << to[i] << ", not " << right(from[i]);
}

TEST(Avx512Math, Rsqrt) {
  expectWithin(1.1, "math.rsqrt", [](double x) { return 1 / std::sqrt(x); });
}
TEST(Avx512Math, Exp) {
  expectWithin(1.0, "math.exp", [](double x) { return std::exp(x); });
}
TEST(Avx512Math, Exp2) {
  expectWithin(1.0, "math.exp2", [](double x) { return std::exp2(x); });
}

} // namespace
