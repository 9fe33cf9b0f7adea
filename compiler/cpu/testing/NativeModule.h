//===- NativeModule.h - loads code of modules in the llvm dialect -----------===//
#pragma once

#include "compiler/Registration.h"
#include "compiler/cpu/native/EmitNative.h"
#include "executable/NativeCode.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pumice::cpu::testing {

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

/// The loaded code of a module. It is compiled for this machine, or for another processor whose
/// code this machine can run.
struct Loaded {
  void *library = nullptr;
  const executable::NativeKernelInfo *info = nullptr;

  /// If `pass` is given, it runs before compilation.
  explicit Loaded(const char *text, std::unique_ptr<mlir::Pass> pass = nullptr)
      : Loaded(text, hostCpu(), [&](mlir::PassManager &passes) {
          if (pass)
            passes.addPass(std::move(pass));
        }) {}

  Loaded(const char *text, const NativeCpu &cpu,
         llvm::function_ref<void(mlir::PassManager &)> addPasses) {
    Emitted source(text);
    EXPECT_TRUE(source.module);
    if (!source.module)
      return;
    mlir::PassManager passes(&source.context);
    addPasses(passes);
    EXPECT_TRUE(mlir::succeeded(passes.run(*source.module)));
    auto bytes = emitNative(*source.module, cpu);
    EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
    char name[] = "/tmp/pumice-test-XXXXXX";
    int file = mkstemp(name);
    if (!bytes.isOk() || file < 0)
      return;
    EXPECT_EQ(write(file, bytes->data(), bytes->size()), ssize_t(bytes->size()));
    close(file);
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    unlink(name);
    EXPECT_NE(library, nullptr) << dlerror();
    if (library)
      info = static_cast<const executable::NativeKernelInfo *>(
          dlsym(library, executable::nativeInfoSymbol));
  }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;
  ~Loaded() {
    if (library)
      dlclose(library);
  }
};

} // namespace pumice::cpu::testing
