//===- TorchDevice.h - launches find the memory of torch's device "vk" ------===//
// Another library implements "vk" (python/torch_shim). It hands its functions to this one when both
// are loaded.
//===-------------------------------------------------------------------------===//
#pragma once

#ifndef PUMICE_THROW
#define PUMICE_THROW
#endif
#include "pumice/pumice.hpp"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

namespace pumice::python {

/// The memory of a tensor of "vk:N".
struct TorchMemory {
  int device;            // N
  pumice_buffer *buffer; // null for an empty tensor
  uint64_t offset;
  uint64_t bytes = PUMICE_TO_END; // less if 32-bit indices cannot reach the end of the buffer
};

/// Returns the memory of a tensor of vk, or of Triton's view of one as another type. Returns
/// nothing for anything else.
std::optional<TorchMemory> torchMemoryOf(nanobind::handle value, nanobind::handle tensorType);

/// Returns the device of "vk:N". The library of "vk" keeps the ownership.
pumice_device *torchDeviceOf(int number);
/// Returns the queue of the calling thread's stream.
Queue torchQueueOf(int number);

/// Hands assertions that failed in a kernel's output to the library of "vk", whose next
/// synchronization throws them. Returns the rest of the output.
std::string withoutFailures(std::string_view output);

void defineTorchDevice(nanobind::module_ &m);

} // namespace pumice::python
