//===- Interface.cpp - functions that the Python side of vk calls -----------===//
// Plain C functions for ctypes, and operators for what ctypes cannot pass.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/device/Failures.h"
#include "python/torch_shim/device/Generator.h"
#include "python/torch_shim/operators/Fallback.h"
#include "python/torch_shim/plans/Packs.h"
#include "python/torch_shim/plans/Store.h"

#include <torch/library.h>

#include <sstream>

using namespace pumice;

namespace {

at::Generator defaultGeneratorOf(int64_t device) {
  return vk::defaultGenerator(static_cast<c10::DeviceIndex>(device));
}

/// Returns the id of a device, such as "vulkan:0".
std::string idOf(int64_t device) { return vk::deviceAt(static_cast<c10::DeviceIndex>(device)).id; }

/// Returns (seed, first position) for kernels that take `count` random numbers of each lane.
std::tuple<int64_t, int64_t> takeNumbers(at::Generator generator, int64_t count) {
  auto [seed, first] = vk::takeNumbers(generator, static_cast<uint64_t>(count));
  return {static_cast<int64_t>(seed), static_cast<int64_t>(first)};
}

std::vector<std::string> fallbackNames() {
  std::vector<std::string> lines;
  for (const auto &[name, times] : vk::fallbacks())
    lines.push_back(name + " " + std::to_string(times));
  return lines;
}

std::vector<std::string> reasonLines() {
  std::vector<std::string> lines;
  for (const auto &[name, why] : vk::reasonsWithoutPlan())
    lines.push_back(name + " " + why);
  return lines;
}

std::string whyNone() {
  (void)vk::deviceCount();
  return vk::whyNone();
}

TORCH_LIBRARY(pumice_vk, m) {
  m.def("default_generator(int device) -> Generator?", defaultGeneratorOf);
  m.def("device_id(int device) -> str", idOf);
  m.def("take_numbers(Generator? generator, int count) -> (int, int)", takeNumbers);
  m.def("are_devices_found() -> bool", vk::areDevicesFound);
  m.def("are_devices_of_parent() -> bool", vk::areDevicesOfParent);
  m.def("seed_all(int seed) -> ()", [](int64_t seed) { vk::seedAll(static_cast<uint64_t>(seed)); });
  m.def("fallbacks() -> str[]", fallbackNames);
  m.def("reset_fallbacks() -> ()", vk::resetFallbacks);
  m.def("reasons_without_plan() -> str[]", reasonLines);
  m.def("compilations() -> int", vk::compilations);
  m.def("record_plans(bool is_on) -> ()", vk::recordPlans);
  m.def("recorded_plans(int device) -> str[]", vk::recordedPlans);
  m.def("device_count() -> int", [] { return static_cast<int64_t>(vk::deviceCount()); });
  m.def("why_none() -> str", whyNone);
}

} // namespace

extern "C" {

/// Sets the folder of plans, the function that compiles them, and one that repeats an interrupt.
PUMICE_API void pumice_vk_set_plan_compiler(const char *folder, vk::CompilePlan compile,
                                            void (*interrupt)()) {
  vk::setPlanCompiler(folder, compile, interrupt);
}

/// Sets the function that finds plans in packs, or null.
PUMICE_API void pumice_vk_set_pack_reader(vk::FindPlan find) { vk::setPackReader(find); }

/// Takes a plan from that function, to which `into` belongs.
PUMICE_API void pumice_vk_give_plan(void *into, const char *data, uint64_t size,
                                    const char *origin) {
  vk::givePlan(into, data, size, origin);
}

/// Leaves all operators that the calling thread runs from now on to the CPU.
PUMICE_API void pumice_vk_use_plans_no_more() { vk::usePlansNoMore(); }

/// Finds the buffer of a tensor's address. Returns whether it is memory of the device's tensors.
PUMICE_API int pumice_vk_find(int device, const void *address, pumice_buffer **buffer,
                              uint64_t *offset) {
  auto place = vk::findPlace(static_cast<c10::DeviceIndex>(device), address);
  if (!place)
    return 0;
  *buffer = place->buffer;
  *offset = place->offset;
  return 1;
}

/// Keeps an assertion that failed in a kernel that Python launched, for the next synchronization.
PUMICE_API void pumice_vk_keep_failure(const char *text, uint64_t size) {
  vk::keepFailure(std::string(text, size));
}

/// Returns the device, which this library owns, or null if it cannot be opened.
PUMICE_API pumice_device *pumice_vk_device(int device) {
  try {
    return vk::deviceAt(static_cast<c10::DeviceIndex>(device)).handle();
  } catch (const std::exception &) {
    return nullptr;
  }
}

/// Returns the queue of the calling thread's stream, or null if the device cannot be opened.
PUMICE_API pumice_queue *pumice_vk_current_queue(int device) {
  try {
    return vk::currentState(static_cast<c10::DeviceIndex>(device)).queue;
  } catch (const std::exception &) {
    return nullptr;
  }
}
}
