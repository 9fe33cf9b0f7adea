//===- CompileSourceTest.cpp - compiles sources in memory -------------------===//
#include "compiler/library/CompileSource.h"
#include "compiler/library/ExplainCode.h"
#include "compiler/passes/Progress.h"

#include "executable/Executable.h"
#include "support/CompilerInterface.h"
#include "support/Platform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace pumice;
using namespace pumice::library;

namespace {

constexpr char scale[] = R"(
gpu.module @kernels {
  gpu.func @scale(%x: memref<?xf32>, %a: f32) kernel {
    %i = gpu.global_id x
    %old = memref.load %x[%i] : memref<?xf32>
    %new = arith.mulf %a, %old : f32
    memref.store %new, %x[%i] : memref<?xf32>
    gpu.return
  }
}
)";

struct Answer {
  Status status;
  std::string diagnostics;
  executable::Executable executable;
};

Answer compiled(std::string_view source, std::vector<std::string_view> targets) {
  CompileRequest request;
  request.source = source;
  request.sourceName = "test.mlir";
  request.targets = std::move(targets);
  Answer answer;
  Result<std::vector<uint8_t>> bytes = compileSource(request, answer.diagnostics);
  answer.status = bytes.status();
  if (!bytes.isOk())
    return answer;
  Result<executable::Executable> read = executable::read(*bytes);
  EXPECT_TRUE(read.isOk()) << read.status().toString();
  if (read.isOk())
    answer.executable = *read;
  return answer;
}

std::string sample(const std::string &name) {
  Result<std::string> bytes = readFile(PUMICE_SPIRV_SAMPLES "/" + name);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
  return bytes.isOk() ? *bytes : "";
}

TEST(CompileSource, TextForSeveralTargets) {
  Answer answer = compiled(scale, {"rdna3", "lavapipe22"});
  ASSERT_TRUE(answer.status.isOk()) << answer.diagnostics;
  ASSERT_EQ(answer.executable.entryPoints.size(), 1u);
  EXPECT_EQ(answer.executable.entryPoints[0].name, "scale");
  ASSERT_EQ(answer.executable.variants.size(), 2u);
  EXPECT_EQ(answer.executable.variants[0].target, "rdna3");
}

/// Returns the names of the stages that a listener gets: the texts up to the colon, without
/// repetitions.
std::string reachedBy(std::string_view source, std::string_view target) {
  struct Listener final : ProgressListener {
    void reached(llvm::StringRef stage) override {
      std::string part = stage.split(':').first.str();
      if (part != last)
        all += (all.empty() ? "" : ", ") + part;
      last = part;
    }
    std::string all, last;
  } listener;
  compiled(source, {target});
  return listener.all;
}

TEST(CompileSource, Progress) {
  EXPECT_EQ(reachedBy(scale, "rdna3"),
            "reading the source, outlining, lowering to SPIR-V, SPIR-V binary");
  EXPECT_EQ(reachedBy("gpu.module @m {\n  nonsense\n}\n", "rdna3"), "reading the source");
  std::string triton = R"(tt.func public @fill(%x: !tt.ptr<f32>) {
      %zero = arith.constant 0.0 : f32
      tt.store %x, %zero : !tt.ptr<f32>
      tt.return
    })";
  EXPECT_EQ(reachedBy(triton, "rdna3"), "reading the source, distribution of tensors, tile "
                                        "lowering, outlining, lowering to SPIR-V, SPIR-V binary");
  EXPECT_EQ(ProgressListener::current(), nullptr);
}

TEST(CompileSource, ProgressOfNativeCode) {
  std::string native = reachedBy(R"(gpu.module @kernels {
    gpu.func @nothing() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  })",
                                 "x86-64-v3");
  EXPECT_EQ(native, "reading the source, outlining, lowering to SPIR-V, SPIR-V binary, reading the "
                    "SPIR-V, SIMD code, LLVM IR, LLVM's optimizer, machine code, linking");
}

/// Returns the names of the stages that are reached before an error, if any.
std::string stagesOf(std::string_view source, std::string *texts = nullptr) {
  CompileRequest request;
  request.source = source;
  request.targets = {"rdna3"};
  std::string names;
  request.stage = [&](std::string_view stage, std::string_view text) {
    names += std::string(stage) + " ";
    if (texts)
      *texts += text;
  };
  std::string diagnostics;
  EXPECT_EQ(compileSource(request, diagnostics).isOk(), names.ends_with("spirv ")) << diagnostics;
  return names;
}

TEST(CompileSource, Stages) {
  std::string texts;
  EXPECT_EQ(stagesOf(scale, &texts), "lanes gpu spirv ");
  EXPECT_NE(texts.find("gpu.global_id"), std::string::npos);
  EXPECT_NE(texts.find("spirv.FMul"), std::string::npos);
  EXPECT_EQ(stagesOf("gpu.module @m {\n  nonsense\n}\n"), "");
  // Each stage follows a pass that is identified by name. This test fails if a pass is renamed.
  EXPECT_EQ(stagesOf("tt.func public @fill(%x: !tt.ptr<f32>) {\n"
                     "  %one = arith.constant 1.0 : f32\n"
                     "  tt.store %x, %one : !tt.ptr<f32>\n"
                     "  tt.return\n}\n"),
            "tiles loops lanes gpu spirv ");
}

TEST(CompileSource, JsonTarget) {
  Answer answer = compiled(scale, {R"( {"pumiceTargetEnv": 1, "version": "1.3.0",
    "extensions": [], "limits": {"maxComputeWorkGroupInvocations": 256}, "features": []})"});
  EXPECT_TRUE(answer.status.isOk()) << answer.status.toString() << answer.diagnostics;
}

TEST(CompileSource, ErrorsNameTheLine) {
  Answer answer = compiled("gpu.module @m {\n  nonsense\n}\n", {"rdna3"});
  EXPECT_EQ(answer.status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(answer.diagnostics.find("test.mlir:2:3: error:"), std::string::npos)
      << answer.diagnostics;
}

TEST(CompileSource, NoKernel) {
  Answer answer = compiled("module {}", {"rdna3"});
  EXPECT_FALSE(answer.status.isOk());
  EXPECT_NE(answer.diagnostics.find("holds no kernel"), std::string::npos) << answer.diagnostics;
}

TEST(CompileSource, BadTargets) {
  EXPECT_EQ(compiled(scale, {"rdna3", "no-such-gpu"}).status.message().substr(0, 9), "target 1:");
  EXPECT_FALSE(compiled(scale, {"{\"limits\": 3"}).status.isOk());
}

TEST(CompileSource, BytecodeIsRefused) {
  EXPECT_EQ(compiled("ML\xefR....", {"rdna3"}).status.code(), StatusCode::Unsupported);
}

TEST(CompileSource, CutSpirvIsAnError) {
  std::string whole = sample("blocks.spv");
  for (size_t size : {4u, 19u, 20u, 64u, 65u, 128u}) {
    Answer answer = compiled(std::string_view(whole).substr(0, size), {"lavapipe22"});
    EXPECT_FALSE(answer.status.isOk()) << size;
    EXPECT_NE(answer.diagnostics.find("test.mlir"), std::string::npos) << answer.diagnostics;
  }
}

TEST(CompileSource, SpirvBecomesAnExecutable) {
  Answer answer = compiled(sample("blocks.spv"), {"lavapipe22"});
  ASSERT_TRUE(answer.status.isOk()) << answer.status.toString() << answer.diagnostics;
  ASSERT_EQ(answer.executable.entryPoints.size(), 1u);
  const executable::EntryPoint &entry = answer.executable.entryPoints[0];
  EXPECT_EQ(entry.name, "main");
  EXPECT_EQ(entry.workgroupSize, (std::array<uint32_t, 3>{0, 2, 1}));
  std::string arguments;
  for (const executable::Argument &argument : entry.arguments)
    arguments += argument.name + ":" + std::string(toString(argument.kind)) + ":" +
                 std::string(toString(argument.element)) + "x" +
                 std::to_string(argument.vectorWidth) + " ";
  // Buffers come first, sorted by set and binding. Push constants follow. Binding 5 is never used.
  EXPECT_EQ(arguments, "X:buffer:i8x1 U:buffer:i8x1 result:buffer:f32x1 factor:scalar:f32x1 "
                       "size:scalar:i32x2 weights[0]:scalar:f32x1 weights[1]:scalar:f32x1 "
                       "weights[2]:scalar:f32x1 ");
  ASSERT_EQ(answer.executable.variants.size(), 1u);
  const executable::Interface &interface = answer.executable.variants[0].interfaces[0];
  EXPECT_EQ(interface.workgroupSizeSpecIds[0], 3u);
  ASSERT_EQ(interface.bindings.size(), 3u);
  EXPECT_FALSE(interface.bindings[0].uniform);
  EXPECT_TRUE(interface.bindings[1].uniform);
  EXPECT_EQ(interface.bindings[2].set, 1u);
  EXPECT_EQ(interface.parameterBytes, 28u);
}

TEST(CompileSource, AddressesInPushConstantsAreBuffers) {
  Answer answer = compiled(sample("addresses.spv"), {"lavapipe22"});
  ASSERT_TRUE(answer.status.isOk()) << answer.status.toString() << answer.diagnostics;
  const executable::EntryPoint &entry = answer.executable.entryPoints.at(0);
  EXPECT_TRUE(entry.touchesUnnamedMemory);
  ASSERT_EQ(entry.arguments.size(), 2u);
  EXPECT_EQ(entry.arguments[1].kind, executable::ArgumentKind::Buffer);
  const std::vector<std::string> &features = answer.executable.variants[0].requirements.features;
  EXPECT_NE(std::find(features.begin(), features.end(), "bufferDeviceAddress"), features.end());
}

TEST(CompileSource, MissingFeaturesOfATargetAreNamed) {
  Answer answer = compiled(sample("addresses.spv"), {R"({"pumiceTargetEnv": 1,
    "version": "1.2.0", "extensions": [], "limits": {}, "features": []})"});
  EXPECT_FALSE(answer.status.isOk());
  EXPECT_NE(answer.diagnostics.find("bufferDeviceAddress"), std::string::npos)
      << answer.diagnostics;
}

TEST(CompileSource, ImagesAreRefused) {
  Answer answer = compiled(sample("images.spv"), {"lavapipe22"});
  EXPECT_FALSE(answer.status.isOk());
  EXPECT_NE(answer.diagnostics.find("kernels take storage and uniform buffers"), std::string::npos)
      << answer.diagnostics;
}

std::string explained(std::span<const uint8_t> executable, CodeForm form) {
  std::string diagnostics;
  Result<std::vector<uint8_t>> text = explainCode(executable, form, diagnostics);
  return text.isOk() ? std::string(text->begin(), text->end()) : text.status().message();
}

TEST(ExplainCode, EveryForm) {
  CompileRequest request;
  request.source = scale;
  request.targets = {"lavapipe22"};
  std::string diagnostics;
  Result<std::vector<uint8_t>> bytes = compileSource(request, diagnostics);
  ASSERT_TRUE(bytes.isOk()) << diagnostics;
  EXPECT_NE(explained(*bytes, CodeForm::Spirv).find("OpEntryPoint GLCompute"), std::string::npos);
  EXPECT_NE(explained(*bytes, CodeForm::LlvmIr).find("define "), std::string::npos);
  EXPECT_NE(explained(*bytes, CodeForm::Assembly).find(".text"), std::string::npos);
}

TEST(ExplainCode, BrokenFiles) {
  std::string diagnostics;
  EXPECT_FALSE(explainCode({}, CodeForm::Spirv, diagnostics).isOk());
  std::vector<uint8_t> zeros(64);
  EXPECT_FALSE(explainCode(zeros, CodeForm::Assembly, diagnostics).isOk());
}

TEST(CompilerInterface, OtherVersionsAreRefused) {
  Result<SharedLibrary> self = SharedLibrary::open(PUMICE_COMPILER_FILE);
  ASSERT_TRUE(self.isOk()) << self.status().toString();
  auto entry =
      reinterpret_cast<compiler_interface::Entry>(self->symbol(compiler_interface::entryName));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry(compiler_interface::version + 1), nullptr);
  ASSERT_NE(entry(compiler_interface::version), nullptr);

  compiler_interface::Request request;
  request.source = {scale, std::strlen(scale)};
  compiler_interface::Text target{"rdna3", 5};
  request.targets = &target;
  request.targetCount = 1;
  compiler_interface::Response response;
  const compiler_interface::Interface *compiler = entry(compiler_interface::version);
  compiler->compile(&request, &response);
  EXPECT_EQ(response.code, 0) << std::string(response.diagnostics.data, response.diagnostics.size);
  EXPECT_GT(response.executable.size, 100u);
  compiler->release(&response);
}

} // namespace
