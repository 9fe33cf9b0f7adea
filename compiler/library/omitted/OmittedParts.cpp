//===- OmittedParts.cpp - parts of LLVM that lld names but nothing uses -----===//
// This file is used only if LLVM's archives are linked. For link-time optimization, lld prepares
// every target of LLVM, so the code of all targets would be half of the library. These functions do
// nothing instead. EmitNative.cpp and LlvmToSpirv.cpp prepare the targets that they use.
//===-------------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/WindowsManifest/WindowsManifestMerger.h"

// A macro builds the names below. They are then expanded once more.
#define LLVMInitializeX86TargetInfo omittedX86TargetInfo
#define LLVMInitializeX86Target omittedX86Target
#define LLVMInitializeX86TargetMC omittedX86TargetMC
#define LLVMInitializeX86AsmPrinter omittedX86AsmPrinter
#define LLVMInitializeX86AsmParser omittedX86AsmParser
#define LLVMInitializeAArch64TargetInfo omittedAArch64TargetInfo
#define LLVMInitializeAArch64Target omittedAArch64Target
#define LLVMInitializeAArch64TargetMC omittedAArch64TargetMC
#define LLVMInitializeAArch64AsmPrinter omittedAArch64AsmPrinter
#define LLVMInitializeAArch64AsmParser omittedAArch64AsmParser
#define LLVMInitializeSPIRVTargetInfo omittedSPIRVTargetInfo
#define LLVMInitializeSPIRVTarget omittedSPIRVTarget
#define LLVMInitializeSPIRVTargetMC omittedSPIRVTargetMC
#define LLVMInitializeSPIRVAsmPrinter omittedSPIRVAsmPrinter

extern "C" {
#define LLVM_TARGET(name)                                                                          \
  void LLVMInitialize##name##TargetInfo();                                                         \
  void LLVMInitialize##name##Target();                                                             \
  void LLVMInitialize##name##TargetMC();                                                           \
  void LLVMInitialize##name##TargetInfo() {}                                                       \
  void LLVMInitialize##name##Target() {}                                                           \
  void LLVMInitialize##name##TargetMC() {}
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(name)                                                                     \
  void LLVMInitialize##name##AsmPrinter();                                                         \
  void LLVMInitialize##name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(name)                                                                      \
  void LLVMInitialize##name##AsmParser();                                                          \
  void LLVMInitialize##name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"
}

/// This is undefined in LLVM's archives, since Polly is in a separate package.
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {.APIVersion = LLVM_PLUGIN_API_VERSION,
          .PluginName = "none",
          .PluginVersion = "",
          .RegisterPassBuilderCallbacks = [](llvm::PassBuilder &) {}};
}

/// lld merges manifests of Windows programs, for which LLVM's archives need libxml2. Native code
/// has no manifest, so nothing calls this.
namespace llvm::windows_manifest {
class WindowsManifestMerger::WindowsManifestMergerImpl {};
bool isAvailable() { return false; }
WindowsManifestMerger::WindowsManifestMerger() = default;
WindowsManifestMerger::~WindowsManifestMerger() = default;
Error WindowsManifestMerger::merge(MemoryBufferRef) {
  return createStringError("manifests are not supported");
}
std::unique_ptr<MemoryBuffer> WindowsManifestMerger::getMergedManifest() { return nullptr; }
} // namespace llvm::windows_manifest
