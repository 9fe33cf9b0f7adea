//===- Packs.h - plans that come with a program -----------------------------===//
// A pack is a file with the plans of a model (python/pumice_torch/vk/packs.py reads it). Its plans
// are tried before those on disk. To make a pack, the plans that operators use are recorded.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pumice::vk {

/// Finds a plan in the packs: file `number` of those for `place`, an operator and a hash of the
/// key. Hands it to `givePlan` with `into`, and returns whether there is one.
using FindPlan = int (*)(int64_t device, const char *place, int64_t number, void *into);

/// Sets what finds plans in packs. Null: there are no packs.
void setPackReader(FindPlan find);

/// The file of a plan, and where it is: the pack's path, '!', and its name there.
struct PackedPlan {
  std::string data, origin;
};

/// Receives a plan from the function that finds it.
void givePlan(void *into, const char *data, size_t size, const char *origin);

/// Returns file `number` of those that packs have for a device and a place.
std::optional<PackedPlan> findPacked(int64_t device, const std::string &place, size_t number);

/// Warns that a plan of a pack cannot be used, once for each pack.
void warnOfPack(const std::string &origin, const std::string &device, const char *why);

/// Forgets what was recorded, and records the plans that operators use from now on, or no more.
void recordPlans(bool isOn);
/// Records the files that calls with one key have needed, in their order.
void noteUse(int64_t device, const std::vector<std::string> &files);
/// Returns the files that were recorded for a device.
std::vector<std::string> recordedPlans(int64_t device);

/// Counts a compilation of a plan.
void countCompilation();
/// Returns how many plans this process has compiled, also those that could not be compiled.
int64_t compilations();

} // namespace pumice::vk
