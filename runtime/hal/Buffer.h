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
  /// What kernels take as its address; 0 where the device has none to give.
  uint64_t deviceAddress() const { return address; }
  /// Where the host sees the bytes; null where it does not. Device memory may be visible too (a
  /// CPU, an integrated GPU): then no staging copy is needed.
  std::byte *hostPointer() const { return mapped; }
  /// The device it belongs to; the buffer keeps it open.
  Device &device() const { return *owner; }
  /// Ok, or DeviceLost with what was lost, and when: the contents went with the device.
  Status health() const;
  /// `then` runs when the buffer, and all work that uses it, are gone: for who lent the memory. Set
  /// it before anyone else has the buffer.
  void whenDestroyed(std::function<void()> then) { destroyed = std::move(then); }
  /// Memory that was lent for reading: work that writes it is refused. Set it before anyone else
  /// has the buffer. Kernels that reach it by an address that no argument names are not told.
  void forbidWrites() { readOnly = true; }
  bool isReadOnly() const { return readOnly; }
  /// Work of a queue, in recording or in flight, may still touch it, though it need not hold a
  /// reference. What it did before is seen by who finds that none does.
  virtual bool isInUse() const { return false; }
  /// One of its driver's, for tables of buffers.
  uint32_t number() const { return driverNumber; }
  /// Room for the handle by which an API gives the buffer away: it lies beside what launches read,
  /// which then have one place in memory to go to, and one that can be fetched ahead. For who made
  /// the buffer, and for one handle; the HAL does not touch it.
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
