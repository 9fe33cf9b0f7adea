//===- MockDriver.h - tests choose what the mock Vulkan driver plays --------===//
#pragma once

#include <cstdlib>
#include <string>

namespace pumice::vulkan {

/// From now on Vulkan instances see only the mock driver (tests/mock-icd), playing `devices`;
/// `kind` is its ICD file: "plain" or "portability".
inline void playDevices(const std::string &devices, const std::string &kind = "plain") {
  std::string file = std::string(PUMICE_MOCK_FOLDER) + "/mock_" + kind + ".json";
  setenv("PUMICE_MOCK_DEVICES", devices.c_str(), 1);
  setenv("VK_DRIVER_FILES", file.c_str(), 1);
  setenv("VK_ICD_FILENAMES", file.c_str(), 1); // its name in older loaders
  setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
  setenv("NODEVICE_SELECT", "1", 1); // Mesa's layer, where the loader does not know the former
  unsetenv("PUMICE_VULKAN_VALIDATION");
}

} // namespace pumice::vulkan
