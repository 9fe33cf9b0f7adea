//===- MockDriver.h - lets tests configure the mock Vulkan driver -----------===//
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace pumice::vulkan {

/// From now on, Vulkan instances see only the mock driver (tests/mock-icd), which simulates
/// `devices`. `kind` selects its ICD file: "plain" or "portability".
inline void playDevices(const std::string &devices, const std::string &kind = "plain") {
  std::string file = std::string(PUMICE_MOCK_FOLDER) + "/mock_" + kind + ".json";
  setenv("PUMICE_MOCK_DEVICES", devices.c_str(), 1);
  setenv("VK_DRIVER_FILES", file.c_str(), 1);
  setenv("VK_ICD_FILENAMES", file.c_str(), 1); // the variable's name in older loaders
  setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
  setenv("NODEVICE_SELECT", "1", 1); // for Mesa's layer, in case the loader ignores the above
  unsetenv("PUMICE_VULKAN_VALIDATION");
}

/// Calls `playDevices`. The destructor undoes it.
class PlayedDevices {
public:
  explicit PlayedDevices(const std::string &devices) {
    for (const char *name :
         {"PUMICE_MOCK_DEVICES", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LOADER_LAYERS_DISABLE",
          "NODEVICE_SELECT", "PUMICE_VULKAN_VALIDATION"}) {
      const char *value = std::getenv(name);
      before.push_back({name, value ? std::optional<std::string>(value) : std::nullopt});
    }
    playDevices(devices);
  }
  ~PlayedDevices() {
    for (const auto &[name, value] : before)
      value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }
  PlayedDevices(const PlayedDevices &) = delete;
  PlayedDevices &operator=(const PlayedDevices &) = delete;

private:
  std::vector<std::pair<const char *, std::optional<std::string>>> before;
};

} // namespace pumice::vulkan
