//===- TargetEnvironmentJson.cpp - a device as the compiler takes targets ---===//
// Writes the form that docs/targets.md describes: members are sorted by name, and each level is
// indented by two blanks.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/DeviceInfo.h"
#include "support/JsonWriter.h"

namespace pumice::hal {

static void writeList(JsonWriter &json, std::string_view name, const auto &items) {
  json.key(name).beginArray();
  for (const auto &item : items)
    json.value(item);
  json.end();
}

std::string targetEnvironmentJson(const DeviceInfo &info) {
  JsonWriter json;
  json.beginObject();
  if (info.isOpenCl())
    json.member("addressBits", 64).member("api", "OpenCL");
  if (!info.architecture.empty())
    json.member("architecture", info.architecture);
  if (info.fragmentMaps && !info.fragmentMaps->empty())
    writeList(json, "cooperativeMatrixFragments", *info.fragmentMaps);
  if (!info.cooperativeMatrices.empty())
    writeList(json, "cooperativeMatrixPropertiesKHR", info.cooperativeMatrices);
  if (!info.name.empty())
    json.member("deviceName", info.name);
  writeList(json, "extensions", info.extensions);
  writeList(json, "features", info.features);
  json.key("limits").beginObject();
  for (const auto &[name, values] : info.namedLimits)
    if (values.size() == 1)
      json.member(name, values[0]);
    else
      writeList(json, name, values);
  json.end();
  json.member("pumiceTargetEnv", 1);
  if (info.isOpenCl())
    json.member("spirvMinor", info.openClSpirvMinor);
  json.member("version", std::to_string(info.versionMajor) + "." +
                             std::to_string(info.versionMinor) + "." +
                             std::to_string(info.versionPatch));
  if (!info.workarounds.empty())
    writeList(json, "workarounds", info.workarounds);
  return json.end().take();
}

} // namespace pumice::hal
