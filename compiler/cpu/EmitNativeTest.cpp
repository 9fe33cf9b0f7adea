//===- EmitNativeTest.cpp - kernels in the llvm dialect, run -----------------===//
#include "compiler/cpu/EmitNative.h"
#include "compiler/Pipeline.h"
#include "executable/NativeCode.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

using namespace pumice;
using namespace pumice::cpu;
using executable::NativeBuffer;
using executable::NativeKernelInfo;
using executable::NativeLaunch;

namespace {

// Adds one to the words of the first buffer that the groups name.
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

struct Emitted {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit Emitted(const char *text) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
};

std::string emitText(const char *cpu, NativeForm form) {
  Emitted source(addOne);
  auto bytes = emitNative(*source.module, *namedCpu(cpu), {.form = form});
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes.isOk() ? std::string(bytes->begin(), bytes->end()) : "";
}

} // namespace

TEST(EmitNative, RunsAndTellsOfItself) {
  Emitted source(addOne);
  ASSERT_TRUE(source.module);
  auto bytes = emitNative(*source.module, hostCpu());
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  char name[] = "/tmp/pumice-test-XXXXXX";
  int file = mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, bytes->data(), bytes->size()), ssize_t(bytes->size()));
  close(file);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  unlink(name);
  ASSERT_NE(library, nullptr) << dlerror();
  auto *info = static_cast<const NativeKernelInfo *>(dlsym(library, executable::nativeInfoSymbol));
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
  EXPECT_EQ(info->run(&launch, nullptr, nullptr, 1, 3), 0u);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(data[i], i + 1 + (i >= 4)) << i;
  dlclose(library);
}

TEST(EmitNative, EveryForm) {
  EXPECT_NE(emitText("x86-64-v3", NativeForm::LlvmIr).find("define i32 @add_one"),
            std::string::npos);
  EXPECT_NE(emitText("x86-64-v3", NativeForm::Assembly).find("vaddps"), std::string::npos);
  EXPECT_NE(emitText("aarch64", NativeForm::Assembly).find(".4s"), std::string::npos);
  EXPECT_EQ(emitText("aarch64", NativeForm::SharedObject).substr(0, 4), "\x7f"
                                                                        "ELF");
}

TEST(EmitNative, UnknownProcessorAndKernel) {
  EXPECT_NE(namedCpu("sparc").status().message().find("x86-64-v4"), std::string::npos);
  Emitted source("llvm.func @f() { llvm.return }");
  auto bytes = emitNative(*source.module, hostCpu());
  ASSERT_FALSE(bytes.isOk());
  EXPECT_NE(bytes.status().message().find("lane.kernel"), std::string::npos);
}
