//===- NativeVariants.cpp - native code in addition to SPIR-V ---------------===//
#include "compiler/package/NativeVariants.h"

#include "compiler/cpu/native/CompileNative.h"
#include "compiler/cpu/native/LibraryCalls.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace pumice;
namespace exe = pumice::executable;

namespace {

/// Returns the name of the part that only a launch can determine. Returns an empty text if there is
/// none.
std::string leftOpen(const exe::EntryPoint &entry, const exe::Interface &interface) {
  if (llvm::is_contained(exe::workgroupSizeOf(entry, interface), 0u))
    return "its workgroup's size";
  return entry.dynamicWorkgroupMemory ? "the size of workgroup memory" : "";
}

/// Rejects code with undefined symbols that not every process provides, since it would fail to
/// load.
Status checkComplete(const std::vector<uint8_t> &code) {
  for (const std::string &symbol :
       cpu::undefinedSymbols({reinterpret_cast<const char *>(code.data()), code.size()}))
    if (!cpu::everyProcessHas(symbol))
      return Status(StatusCode::Internal,
                    "the code calls '" + symbol + "', which Pumice does not provide");
  return Status::ok();
}

Result<std::vector<uint8_t>> compileFor(const cpu::NativeCpu &processor,
                                        const std::vector<uint32_t> &words,
                                        const exe::Interface &interface, std::string &diagnostics) {
  cpu::NativeRequest request;
  request.words = words;
  request.entryPoint = interface.symbol;
  request.label = "SPIR-V of " + interface.symbol;
  request.requiredSubgroupSize = interface.requiredSubgroupSize;
  request.cpu = processor;
  PUMICE_TRY(std::vector<uint8_t> code, cpu::compileNative(request, diagnostics));
  PUMICE_RETURN_IF_ERROR(checkComplete(code));
  return code;
}

std::vector<uint32_t> wordsOf(const std::vector<uint8_t> &code) {
  std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(uint32_t));
  return words;
}

exe::Variant nativeVariant(const std::string &processor, const exe::Interface &interface,
                           std::vector<uint8_t> code) {
  exe::Variant variant;
  variant.kind = exe::VariantKind::Native;
  variant.target = processor;
  variant.requirements.architecture = processor;
  variant.interfaces = {interface};
  variant.code = std::move(code);
  return variant;
}

} // namespace

LogicalResult package::addNativeVariants(Location location, size_t number,
                                         const target::TargetEnv &target,
                                         exe::Executable &contents) {
  if (target.nativeCode.empty())
    return success();
  // Copies these, because `contents` grows below.
  std::vector<uint32_t> words = wordsOf(contents.variants[number].code);
  std::vector<exe::Interface> interfaces = contents.variants[number].interfaces;
  for (const exe::Interface &interface : interfaces) {
    auto entry = llvm::find_if(contents.entryPoints, [&](const exe::EntryPoint &candidate) {
      return candidate.name == interface.entryPoint;
    });
    if (std::string open = leftOpen(*entry, interface); !open.empty()) {
      emitWarning(location) << "'" << interface.symbol << "' leaves " << open
                            << " to the launch: there is no native code of it, and the CPU device "
                               "compiles its SPIR-V";
      continue;
    }
    for (const std::string &name : target.nativeCode) {
      Result<cpu::NativeCpu> processor = cpu::shippedCpu(name);
      if (!processor.isOk())
        return emitError(location)
               << target::describe(target) << ": " << processor.status().message();
      std::string said;
      Result<std::vector<uint8_t>> code = compileFor(*processor, words, interface, said);
      if (!code.isOk()) {
        InFlightDiagnostic error = emitError(location)
                                   << "no native code of '" << interface.symbol << "' for " << name
                                   << ": " << code.status().message();
        if (!said.empty())
          error.attachNote() << llvm::StringRef(said).rtrim();
        return error;
      }
      contents.variants.push_back(nativeVariant(name, interface, std::move(*code)));
    }
  }
  return success();
}
