//===- MslVariants.cpp - Metal's language in addition to SPIR-V -------------===//
#include "compiler/package/MslVariants.h"

#include "compiler/metal/Matrices.h"
#include "compiler/metal/Msl.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace mlir;
using namespace pumice;
namespace exe = pumice::executable;

bool package::isOnMetal(const target::TargetEnv &target) {
  return !target.isOpenCl() && target.extensions.contains("VK_KHR_portability_subset");
}

target::TargetEnv package::withoutMetalMatrices(const target::TargetEnv &target) {
  target::TargetEnv result = target;
  if (!isOnMetal(target) || !target.has(target::Feature::cooperativeMatrix))
    return result;
  // Metal's driver has the memory model for matrices only.
  for (target::Feature feature :
       {target::Feature::cooperativeMatrix, target::Feature::vulkanMemoryModel,
        target::Feature::vulkanMemoryModelDeviceScope})
    result.set(feature, false);
  result.extensions.erase("VK_KHR_cooperative_matrix");
  result.cooperativeMatrices.clear();
  result.fragmentMaps.clear();
  return result;
}

std::optional<target::TargetEnv> package::withMetalMatrices(const target::TargetEnv &target) {
  using target::ComponentType;
  if (!isOnMetal(target) || !metal::translatesMatrices())
    return std::nullopt;
  target::TargetEnv result = target;
  if (result.cooperativeMatrices.empty())
    for (auto [factor, sum] : {std::pair(ComponentType::f16, ComponentType::f16),
                               std::pair(ComponentType::f16, ComponentType::f32),
                               std::pair(ComponentType::f32, ComponentType::f32)})
      result.cooperativeMatrices.push_back({8, 8, 8, factor, factor, sum, sum});
  result.extensions.insert("VK_KHR_cooperative_matrix");
  for (target::Feature feature :
       {target::Feature::cooperativeMatrix, target::Feature::vulkanMemoryModel,
        target::Feature::vulkanMemoryModelDeviceScope})
    result.set(feature);
  // Matrices need SPIR-V 1.6.
  result.versionMinor = std::max(result.versionMinor, 3u);
  return result;
}

/// Returns the msl variant of one entry point of a SPIR-V variant.
static Result<exe::Variant> mslVariant(const exe::Variant &spirv, const exe::Interface &interface) {
  std::vector<uint32_t> words(spirv.code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.code.data(), words.size() * sizeof(uint32_t));
  metal::MslOptions options;
  options.entryPoint = interface.symbol;
  PUMICE_TRY(std::string source, metal::toMslWithLayout(words, options));
  exe::Variant variant = spirv;
  variant.kind = exe::VariantKind::Msl;
  // Extensions and versions are Vulkan's; the features remain.
  variant.requirements.extensions.clear();
  variant.requirements.versionMinor = std::min(variant.requirements.versionMinor, 2u);
  variant.interfaces = {interface};
  // SPIRV-Cross changes names that Metal reserves, such as 'main'.
  Result<exe::MslLayout> layout = exe::readMslLayout(source);
  if (layout.isOk())
    variant.interfaces.front().symbol = layout->kernel;
  variant.code.assign(source.begin(), source.end());
  return variant;
}

void package::addMslVariants(Location location, size_t number, const target::TargetEnv &target,
                             exe::Executable &contents) {
  if (!isOnMetal(target))
    return;
  const exe::Variant spirv = contents.variants[number]; // a copy, because `contents` grows
  for (const exe::Interface &interface : spirv.interfaces) {
    Result<exe::Variant> variant = mslVariant(spirv, interface);
    if (variant.isOk())
      contents.variants.push_back(std::move(*variant));
    else
      emitWarning(location) << "'" << interface.symbol
                            << "' has no MSL, and will not run on Metal: "
                            << variant.status().message();
  }
}

void package::replaceByMslWithMatrices(size_t number, exe::Executable &contents) {
  const exe::Variant spirv = std::move(contents.variants[number]);
  contents.variants.pop_back();
  if (spirv.requirements.cooperativeMatrices.empty())
    return;
  for (const exe::Interface &interface : spirv.interfaces)
    if (Result<exe::Variant> variant = mslVariant(spirv, interface); variant.isOk())
      contents.variants.push_back(std::move(*variant));
}
