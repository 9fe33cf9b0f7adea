//===- MslVariants.cpp - Metal's language in addition to SPIR-V -------------===//
#include "compiler/package/MslVariants.h"

#include "compiler/metal/Msl.h"

#include "mlir/IR/Diagnostics.h"

#include <cstring>

using namespace mlir;
using namespace pumice;
namespace exe = pumice::executable;

bool package::isOnMetal(const target::TargetEnv &target) {
  return !target.isOpenCl() && target.extensions.contains("VK_KHR_portability_subset");
}

void package::addMslVariants(Location location, size_t number, const target::TargetEnv &target,
                             exe::Executable &contents) {
  if (!isOnMetal(target))
    return;
  const exe::Variant spirv = contents.variants[number]; // a copy, because `contents` grows
  std::vector<uint32_t> words(spirv.code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.code.data(), words.size() * sizeof(uint32_t));
  for (const exe::Interface &interface : spirv.interfaces) {
    metal::MslOptions options;
    options.entryPoint = interface.symbol;
    Result<std::string> source = metal::toMslWithLayout(words, options);
    if (!source.isOk()) {
      emitWarning(location) << "'" << interface.symbol
                            << "' has no MSL, and will not run on Metal: "
                            << source.status().message();
      continue;
    }
    exe::Variant variant = spirv;
    variant.kind = exe::VariantKind::Msl;
    variant.requirements.extensions.clear(); // they are Vulkan's; the features remain
    variant.interfaces = {interface};
    // SPIRV-Cross changes names that Metal reserves, such as 'main'.
    Result<exe::MslLayout> layout = exe::readMslLayout(*source);
    if (layout.isOk())
      variant.interfaces.front().symbol = layout->kernel;
    variant.code.assign(source->begin(), source->end());
    contents.variants.push_back(std::move(variant));
  }
}
