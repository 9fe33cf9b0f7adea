//===- Allocator.h - tensors' memory, cut from large buffers ----------------===//
#pragma once

#include "include/pumice/pumice.h"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <optional>

namespace pumice::vk {

/// A part of a buffer.
struct Place {
  pumice_buffer *buffer = nullptr;
  uint64_t offset = 0;    // the address's offset in the buffer
  uint64_t available = 0; // bytes from there to the end of the usable part
};

/// Returns the buffer that holds an address of a tensor's memory on a device, if there is one.
std::optional<Place> findPlace(c10::DeviceIndex device, const void *address);
/// Returns the place of a tensor's memory. Throws if the memory is not vk's.
Place placeOf(c10::DeviceIndex device, const void *address);

/// Calls `note` when another stream than a tensor's own uses memory that is not the allocator's.
void onRecordStream(void (*note)(const c10::DataPtr &data, c10::Stream stream));

/// Allocates on the calling thread's device.
c10::DeviceAllocator *allocator();

/// A graph joins the pool whose memory its tensors get. When the last one leaves it, the pool's
/// memory is freed as soon as no tensor uses it.
void joinPool(c10::DeviceIndex device, uint64_t pool);
void leavePool(c10::DeviceIndex device, uint64_t pool);

/// Allocates memory of the host that devices copy from and to without waiting.
at::HostAllocator *pinnedAllocator();
/// Returns the buffer of a device's pinned memory that holds the address, if there is one.
std::optional<Place> findPinned(c10::DeviceIndex device, const void *address);
bool isPinned(const void *address);
/// Keeps pinned memory from being used again before the stream's current work is done.
void recordPinned(const void *address, c10::Stream stream);

} // namespace pumice::vk
