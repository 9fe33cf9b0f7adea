//===- NativeCache.cpp - caches compiled code in memory and on disk ---------===//
#include "runtime/drivers/cpu/NativeCache.h"

#include "support/CompilerLibrary.h"

#include <mutex>

namespace pumice::cpu_driver {
namespace {

constexpr char diskKind[] = "native";
/// The most modules that the cache keeps. Further ones are kept only while kernels use them.
constexpr size_t mostModules = 1024;

void append(std::string &key, uint64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}
void append(std::string &key, std::string_view text) {
  append(key, text.size());
  key += text;
}

/// Returns a text with everything on which the code depends. Different parts cannot give the same
/// text.
std::string keyOf(std::string_view identity, const hal::KernelSource &source) {
  std::string key;
  key.reserve(source.code.size() + identity.size() + 256);
  append(key, executable::nativeCodeVersion);
  append(key, identity);
  append(key, source.symbol);
  append(key, source.constants.size());
  for (const hal::SpecializationConstant &constant : source.constants) {
    append(key, uint64_t{constant.id} << 32 | constant.bytes);
    append(key, constant.bits);
  }
  for (uint32_t size : source.workgroupSize)
    append(key, size);
  append(key, uint64_t{source.requiredSubgroupSize} << 32 | source.robustAccess);
  append(key,
         std::string_view(reinterpret_cast<const char *>(source.code.data()), source.code.size()));
  return key;
}

} // namespace

Ref<NativeModule> NativeCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto found = modules.find(key);
  return found == modules.end() ? nullptr : found->second;
}

Ref<NativeModule> NativeCache::keep(std::string key, Ref<NativeModule> module) {
  std::vector<Ref<NativeModule>> unused; // unloaded after unlocking
  std::lock_guard lock(mutex);
  if (modules.size() >= mostModules)
    for (auto at = modules.begin(); at != modules.end();) {
      if (at->second->isUnique()) {
        unused.push_back(std::move(at->second));
        at = modules.erase(at);
      } else {
        ++at;
      }
    }
  return modules.emplace(std::move(key), std::move(module)).first->second;
}

Ref<NativeModule> NativeCache::readDisk(const std::string &key, const hal::KernelSource &source) {
  if (!disk)
    return nullptr;
  std::optional<std::vector<uint8_t>> bytes = disk->readKeyed(diskKind, key);
  if (!bytes)
    return nullptr;
  Result<Ref<NativeModule>> module = NativeModule::load(*bytes, source.label);
  // If loading fails, the code is compiled again, and the file is replaced.
  return module.isOk() ? *module : nullptr;
}

Result<Ref<NativeModule>> NativeCache::get(const hal::KernelSource &source) {
  std::string key = keyOf(identity, source);
  if (Ref<NativeModule> known = find(key))
    return known;
  if (Ref<NativeModule> kept = readDisk(key, source))
    return keep(std::move(key), std::move(kept));
  PUMICE_TRY(std::vector<uint8_t> bytes, compile(source));
  PUMICE_TRY(Ref<NativeModule> module, NativeModule::load(bytes, source.label));
  if (disk) // a cache that is full or missing is not an error
    (void)disk->writeKeyed(diskKind, key, bytes);
  return keep(std::move(key), std::move(module));
}

Result<std::vector<uint8_t>> compileNative(const hal::KernelSource &source,
                                           std::string_view level) {
  namespace side = compiler_interface;
  auto textOf = [](std::string_view text) { return side::Text{text.data(), text.size()}; };
  std::vector<side::NativeConstant> constants;
  for (const hal::SpecializationConstant &constant : source.constants)
    constants.push_back({constant.id, constant.bytes, constant.bits});
  side::NativeRequest request;
  request.code = {reinterpret_cast<const char *>(source.code.data()), source.code.size()};
  request.entryPoint = textOf(source.symbol);
  request.label = textOf(source.label);
  request.constants = constants.data();
  request.constantCount = constants.size();
  for (size_t d = 0; d < 3; ++d)
    request.workgroupSize[d] = source.workgroupSize[d];
  request.requiredSubgroupSize = source.requiredSubgroupSize;
  request.robustAccess = source.robustAccess;
  request.cpu = textOf(level);
  return pumice::compileNative(request);
}

} // namespace pumice::cpu_driver
