//===- Buffer.h - memory that a device reads and writes ---------------------===//
// Thread-safe, except for the contents: writing them while a queue reads them is a race.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Ref.h"
#include "support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace pumice::hal {

class Device;

enum class MemoryKind : uint8_t {
  Device,   // fastest for the device; the host uses a queue to access it
  Host,     // mapped, coherent host memory, which the device accesses over its bus
  Imported, // memory of the caller, used in place
};

class Buffer : public RefCounted {
public:
  uint64_t bytes() const { return size; }
  MemoryKind kind() const { return memoryKind; }
  /// Returns the address for kernels, or 0 if the device has no buffer addresses. If an OpenCL
  /// device has none, this is a number that stands for the buffer in the arguments of kernels.
  uint64_t deviceAddress() const { return address; }
  /// Returns the address at which the host sees the bytes, or null. The host may also see device
  /// memory, on a CPU or an integrated GPU. Then no staging copies are needed.
  std::byte *hostPointer() const { return mapped; }
  /// Returns the device. The buffer keeps it open.
  Device &device() const { return *owner; }
  /// Returns ok, or DeviceLost with a description and the time of the loss. After a loss, the
  /// contents are lost, too.
  Status health() const;
  /// Calls `then` when the buffer, and all work that uses it, are destroyed. This is for owners of
  /// lent memory. Must be called before anyone else has the buffer.
  void whenDestroyed(std::function<void()> then) { destroyed = std::move(then); }
  /// Marks memory that was lent only for reading. Work that writes to it is then rejected. Must be
  /// called before anyone else has the buffer. Kernels that get the address of the memory otherwise
  /// than by an argument are not detected.
  void forbidWrites() { readOnly = true; }
  bool isReadOnly() const { return readOnly; }
  /// Returns whether recorded or running work of a queue may still access the buffer, even if it
  /// holds no reference. If the result is false, the caller sees all effects of such work.
  virtual bool isInUse() const { return false; }
  /// Returns a number that the driver has given to the buffer, for tables of buffers.
  uint32_t number() const { return driverNumber; }
  /// Storage for the handle by which an API exposes the buffer. Launches read both. Since they are
  /// together, that takes one memory access, which can be prefetched. The storage holds one handle,
  /// and belongs to the code that made the buffer. The HAL does not access it.
  static constexpr size_t handleBytes = 40;
  void *handleRoom() { return room; }
  /// Prefetches the buffer, and its handle if it has one, for a launch that will read them.
  static void prefetch(const void *buffer) {
    if (!buffer)
      return;
    // 72 bytes that start at a multiple of 16 are always in at most two cache lines.
    const auto *first = static_cast<const std::byte *>(buffer) + sizeof(RefCounted);
    __builtin_prefetch(first);
    __builtin_prefetch(first + 64);
  }

protected:
  struct Description {
    uint64_t bytes = 0;
    MemoryKind kind = MemoryKind::Device;
    uint64_t deviceAddress = 0;
    std::byte *hostPointer = nullptr;
    uint32_t number = 0;
  };
  Buffer(Ref<Device> owner, const Description &description);
  ~Buffer() override;

private:
  Ref<Device> owner;
  uint64_t size, address; // together, because launches read both
  MemoryKind memoryKind;
  bool readOnly = false;
  uint32_t driverNumber;
  alignas(uint64_t) std::byte room[handleBytes];
  std::byte *mapped;
  std::function<void()> destroyed;
};

inline constexpr uint64_t wholeBuffer = UINT64_MAX;

/// A part of a buffer. If `bytes` is `wholeBuffer`, the part extends to the end.
struct BufferRange {
  Buffer *buffer = nullptr;
  uint64_t offset = 0, bytes = wholeBuffer;

  uint64_t length() const {
    return bytes == wholeBuffer ? (offset < buffer->bytes() ? buffer->bytes() - offset : 0) : bytes;
  }
};

/// Checks that the range is inside its buffer. Errors: InvalidArgument, which contains `what` and
/// the numbers.
Status checkRange(const BufferRange &range, const Device &device, std::string_view what);
/// Checks the range as `checkRange` does, and also rejects read-only buffers.
Status checkTarget(const BufferRange &range, const Device &device, std::string_view what);

} // namespace pumice::hal
