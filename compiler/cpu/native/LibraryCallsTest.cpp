//===- LibraryCallsTest.cpp - code for processors that lack instructions ----===//
// x86-64-v2 has no f16 conversions and no fused multiply-add, and no level converts bf16. Code
// calls library functions instead. This test compares them with LLVM's software arithmetic, for
// each level that this machine supports.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/LibraryCalls.h"

#include "compiler/Registration.h"
#include "compiler/cpu/native/EmitNative.h"
#include "executable/NativeCode.h"
#include "support/CodeImage.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Module.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::cpu;
using executable::NativeKernelInfo;
using llvm::APFloat;

namespace {

// Reads f32 a, b, c and f64 d. Computes the half in a's low bits as f32, and a · b + c. Computes
// the maximum and minimum of a and b as halves. Converts a and d to halves and to bf16.
constexpr char kernel[] = R"(
llvm.func @k(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64, %end: i64)
    -> i32
    attributes {lane.kernel, lane.subgroup_size = 4 : i32,
                lane.workgroup_size = array<i32: 1, 1, 1>, lane.shared_bytes = 0 : i64,
                lane.scratch_bytes = 0 : i64, lane.push_constant_bytes = 0 : i64,
                lane.bindings = array<i32: 0, 0, 0>} {
  %field = llvm.getelementptr %launch[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %buffers = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %p = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %pb = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, i8
  %pc = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %pd = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %a = llvm.load %p : !llvm.ptr -> f32
  %b = llvm.load %pb : !llvm.ptr -> f32
  %c = llvm.load %pc : !llvm.ptr -> f32
  %d = llvm.load %pd : !llvm.ptr -> f64
  %half = llvm.load %p : !llvm.ptr -> f16
  %wide = llvm.fpext %half : f16 to f32
  %fused = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32
  %ha = llvm.fptrunc %a : f32 to f16
  %hb = llvm.fptrunc %b : f32 to f16
  %hd = llvm.fptrunc %d : f64 to f16
  %ba = llvm.fptrunc %a : f32 to bf16
  %bd = llvm.fptrunc %d : f64 to bf16
  %most = llvm.intr.maxnum(%ha, %hb) : (f16, f16) -> f16
  %least = llvm.intr.minnum(%ha, %hb) : (f16, f16) -> f16
  %p0 = llvm.getelementptr %p[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %p1 = llvm.getelementptr %p[28] : (!llvm.ptr) -> !llvm.ptr, i8
  %p2 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %p3 = llvm.getelementptr %p[34] : (!llvm.ptr) -> !llvm.ptr, i8
  %p4 = llvm.getelementptr %p[36] : (!llvm.ptr) -> !llvm.ptr, i8
  %p5 = llvm.getelementptr %p[38] : (!llvm.ptr) -> !llvm.ptr, i8
  %p6 = llvm.getelementptr %p[40] : (!llvm.ptr) -> !llvm.ptr, i8
  %p7 = llvm.getelementptr %p[42] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %ba, %p6 : bf16, !llvm.ptr
  llvm.store %bd, %p7 : bf16, !llvm.ptr
  llvm.store %wide, %p0 : f32, !llvm.ptr
  llvm.store %fused, %p1 : f32, !llvm.ptr
  llvm.store %most, %p2 : f16, !llvm.ptr
  llvm.store %least, %p3 : f16, !llvm.ptr
  llvm.store %ha, %p4 : f16, !llvm.ptr
  llvm.store %hd, %p5 : f16, !llvm.ptr
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
)";

struct Values {
  float a, b, c;
  uint32_t unused;
  double d;
  float wide, fused;
  uint16_t most, least, ha, hd, ba, bd;
};
static_assert(offsetof(Values, bd) == 42);

std::vector<uint8_t> codeFor(const char *cpu) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context);
  auto bytes = emitNative(*module, *namedCpu(cpu));
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes.isOk() ? *bytes : std::vector<uint8_t>();
}

std::vector<std::string> leftOpen(const std::vector<uint8_t> &code) {
  return undefinedSymbols({reinterpret_cast<const char *>(code.data()), code.size()});
}

/// Returns the value rounded to any format. Every NaN becomes the same number.
uint16_t rounded(APFloat value, const llvm::fltSemantics &format) {
  bool loses = false;
  value.convert(format, APFloat::rmNearestTiesToEven, &loses);
  if (value.isNaN())
    value = APFloat::getQNaN(format);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}
uint16_t halfOf(const APFloat &value) { return rounded(value, APFloat::IEEEhalf()); }
uint16_t brainOf(const APFloat &value) { return rounded(value, APFloat::BFloat()); }
uint16_t oneNan(uint16_t half) { return (half & 0x7fff) > 0x7dff ? 0x7e00 : half; }
/// Returns the same number for every NaN. The NaN must be quiet already.
uint16_t oneBrainNan(uint16_t brain) { return (brain & 0x7fff) > 0x7fbf ? 0x7fc0 : brain; }

float floatOf(uint16_t half) {
  bool loses = false;
  APFloat value(APFloat::IEEEhalf(), llvm::APInt(16, half));
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToFloat();
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

uint64_t nextRandom(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ (state >> 29);
}

/// Returns numbers of all sizes. Every second number is in or near the range of f16.
Values valuesOf(uint64_t i, uint64_t &random) {
  Values v{};
  uint64_t r = nextRandom(random), s = nextRandom(random);
  if (i % 8 == 2) // between numbers of bf16, and close to the midpoint of two
    r = (r & ~uint64_t{0x1fff'ffff'ffff}) + 0x1000'0000'0000 +
        (s % 3 - 1) * (i % 16 == 2 ? 1 : uint64_t{1} << 29);
  uint32_t bits = static_cast<uint32_t>(r & ~uint64_t{0xffff}) | static_cast<uint16_t>(i);
  v.a = std::bit_cast<float>(bits);
  v.b = std::bit_cast<float>(static_cast<uint32_t>(s));
  v.c = std::bit_cast<float>(static_cast<uint32_t>(s >> 32));
  v.d = std::bit_cast<double>(r);
  if (i % 2 == 0)
    return v;
  // Makes an f16 number, or the midpoint of two, or a number slightly above or below.
  auto near = static_cast<double>(floatOf(static_cast<uint16_t>(i)));
  double between = near + static_cast<double>(floatOf(static_cast<uint16_t>(i + 1)));
  v.d = std::isfinite(between) ? between / 2 : near;
  if (i % 4 == 3)
    v.d = std::nextafter(v.d, r % 2 ? 1e9 : -1e9);
  v.c = static_cast<float>(-v.d);
  return v;
}

void compare(const Values &v, uint64_t i) {
  EXPECT_TRUE(same(v.wide, floatOf(static_cast<uint16_t>(std::bit_cast<uint32_t>(v.a))))) << i;
  EXPECT_EQ(oneNan(v.ha), halfOf(APFloat(v.a))) << v.a;
  EXPECT_EQ(oneNan(v.hd), halfOf(APFloat(v.d))) << v.d;
  EXPECT_EQ(oneBrainNan(v.ba), brainOf(APFloat(v.a))) << v.a;
  EXPECT_EQ(oneBrainNan(v.bd), brainOf(APFloat(v.d))) << v.d;
  APFloat fused(v.a);
  fused.fusedMultiplyAdd(APFloat(v.b), APFloat(v.c), APFloat::rmNearestTiesToEven);
  EXPECT_TRUE(same(v.fused, fused.convertToFloat())) << v.a << " " << v.b << " " << v.c;
  float a = floatOf(v.ha), b = floatOf(halfOf(APFloat(v.b)));
  // If both are zeros of different signs, the operation may return either one.
  if (!std::isnan(a) || !std::isnan(b)) {
    EXPECT_EQ(floatOf(v.most), std::fmax(a, b));
    EXPECT_EQ(floatOf(v.least), std::fmin(a, b));
  }
}

class LibraryCallsOf : public ::testing::TestWithParam<const char *> {};

} // namespace

TEST_P(LibraryCallsOf, AreRightAndComplete) {
  std::vector<uint8_t> code = codeFor(GetParam());
  for (const std::string &symbol : leftOpen(code))
    EXPECT_TRUE(everyProcessHas(symbol)) << symbol;
  Result<CodeImage> image = CodeImage::load(code, "library-calls");
  if (image.status().code() == StatusCode::Unsupported)
    GTEST_SKIP() << image.status().message(); // not an x86-64 machine
  ASSERT_TRUE(image.isOk()) << image.status().message();
  if (namedCpu(GetParam())->lanes > hostCpu().lanes)
    GTEST_SKIP() << "this processor does not run " << GetParam();
  auto *info = static_cast<const NativeKernelInfo *>(image->symbol(executable::nativeInfoSymbol));
  ASSERT_NE(info, nullptr);
  uint64_t random = 1;
  for (uint64_t i = 0; i < 1u << 20 && !HasFailure(); ++i) {
    Values v = valuesOf(i, random);
    executable::NativeBuffer buffer{&v, sizeof v};
    executable::NativeLaunch launch;
    launch.buffers = &buffer;
    executable::runNative(info->run, launch, nullptr, nullptr, 0, 1);
    compare(v, i);
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, LibraryCallsOf,
                         ::testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4"),
                         [](const auto &level) { return std::string(level.param).substr(7); });

TEST(LibraryCalls, OnlyRequestedFunctionsAreBuilt) {
  llvm::LLVMContext context;
  EXPECT_EQ(libraryCalls(context, {}), nullptr);
  EXPECT_EQ(libraryCalls(context, {"memcpy", "fma"}), nullptr);
  EXPECT_EQ(libraryCalls(context, {"printf"}), nullptr);
  auto one = libraryCalls(context, {"fmaf", "memset"});
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->size(), 1u);
  EXPECT_TRUE(one->getFunction("fmaf")->hasHiddenVisibility());
  auto touch = libraryCalls(context, {"___chkstk_ms"}); // stack pages of Windows
  ASSERT_NE(touch, nullptr);
  EXPECT_EQ(touch->size(), 0u);
  EXPECT_FALSE(touch->getModuleInlineAsm().empty());
}

TEST(LibraryCalls, OtherProcessorsNeedNone) {
  EXPECT_TRUE(leftOpen(codeFor("aarch64")).empty());
  std::string garbage(100, 'x');
  EXPECT_TRUE(undefinedSymbols(garbage).empty());
}
