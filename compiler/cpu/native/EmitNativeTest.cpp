//===- EmitNativeTest.cpp - kernels in the llvm dialect, run ----------------===//
#include "compiler/cpu/testing/NativeModule.h"

#include "llvm/TargetParser/Triple.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace pumice;
using namespace pumice::cpu;
using cpu::testing::Emitted;
using cpu::testing::Loaded;
using executable::NativeBuffer;
using executable::NativeKernelInfo;
using executable::NativeLaunch;

namespace {

// Adds one to the words of the first buffer that the workgroup numbers select.
constexpr char addOne[] = R"(
llvm.func @add_one(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64,
                   %end: i64) -> i32
    attributes {lane.kernel, lane.subgroup_size = 4 : i32,
                lane.workgroup_size = array<i32: 4, 2, 1>, lane.shared_bytes = 64 : i64,
                lane.scratch_bytes = 32 : i64, lane.push_constant_bytes = 8 : i64,
                lane.bindings = array<i32: 0, 1, 0, 2, 3, 4>} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %four = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
  %field = llvm.getelementptr %launch[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %buffers = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %base = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop(%begin : i64)
^loop(%i: i64):
  %more = llvm.icmp "ult" %i, %end : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %p = llvm.getelementptr %base[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
  %x = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %y = llvm.fadd %x, %four : vector<4xf32>
  llvm.store %y, %p : vector<4xf32>, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^done:
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
)";

std::string emitText(const char *cpu, NativeForm form) {
  Emitted source(addOne);
  auto bytes = emitNative(*source.module, *namedCpu(cpu), {.form = form});
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes.isOk() ? std::string(bytes->begin(), bytes->end()) : "";
}

/// Describes a vector select. One arm is a bit select of the operands x (number 0) and m (number
/// 1), and the other arm is one of these operands.
struct BitSelectCase {
  unsigned first;      // the operand that comes first in the `or`
  unsigned kept;       // the operand that is the select's other arm
  bool whereTrue;      // whether the bit select is the select's first arm
  const char *spelled; // the operation that selects bits: or, fabs, copysign
};

std::vector<BitSelectCase> bitSelectCases() {
  std::vector<BitSelectCase> cases;
  for (const char *spelled : {"or", "fabs", "copysign"})
    for (unsigned first : {0u, 1u})
      for (unsigned kept : {0u, 1u})
        for (bool whereTrue : {false, true})
          cases.push_back({first, kept, whereTrue, spelled});
  return cases;
}

/// Returns a kernel that reads 16 words each of x, m and c. For each case, it writes c ? (sign of
/// x, rest of m) : kept.
std::string bitSelectKernel(const std::vector<BitSelectCase> &cases) {
  std::string text = R"(
llvm.func @merge(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64,
                 %end: i64) -> i32
    attributes {lane.kernel, lane.subgroup_size = 16 : i32,
                lane.workgroup_size = array<i32: 16, 1, 1>, lane.shared_bytes = 0 : i64,
                lane.scratch_bytes = 0 : i64, lane.push_constant_bytes = 0 : i64,
                lane.bindings = array<i32: 0, 0, 0>} {
  %sign = llvm.mlir.constant(dense<-2147483648> : vector<16xi32>) : vector<16xi32>
  %rest = llvm.mlir.constant(dense<2147483647> : vector<16xi32>) : vector<16xi32>
  %none = llvm.mlir.constant(dense<0> : vector<16xi32>) : vector<16xi32>
  %field = llvm.getelementptr %launch[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %buffers = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %base = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %p1 = llvm.getelementptr %base[1] : (!llvm.ptr) -> !llvm.ptr, vector<16xi32>
  %p2 = llvm.getelementptr %base[2] : (!llvm.ptr) -> !llvm.ptr, vector<16xi32>
  %o0 = llvm.load %base : !llvm.ptr -> vector<16xi32>
  %o1 = llvm.load %p1 : !llvm.ptr -> vector<16xi32>
  %c0 = llvm.load %p2 : !llvm.ptr -> vector<16xi32>
  %c = llvm.icmp "ne" %c0, %none : vector<16xi32>
  %f0 = llvm.bitcast %o0 : vector<16xi32> to vector<16xf32>
  %f1 = llvm.bitcast %o1 : vector<16xi32> to vector<16xf32>
)";
  for (size_t i = 0; i < cases.size(); ++i) {
    const BitSelectCase &one = cases[i];
    std::string n = std::to_string(i), spelled = one.spelled;
    std::string x = "%x" + n, m = "%m" + n, r = "%r" + n, kept = "%o" + std::to_string(one.kept);
    if (spelled == "copysign") {
      text += "  %f_" + n +
              " = llvm.intr.copysign(%f1, %f0) : (vector<16xf32>, vector<16xf32>) -> " +
              "vector<16xf32>\n  " + r + " = llvm.bitcast %f_" + n +
              " : vector<16xf32> to vector<16xi32>\n";
    } else {
      text += "  " + x + " = llvm.and %o0, %sign : vector<16xi32>\n";
      if (spelled == "or")
        text += "  " + m + " = llvm.and %o1, %rest : vector<16xi32>\n";
      else
        text += "  %f_" + n + " = llvm.intr.fabs(%f1) : (vector<16xf32>) -> vector<16xf32>\n  " +
                m + " = llvm.bitcast %f_" + n + " : vector<16xf32> to vector<16xi32>\n";
      text += "  " + r + " = llvm.or " + (one.first ? m + ", " + x : x + ", " + m) +
              " : vector<16xi32>\n";
    }
    text +=
        "  %v" + n + " = llvm.select %c, " + (one.whereTrue ? r + ", " + kept : kept + ", " + r) +
        " : vector<16xi1>, vector<16xi32>\n  %q" + n + " = llvm.getelementptr %base[" +
        std::to_string(i + 3) + "] : (!llvm.ptr) -> !llvm.ptr, vector<16xi32>\n  llvm.store %v" +
        n + ", %q" + n + " : vector<16xi32>, !llvm.ptr\n";
  }
  return text + "  %zero = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %zero : i32\n}\n";
}

} // namespace

TEST(EmitNative, RunsAndDescribesItself) {
  Loaded loaded(addOne);
  const NativeKernelInfo *info = loaded.info;
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->version, executable::nativeCodeVersion);
  EXPECT_EQ(info->subgroupSize, 4u);
  EXPECT_EQ(info->workgroupSize[1], 2u);
  EXPECT_EQ(info->workgroupMemoryBytes, 64u);
  EXPECT_EQ(info->scratchBytes, 32u);
  EXPECT_EQ(info->pushConstantBytes, 8u);
  ASSERT_EQ(info->bindingCount, 2u);
  EXPECT_EQ(info->bindings[1].set, 2u);
  EXPECT_EQ(info->bindings[1].binding, 3u);
  EXPECT_EQ(info->bindings[1].element, 4u);
  float data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  NativeBuffer buffers[2] = {{data, sizeof data}, {}};
  NativeLaunch launch;
  launch.buffers = buffers;
  EXPECT_EQ(executable::runNative(info->run, launch, nullptr, nullptr, 1, 3), 0u);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(data[i], i + 1 + (i >= 4)) << i;
}

// Tests the bug of llvm/llvm-project issue 157929: with AVX-512, some of these selects became a
// masked vpternlog with a wrong table.
TEST(EmitNative, SelectsOfBitSelects) {
  // Also compiles each case alone, because an instruction is masked only if the bit select has no
  // other use.
  std::vector<BitSelectCase> all = bitSelectCases();
  std::vector<std::vector<BitSelectCase>> kernels = {all};
  for (const BitSelectCase &one : all)
    kernels.push_back({one});
  for (const auto &cases : kernels) {
    Loaded loaded(bitSelectKernel(cases).c_str());
    ASSERT_NE(loaded.info, nullptr);
    alignas(64) uint32_t data[27][16] = {};
    for (uint32_t i = 0; i < 16; ++i) {
      data[0][i] = 0x9e3779b9u * (i + 1);
      data[1][i] = 0x85ebca6bu * (i + 7);
      data[2][i] = i % 3;
    }
    NativeBuffer buffers[1] = {{data, sizeof data}};
    NativeLaunch launch;
    launch.buffers = buffers;
    EXPECT_EQ(executable::runNative(loaded.info->run, launch, nullptr, nullptr, 0, 1), 0u);
    for (size_t n = 0; n < cases.size(); ++n)
      for (uint32_t i = 0; i < 16; ++i) {
        uint32_t merged = (data[0][i] & 0x80000000u) | (data[1][i] & 0x7fffffffu);
        bool chosen = (data[2][i] != 0) == cases[n].whereTrue;
        EXPECT_EQ(data[n + 3][i], chosen ? merged : data[cases[n].kept][i])
            << cases[n].spelled << " first " << cases[n].first << " kept " << cases[n].kept
            << " where " << cases[n].whereTrue << " lane " << i << " of " << cases.size();
      }
  }
}

// Makes the same check on any machine, because it does not run the code. It also covers a processor
// whose name alone implies AVX-512.
TEST(EmitNative, NoMaskedBitSelects) {
  for (const NativeCpu &cpu :
       {*namedCpu("x86-64-v4"), NativeCpu{"x86_64-unknown-linux-gnu", "sapphirerapids", "", 16}})
    for (const BitSelectCase &one : bitSelectCases()) {
      Emitted source(bitSelectKernel({one}).c_str());
      ASSERT_TRUE(source.module);
      auto bytes = emitNative(*source.module, cpu, {.form = NativeForm::Assembly});
      ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
      std::string text(bytes->begin(), bytes->end());
      size_t at = text.find("vpternlog");
      ASSERT_NE(at, std::string::npos) << text;
      std::string line = text.substr(at, text.find('\n', at) - at);
      EXPECT_EQ(line.find("{%k"), std::string::npos) << cpu.name << ": " << line;
    }
}

TEST(EmitNative, EveryForm) {
  EXPECT_NE(emitText("x86-64-v3", NativeForm::LlvmIr).find("define i32 @add_one"),
            std::string::npos);
  EXPECT_NE(emitText("x86-64-v3", NativeForm::Assembly).find("vaddps"), std::string::npos);
  EXPECT_NE(emitText("aarch64", NativeForm::Assembly).find(".4s"), std::string::npos);
  EXPECT_EQ(emitText("aarch64", NativeForm::SharedObject).substr(0, 4), "\x7f"
                                                                        "ELF");
  EXPECT_EQ(emitText("aarch64-macos", NativeForm::SharedObject).substr(0, 4), "\xcf\xfa\xed\xfe");
  EXPECT_EQ(emitText("x86-64-v3-windows", NativeForm::SharedObject).substr(0, 2), "MZ");
}

TEST(EmitNative, EqualCodeHasEqualBytes) { // the linkers' random folders do not show
  for (const char *name : {"x86-64-v3", "x86-64-v3-windows", "aarch64-macos"})
    EXPECT_EQ(emitText(name, NativeForm::SharedObject), emitText(name, NativeForm::SharedObject))
        << name;
}

TEST(EmitNative, SaysWhichProcessorItNeeds) {
  for (const char *name : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "x86-64-v2-windows",
                           "x86-64-v4-windows", "aarch64-macos"})
    EXPECT_NE(emitText(name, NativeForm::LlvmIr)
                  .find("constant [" + std::to_string(std::strlen(name) + 1) + " x i8] c\"" + name +
                        "\\00\""),
              std::string::npos)
        << name;
}

TEST(NativeCpus, Levels) {
  std::set<std::string> has{"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2"};
  auto level = [&] {
    return x86Level([&](llvm::StringRef name) { return has.contains(name.str()); });
  };
  EXPECT_EQ(level(), "x86-64-v1");
  has.insert("ssse3");
  EXPECT_EQ(level(), "x86-64-v2");
  has.insert({"avx", "avx2", "bmi", "bmi2", "f16c", "lzcnt", "movbe"});
  EXPECT_EQ(level(), "x86-64-v2"); // v3 also needs fma
  has.insert("fma");
  EXPECT_EQ(level(), "x86-64-v3");
  has.insert({"avx512f", "avx512cd"}); // the first processors with AVX-512 had only these features
  EXPECT_EQ(level(), "x86-64-v3");
  has.insert({"avx512bw", "avx512dq", "avx512vl"});
  EXPECT_EQ(level(), "x86-64-v4");
}

TEST(NativeCpus, ALevelOfThisMachine) {
  if (!llvm::Triple(hostCpu().triple).isX86())
    GTEST_SKIP() << "levels are of x86-64";
  NativeCpu cpu = cpuOf("x86-64-v2", "");
  EXPECT_EQ(cpu.triple, hostCpu().triple);
  EXPECT_EQ(cpu.lanes, 4u);
  EXPECT_EQ(cpu.features, shippedCpu("x86-64-v2")->features); // v2 has no fma
  EXPECT_EQ(cpuOf("x86-64-v3", "").lanes, 8u);
  EXPECT_EQ(cpuOf("x86-64-v4", "").lanes, 16u);
  EXPECT_EQ(cpuOf("", ""), hostCpu());
}

TEST(EmitNative, UnknownProcessorAndKernel) {
  EXPECT_NE(namedCpu("sparc").status().message().find("x86-64-v4"), std::string::npos);
  Emitted source("llvm.func @f() { llvm.return }");
  auto bytes = emitNative(*source.module, hostCpu());
  ASSERT_FALSE(bytes.isOk());
  EXPECT_NE(bytes.status().message().find("lane.kernel"), std::string::npos);
}

/// Returns a kernel with a loop of four iterations. Each iteration computes 80 sums.
std::string largeLoop(const char *hint) {
  std::string text = R"(
#hint = #llvm.loop_annotation<unroll = #llvm.loop_unroll<full = true>>
llvm.func @main(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64, %end: i64)
    -> i32 attributes {lane.kernel, lane.subgroup_size = 4 : i32,
                       lane.workgroup_size = array<i32: 4, 1, 1>} {
  %none = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %first = llvm.load %launch : !llvm.ptr -> vector<4xf32>
  llvm.br ^loop(%none, %first : i64, vector<4xf32>)
^loop(%i: i64, %x0: vector<4xf32>):
)";
  for (int k = 0; k < 80; ++k)
    text += "  %x" + std::to_string(k + 1) + " = llvm.fadd %x" + std::to_string(k) +
            ", %first : vector<4xf32>\n";
  return text + R"(
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "ult" %next, %four : i64
  llvm.cond_br %more, ^loop(%next, %x80 : i64, vector<4xf32>), ^done )" +
         hint + R"(
^done:
  llvm.store %x80, %scratch : vector<4xf32>, !llvm.ptr
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
)";
}

// Large loops stay loops unless a hint asks for unrolling.
TEST(EmitNative, UnrollsLargeLoopsWhereAsked) {
  auto sums = [](const char *hint) {
    std::string text = largeLoop(hint);
    Emitted source(text.c_str());
    auto bytes =
        emitNative(*source.module, *namedCpu("x86-64-v3"), {.form = NativeForm::OptimizedLlvmIr});
    EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
    llvm::StringRef ir(bytes.isOk() ? reinterpret_cast<const char *>(bytes->data()) : "",
                       bytes.isOk() ? bytes->size() : 0);
    return ir.count(" fadd ");
  };
  EXPECT_EQ(sums(""), 80u);
  EXPECT_EQ(sums("{loop_annotation = #hint}"), 320u);
}

// Compiling must not replace the signal handlers of the process, such as Python's for Ctrl-C, or
// any thread's signal stack.
TEST(EmitNative, LeavesSignalsAsTheyWere) {
  Emitted source(addOne);
  auto actions = [] {
    std::vector<void (*)(int)> handlers;
    for (int signal = 1; signal < 32; ++signal) {
      struct sigaction action{};
      sigaction(signal, nullptr, &action);
      handlers.push_back(action.sa_handler);
    }
    return handlers;
  };
  std::vector<void (*)(int)> before = actions();
  stack_t stack{}, after{};
  sigaltstack(nullptr, &stack);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(emitNative(*source.module, hostCpu()).isOk());
  EXPECT_EQ(actions(), before);
  sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_sp, stack.ss_sp);
  EXPECT_EQ(after.ss_size, stack.ss_size);
}

/// Returns a kernel around `body`, which can use the pointer %p.
std::string kernelAround(const std::string &body) {
  return R"(
llvm.func @kernel(%launch: !llvm.ptr, %shared: !llvm.ptr, %p: !llvm.ptr, %begin: i64,
                  %end: i64) -> i32
    attributes {lane.kernel, lane.subgroup_size = 16 : i32,
                lane.workgroup_size = array<i32: 16, 1, 1>, lane.shared_bytes = 0 : i64,
                lane.scratch_bytes = 64 : i64, lane.push_constant_bytes = 0 : i64,
                lane.bindings = array<i32>} {
)" + body +
         R"(
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
)";
}

// A thread usually has 8 MiB of stack. A kernel that needs nearly all of it would crash the
// process, so it must be rejected.
TEST(EmitNative, StackOfAThread) {
  auto emitWith = [](int bytes) {
    std::string size = std::to_string(bytes);
    Emitted source(kernelAround(R"(
  %one = llvm.mlir.constant(1 : i64) : i64
  %place = llvm.alloca %one x !llvm.array<)" +
                                size + R"( x i8> : (i64) -> !llvm.ptr
  llvm.store volatile %place, %p : !llvm.ptr, !llvm.ptr)")
                       .c_str());
    return emitNative(*source.module, *namedCpu("x86-64-v3")).status();
  };
  EXPECT_TRUE(emitWith(5 << 20).isOk());
  Status status = emitWith(7 << 20);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find("bytes of stack; there are 6291456"), std::string::npos)
      << status.message();
}

// In a very large block, each value gets its own stack slot, because LLVM's register allocator
// would take too long. If the slots exceed the stack, the allocator runs after all.
TEST(EmitNative, HugeBlocksShareTheStack) {
  constexpr int values = 180'000;
  std::string body = "  %v0 = llvm.load volatile %p : !llvm.ptr -> vector<16xf32>\n";
  auto earlier = [](int i, int by) { return "%v" + std::to_string(i > by ? i - by : 0); };
  for (int i = 1; i < values; ++i)
    body += "  %v" + std::to_string(i) + " = llvm.fsub " + earlier(i, 100) + ", " +
            earlier(i, 200 + i % 7) + " : vector<16xf32>\n";
  body += "  llvm.store volatile %v" + std::to_string(values - 1) +
          ", %p : vector<16xf32>, !llvm.ptr\n";
  Emitted source(kernelAround(body).c_str());
  auto bytes = emitNative(*source.module, *namedCpu("x86-64-v4"), {.optimization = 1});
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
}

// Tests a bug: a module of three kernels reported the last kernel's sizes for all of them.
TEST(EmitNative, OneKernelOfSeveral) {
  std::string text;
  for (const char *name : {"first", "second", "third"})
    text += std::string("llvm.func @") + name + "() attributes {lane.kernel} { llvm.return }\n";
  Emitted source(text.c_str());
  auto bytes = emitNative(*source.module, hostCpu());
  ASSERT_FALSE(bytes.isOk());
  EXPECT_NE(bytes.status().message().find("there are 3 (first, second, third): name one"),
            std::string::npos)
      << bytes.status().message();
}
