//===- Packs.cpp - plans that come with a program ---------------------------===//
#include "python/torch_shim/plans/Packs.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace pumice::vk {
namespace {

std::atomic<FindPlan> reader = nullptr;
std::atomic<int64_t> compiled = 0;
std::atomic<bool> isRecording = false;

/// The files that were recorded, and the packs and devices with a warning.
struct Notes {
  std::mutex mutex;
  std::map<int64_t, std::vector<std::string>> files; // by devices
  std::set<std::string> warned;
};
Notes &notes() {
  static auto *one = new Notes;
  return *one;
}

} // namespace

void setPackReader(FindPlan find) { reader = find; }

void givePlan(void *into, const char *data, size_t size, const char *origin) {
  *static_cast<PackedPlan *>(into) = {std::string(data, size), origin};
}

std::optional<PackedPlan> findPacked(int64_t device, const std::string &place, size_t number) {
  FindPlan find = reader;
  PackedPlan made;
  if (!find || !find(device, place.c_str(), static_cast<int64_t>(number), &made))
    return std::nullopt;
  return made;
}

void warnOfPack(const std::string &origin, const std::string &device, const char *why) {
  std::string pack = origin.substr(0, origin.rfind('!'));
  {
    std::lock_guard lock(notes().mutex);
    if (!notes().warned.insert(pack + '!' + device).second)
      return;
  }
  TORCH_WARN("the pack ", pack, " has a plan (",
             origin.substr(std::min(pack.size() + 1, origin.size())), ") that cannot be used on ",
             device, ": ", why,
             "; such operators are compiled as if there were no pack. Pack the model again for "
             "this device");
}

void recordPlans(bool isOn) {
  std::lock_guard lock(notes().mutex);
  notes().files.clear();
  isRecording = isOn;
}

void noteUse(int64_t device, const std::vector<std::string> &files) {
  if (!isRecording)
    return;
  std::lock_guard lock(notes().mutex);
  std::vector<std::string> &known = notes().files[device];
  for (const std::string &file : files)
    if (std::find(known.begin(), known.end(), file) == known.end())
      known.push_back(file);
}

std::vector<std::string> recordedPlans(int64_t device) {
  std::lock_guard lock(notes().mutex);
  return notes().files[device];
}

void countCompilation() { ++compiled; }
int64_t compilations() { return compiled; }

} // namespace pumice::vk
