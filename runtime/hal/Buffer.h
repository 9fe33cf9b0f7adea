//===- Buffer.h - memory that a device reads and writes ---------------------===//
// Thread-safe, but for the bytes themselves: who writes them while a queue reads them races.
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
  Device,   // where the device reads fastest; the host reaches it through a queue
  Host,     // the host's, mapped and coherent; the device reads and writes it over its bus
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
  /// The device it belongs to; the buffer keeps it open.
  Device &device() const { return *owner; }
  /// Ok, or DeviceLost with what was lost, and when: the contents went with the device.
  Status health() const;
  /// `then` runs when the buffer, and all work that uses it, are gone: for who lent the memory. Set
  /// it before anyone else has the buffer.
  void whenDestroyed(std::function<void()> then) { destroyed = std::move(then); }
  /// Marks memory that was lent for reading, so that work that writes it is rejected. Call it
  /// before anyone else has the buffer. Kernels that reach the memory by an address that no
  /// argument names are not detected.
  void forbidWrites() { readOnly = true; }
  bool isReadOnly() const { return readOnly; }
  /// Returns whether recorded or running work of a queue may still touch the buffer, even without a
  /// reference to it. If the result is false, the caller sees everything that such work did.
  virtual bool isInUse() const { return false; }
  /// One of its driver's, for tables of buffers.
  uint32_t number() const { return driverNumber; }
  /// Storage for the handle by which an API exposes the buffer. Launches read both, so placing them
  /// together costs one memory access, which can be prefetched. It holds one handle, and belongs to
  /// the code that made the buffer. The HAL does not touch it.
  static constexpr size_t handleBytes = 40;
  void *handleRoom() { return room; }
  /// A launch reads the buffer and its handle soon, if there is one.
  static void prefetch(const void *buffer) {
    if (!buffer)
      return;
    // 72 bytes from a multiple of 16 on: two lines of the cache, wherever they begin.
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
  uint64_t size, address; // what launches read lies side by side
  MemoryKind memoryKind;
  bool readOnly = false;
  uint32_t driverNumber;
  alignas(uint64_t) std::byte room[handleBytes];
  std::byte *mapped;
  std::function<void()> destroyed;
};

inline constexpr uint64_t wholeBuffer = UINT64_MAX;

/// A part of a buffer; `bytes` may be `wholeBuffer`: up to its end.
struct BufferRange {
  Buffer *buffer = nullptr;
  uint64_t offset = 0, bytes = wholeBuffer;

  uint64_t length() const {
    return bytes == wholeBuffer ? (offset < buffer->bytes() ? buffer->bytes() - offset : 0) : bytes;
  }
};

/// InvalidArgument, with `what` and the numbers, where the range is not inside its buffer.
Status checkRange(const BufferRange &range, const Device &device, std::string_view what);
/// The same, also where the buffer is read-only.
Status checkTarget(const BufferRange &range, const Device &device, std::string_view what);

} // namespace pumice::hal
