//===- Buffer.h - memory that a device reads and writes ---------------------===//
// Thread-safe, except for the bytes themselves: writing them while a queue reads them is a race.
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
  Device,   // memory that the device reads fastest; the host reaches it through a queue
  Host,     // host memory, mapped and coherent; the device accesses it over its bus
  Imported, // memory that the caller owns, used in place
};

class Buffer : public RefCounted {
public:
  uint64_t bytes() const { return size; }
  MemoryKind kind() const { return memoryKind; }
  /// Returns the address that kernels use; 0 if the device has none.
  uint64_t deviceAddress() const { return address; }
  /// Returns the address at which the host sees the bytes, or null. Device memory may be visible
  /// too (a CPU, an integrated GPU); then no staging copy is needed.
  std::byte *hostPointer() const { return mapped; }
  /// Returns the device, which the buffer keeps open.
  Device &device() const { return *owner; }
  /// Returns ok, or DeviceLost with a description and the time of the loss. The contents were lost
  /// with the device.
  Status health() const;
  /// Calls `then` when the buffer, and all work that uses it, are destroyed. Owners of lent memory
  /// use this. Call it before anyone else has the buffer.
  void whenDestroyed(std::function<void()> then) { destroyed = std::move(then); }
  /// Marks memory that was lent for reading, so that work that writes it is rejected. Call it
  /// before anyone else has the buffer. Kernels that reach the memory by an address that no
  /// argument names are not detected.
  void forbidWrites() { readOnly = true; }
  bool isReadOnly() const { return readOnly; }
  /// Returns whether recorded or running work of a queue may still touch the buffer, even without a
  /// reference to it. If the result is false, the caller sees everything that such work did.
  virtual bool isInUse() const { return false; }
  /// Returns a number that the driver gives the buffer, for tables of buffers.
  uint32_t number() const { return driverNumber; }
  /// Storage for the handle by which an API exposes the buffer. Launches read both, so placing them
  /// together costs one memory access, which can be prefetched. It holds one handle, and belongs to
  /// the code that made the buffer. The HAL does not touch it.
  static constexpr size_t handleBytes = 40;
  void *handleRoom() { return room; }
  /// Prefetches the buffer and its handle, if it has one, for a launch that will read them.
  static void prefetch(const void *buffer) {
    if (!buffer)
      return;
    // 72 bytes from a multiple of 16 on always lie in two cache lines.
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
  uint64_t size, address; // launches read these, so they are next to each other
  MemoryKind memoryKind;
  bool readOnly = false;
  uint32_t driverNumber;
  alignas(uint64_t) std::byte room[handleBytes];
  std::byte *mapped;
  std::function<void()> destroyed;
};

inline constexpr uint64_t wholeBuffer = UINT64_MAX;

/// A part of a buffer. `bytes` may be `wholeBuffer`, which means up to the end.
struct BufferRange {
  Buffer *buffer = nullptr;
  uint64_t offset = 0, bytes = wholeBuffer;

  uint64_t length() const {
    return bytes == wholeBuffer ? (offset < buffer->bytes() ? buffer->bytes() - offset : 0) : bytes;
  }
};

/// Checks that the range is inside its buffer. Errors: InvalidArgument, with `what` and the
/// numbers.
Status checkRange(const BufferRange &range, const Device &device, std::string_view what);
/// Checks the range like `checkRange`, and also rejects read-only buffers.
Status checkTarget(const BufferRange &range, const Device &device, std::string_view what);

} // namespace pumice::hal
