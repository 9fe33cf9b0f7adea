//===- EveryFloatTest.cpp - functions of one f32, for every f32 -------------===//
// Compiles kernels of one instruction of GLSL.std.450 or OpenCL.std to native code for this
// machine. Results are compared with a double-precision reference. If an error is near the bound,
// or the reference is NaN, MPFR computes the result instead. By default, one input in 4093 is
// tested. With PUMICE_EVERY_FLOAT, every input is tested, also for lower levels of this machine.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/CompileNative.h"
#include "compiler/cpu/testing/NativeModule.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <deque>
#include <mpfr.h>
#include <mutex>
#include <thread>

using namespace pumice;
using namespace pumice::cpu;
using cpu::testing::Loaded;

namespace {

using Reference = double (*)(double);
using Exact = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

struct Function {
  const char *instruction;
  Reference reference;
  Exact exact;
  double bound; // units in the last place
};

// Reduces x by round(x), which is exact. The product with π then stays away from the arguments at
// which the functions lose precision.
double sinOfPi(double x) {
  double whole = std::nearbyint(x), rest = x - whole;
  double sine = std::sin(M_PI * rest);
  return std::fmod(whole, 2) == 0 ? sine : -sine;
}
double cosOfPi(double x) {
  double whole = std::nearbyint(x), rest = std::abs(x - whole);
  double cosine = rest > 0.25 ? std::sin(M_PI * (0.5 - rest)) : std::cos(M_PI * rest);
  return std::fmod(whole, 2) == 0 ? cosine : -cosine;
}

// Bounds are those of docs/precision.md, or else the stricter of Vulkan's and OpenCL's bounds.
const Function functions[] = {
    {"GLSL.std.450/Exp", [](double x) { return std::exp(x); }, mpfr_exp, 3},
    {"GLSL.std.450/Exp2", [](double x) { return std::exp2(x); }, mpfr_exp2, 3},
    {"GLSL.std.450/Log", [](double x) { return std::log(x); }, mpfr_log, 3},
    {"GLSL.std.450/Log2", [](double x) { return std::log2(x); }, mpfr_log2, 3},
    {"GLSL.std.450/Sqrt", [](double x) { return std::sqrt(x); }, mpfr_sqrt, 0.5},
    {"GLSL.std.450/InverseSqrt", [](double x) { return 1 / std::sqrt(x); }, mpfr_rec_sqrt, 2},
    {"GLSL.std.450/Sin", [](double x) { return std::sin(x); }, mpfr_sin, 1},
    {"GLSL.std.450/Cos", [](double x) { return std::cos(x); }, mpfr_cos, 1},
    {"GLSL.std.450/Tan", [](double x) { return std::tan(x); }, mpfr_tan, 1.5},
    {"GLSL.std.450/Asin", [](double x) { return std::asin(x); }, mpfr_asin, 1.5},
    {"GLSL.std.450/Acos", [](double x) { return std::acos(x); }, mpfr_acos, 1.5},
    {"GLSL.std.450/Atan", [](double x) { return std::atan(x); }, mpfr_atan, 2},
    {"GLSL.std.450/Sinh", [](double x) { return std::sinh(x); }, mpfr_sinh, 2},
    {"GLSL.std.450/Cosh", [](double x) { return std::cosh(x); }, mpfr_cosh, 2},
    {"GLSL.std.450/Tanh", [](double x) { return std::tanh(x); }, mpfr_tanh, 2},
    {"GLSL.std.450/Asinh", [](double x) { return std::asinh(x); }, mpfr_asinh, 2},
    {"GLSL.std.450/Acosh", [](double x) { return std::acosh(x); }, mpfr_acosh, 2.5},
    {"GLSL.std.450/Atanh", [](double x) { return std::atanh(x); }, mpfr_atanh, 2.5},
    {"OpenCL.std/exp10", [](double x) { return ::exp10(x); }, mpfr_exp10, 3},
    {"OpenCL.std/expm1", [](double x) { return std::expm1(x); }, mpfr_expm1, 1.5},
    {"OpenCL.std/log10", [](double x) { return std::log10(x); }, mpfr_log10, 1.5},
    {"OpenCL.std/log1p", [](double x) { return std::log1p(x); }, mpfr_log1p, 1.5},
    {"OpenCL.std/cbrt", [](double x) { return std::cbrt(x); }, mpfr_cbrt, 1},
    {"OpenCL.std/erf", [](double x) { return std::erf(x); }, mpfr_erf, 1.5},
    {"OpenCL.std/erfc", [](double x) { return std::erfc(x); }, mpfr_erfc, 2},
    {"OpenCL.std/sinpi", sinOfPi, mpfr_sinpi, 4},
    {"OpenCL.std/cospi", cosOfPi, mpfr_cospi, 4},
    {"OpenCL.std/tanpi", [](double x) { return sinOfPi(x) / cosOfPi(x); }, mpfr_tanpi, 6},
    {"OpenCL.std/asinpi", [](double x) { return std::asin(x) / M_PI; }, mpfr_asinpi, 5},
    {"OpenCL.std/acospi", [](double x) { return std::acos(x) / M_PI; }, mpfr_acospi, 5},
    {"OpenCL.std/atanpi", [](double x) { return std::atan(x) / M_PI; }, mpfr_atanpi, 5},
    {"OpenCL.std/tgamma", [](double x) { return std::tgamma(x); }, mpfr_gamma, 16},
};

constexpr size_t chunk = size_t{1} << 16, workgroup = 256;

std::string kernelOf(const char *instruction) {
  return R"(
!buffer = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
spirv.GlobalVariable @from bind(0, 0) : !buffer
spirv.GlobalVariable @to bind(0, 1) : !buffer
spirv.func @k() "None" attributes {lane.workgroup_size = array<i32: 256, 1, 1>,
                                   spvx.entry_point = "k", spvx.execution_model = "GLCompute"} {
  %0 = spirv.Constant 0 : i32
  %id = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi32>, Input>
  %from = spirv.mlir.addressof @from : !buffer
  %to = spirv.mlir.addressof @to : !buffer
  %all = spirv.Load "Input" %id : vector<3xi32>
  %i = spirv.CompositeExtract %all[0 : i32] : vector<3xi32>
  %p = spirv.AccessChain %from[%0, %i] : !buffer, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
  %q = spirv.AccessChain %to[%0, %i] : !buffer, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
  %x = spirv.Load "StorageBuffer" %p : f32
  %y = spvx.op ")" +
         std::string(instruction) + R"("(%x) : (f32) -> f32
  spirv.Store "StorageBuffer" %q, %y : f32
  spirv.Return
})";
}

/// Returns the distance between neighbouring f32 numbers at `value`, which is finite.
double unitOf(double value) {
  uint32_t exponent = std::bit_cast<uint32_t>(static_cast<float>(value)) & 0x7f800000;
  return static_cast<double>(std::bit_cast<float>(std::max(exponent, 0x00800000u))) * 0x1p-23;
}

/// Returns whether two numbers are equal, or both are NaN.
bool same(float got, float want) {
  return got == want ? std::signbit(got) == std::signbit(want) || want == 0
                     : std::isnan(got) && std::isnan(want);
}

/// Checks a result with MPFR. If the exact result exceeds the largest number, both that number and
/// infinity are right.
bool holdsExactly(const Function &function, float x, float got) {
  mpfr_t argument, exact;
  mpfr_init2(argument, 128);
  mpfr_init2(exact, 128);
  mpfr_set_d(argument, x, MPFR_RNDN);
  function.exact(exact, argument, MPFR_RNDN);
  float near = mpfr_get_flt(exact, MPFR_RNDN);
  bool holds = same(got, near);
  if (!holds && !std::isnan(near) && !std::isnan(got)) {
    constexpr float most = std::numeric_limits<float>::max();
    double want = std::clamp<double>(mpfr_get_d(exact, MPFR_RNDN), -most, most);
    double found = std::clamp<double>(got, -most, most);
    mpfr_sub_d(exact, exact, found, MPFR_RNDN);
    double error = std::isinf(near) || std::isinf(got) ? std::abs(want - found)
                                                       : std::abs(mpfr_get_d(exact, MPFR_RNDN));
    holds = error <= function.bound * unitOf(want);
  }
  mpfr_clear(argument);
  mpfr_clear(exact);
  return holds;
}

struct Outcome {
  uint64_t wrong = 0;
  double worst = 0; // relative to the bound
  float where = 0, first = 0, firstGot = 0;
};

/// The unit in which kernels' scratch memory is allocated.
struct alignas(64) Line {
  std::byte bytes[64];
};

class Comparison {
public:
  Comparison(const Function &function, llvm::ArrayRef<const executable::NativeKernelInfo *> kernels,
             uint64_t step)
      : function(function), kernels(kernels), step(step), all(kernels.size()) {}

  /// Returns an outcome for each kernel.
  std::vector<Outcome> run() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([this] { work(); });
    threads.clear();
    return all;
  }

private:
  void work() {
    std::vector<float> x(chunk), y(chunk);
    std::vector<double> want(chunk);
    std::vector<Outcome> own(kernels.size());
    for (uint64_t at = next.fetch_add(chunk); at * step < uint64_t{1} << 32;
         at = next.fetch_add(chunk)) {
      for (size_t i = 0; i < chunk; ++i) {
        x[i] = std::bit_cast<float>(static_cast<uint32_t>((at + i) * step));
        want[i] = function.reference(x[i]);
      }
      for (size_t k = 0; k < kernels.size(); ++k) {
        executable::NativeBuffer buffers[2] = {{x.data(), chunk * 4}, {y.data(), chunk * 4}};
        executable::NativeLaunch launch;
        launch.groups[0] = chunk / workgroup;
        launch.buffers = buffers;
        std::vector<Line> scratch(kernels[k]->scratchBytes / sizeof(Line) + 1);
        executable::runNative(kernels[k]->run, launch, nullptr, scratch.data(), 0,
                              launch.groups[0]);
        for (size_t i = 0; i < chunk; ++i)
          compare(x[i], y[i], want[i], own[k]);
      }
    }
    mpfr_free_cache();
    std::lock_guard lock(mutex);
    for (size_t k = 0; k < kernels.size(); ++k)
      add(own[k], all[k]);
  }

  void compare(float x, float got, double want, Outcome &own) const {
    float near = static_cast<float>(want);
    if (!std::isfinite(near) && same(got, near))
      return;
    double share = std::abs(got - want) / (function.bound * unitOf(want)); // may be NaN
    if (share > own.worst && share <= 1)
      own.worst = share, own.where = x;
    if (share < 0.99 || holdsExactly(function, x, got))
      return;
    if (!own.wrong++)
      own.first = x, own.firstGot = got;
  }

  static void add(const Outcome &part, Outcome &whole) {
    if (part.wrong && !whole.wrong)
      whole.first = part.first, whole.firstGot = part.firstGot;
    whole.wrong += part.wrong;
    if (part.worst > whole.worst)
      whole.worst = part.worst, whole.where = part.where;
  }

  const Function &function;
  const llvm::ArrayRef<const executable::NativeKernelInfo *> kernels;
  const uint64_t step;
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::vector<Outcome> all;
};

std::vector<NativeCpu> processors(bool all) {
  std::vector<NativeCpu> list = {hostCpu()};
  if (all && hostCpu().lanes > 8)
    list.push_back(*namedCpu("x86-64-v3"));
  if (all && hostCpu().lanes > 4)
    list.push_back(*namedCpu("x86-64-v2"));
  return list;
}

class EveryFloat : public ::testing::TestWithParam<Function> {};

TEST_P(EveryFloat, HoldsItsBound) {
  const Function &function = GetParam();
  bool every = std::getenv("PUMICE_EVERY_FLOAT") != nullptr;
  std::vector<NativeCpu> cpus = processors(every);
  std::deque<Loaded> loaded;
  std::vector<const executable::NativeKernelInfo *> kernels;
  for (const NativeCpu &cpu : cpus) {
    loaded.emplace_back(
        kernelOf(function.instruction).c_str(), cpu,
        [&](mlir::PassManager &passes) { buildCpuPipeline(passes, cpu.lanes, cpu.features); });
    ASSERT_NE(loaded.back().info, nullptr);
    kernels.push_back(loaded.back().info);
  }
  std::vector<Outcome> found = Comparison(function, kernels, every ? 1 : 4093).run();
  for (size_t k = 0; k < cpus.size(); ++k) {
    printf("%-24s %-16s %.3f ulp (bound %.1f) at %a\n", function.instruction, cpus[k].name.c_str(),
           found[k].worst * function.bound, function.bound, double(found[k].where));
    fflush(stdout);
    EXPECT_EQ(found[k].wrong, 0u) << cpus[k].name << ": first " << found[k].first << " to "
                                  << found[k].firstGot;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryFloat, ::testing::ValuesIn(functions),
                         [](const auto &info) {
                           std::string name = info.param.instruction;
                           for (char &each : name)
                             if (!std::isalnum(static_cast<unsigned char>(each)))
                               each = '_';
                           return name;
                         });

} // namespace
