//===- Patience.cpp - calls that fail while others make them ----------------===//
#include "runtime/drivers/vulkan/Patience.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

namespace pumice::vulkan {
namespace {

bool mayPass(VkResult result) {
  return result == VK_ERROR_INITIALIZATION_FAILED || result == VK_ERROR_DEVICE_LOST;
}

/// Returns a pause. It is partly random, so that processes that began together do not retry
/// together.
std::chrono::milliseconds rest(int attempts) {
  thread_local std::minstd_rand random{std::random_device{}()};
  int most = std::min(10 << std::min(attempts, 6), 500);
  return std::chrono::milliseconds(most / 2 + static_cast<int>(random() % most) / 2);
}

} // namespace

std::chrono::milliseconds startPatience() {
  static const bool hasGpu = [] {
    std::error_code ignored;
    for (const char *file : {"/dev/nvidiactl", "/dev/dri/renderD128", "/dev/kfd", "/dev/dxg"})
      if (std::filesystem::exists(file, ignored))
        return true;
    return false;
  }();
  return hasGpu ? openPatience.load() : std::chrono::milliseconds(0);
}

Status tryPatiently(std::chrono::milliseconds longest, std::string_view call,
                    const std::function<VkResult()> &attempt) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  for (int attempts = 1;; ++attempts) {
    VkResult result = attempt();
    if (!mayPass(result))
      return toStatus(result, call);
    std::chrono::milliseconds pause = rest(attempts);
    if (Clock::now() + pause > begin + longest) {
      Status status = toStatus(result, call);
      if (attempts == 1)
        return status;
      char text[160];
      std::snprintf(text, sizeof text,
                    "; Pumice tried %d times in %.1f s, since drivers may report this while other "
                    "processes open the device",
                    attempts, std::chrono::duration<double>(Clock::now() - begin).count());
      return Status(status.code(), status.message() + text);
    }
    std::this_thread::sleep_for(pause);
  }
}

} // namespace pumice::vulkan
