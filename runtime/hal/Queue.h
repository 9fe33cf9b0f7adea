//===- Queue.h - work for one device, in order ------------------------------===//
// A queue takes work and returns at once. It behaves as if each piece ran after the one before it,
// with barriers only where the buffers require them. Work is submitted in batches: when a batch is
// full, when the device idles, when someone waits, and on `flush`. The next wait reports a later
// failure. Only timelines order the queues of a device among themselves. Thread-safe. Everything
// that work uses is kept alive until the work is done.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Buffer.h"
#include "runtime/hal/Kernel.h"
#include "runtime/hal/Timeline.h"

#include <functional>
#include <span>

namespace pumice::hal {

/// Receives the output of kernels: the whole formatted text of one launch, in the order of its
/// records. It is called when the launch is done, on the thread that notices. It must not call the
/// queue.
using PrintSink = std::function<void(std::string_view text)>;

struct QueueOptions {
  bool profiling = false; // measure each piece of work: `takeProfile`
};

/// A buffer that a kernel may touch, through a descriptor or an address.
struct BufferUse {
  static constexpr uint16_t noArgument = UINT16_MAX;

  Buffer *buffer = nullptr;
  executable::Access access = executable::Access::ReadWrite;
  uint16_t argument = noArgument; // its number (`Kernel::argumentName`), to name it in errors
};

/// The memory of a launch's argument, for arguments whose buffers do not describe it.
struct ArgumentMemory {
  uint64_t begin = 0, bytes = 0;
  uint32_t argument = 0; // its number
};

/// Returns the memory of a launch's arguments. It is called on any thread until the launch is done,
/// and only after an access out of bounds.
using ArgumentMemoryQuery = std::function<std::vector<ArgumentMemory>()>;

struct Dispatch {
  Kernel *kernel = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1};  // nothing runs if one is zero
  std::span<const std::byte> pushConstants; // as many bytes as the kernel takes
  // OpenCL kernels also get the number of dimensions of the grid, and an offset that is added to
  // the global numbers of invocations.
  uint32_t dimensions = 3;
  std::array<uint32_t, 3> globalOffset{0, 0, 0};
  // One range for each slot of the kernel. Buffers consist of whole words, since a driver rounds
  // the end of a range up.
  std::span<const BufferRange> bindings;
  std::span<const BufferUse> uses;             // each buffer once; those in `bindings` too
  bool touchesUnnamedMemory = false;           // may reach buffers that `uses` does not name
  const ArgumentMemoryQuery *memory = nullptr; // null: the buffers describe all memory
  // Used by kernels that print by instructions of their own (`Kernel::printfs`).
  const PrintSink *print = nullptr; // null: stdout
  uint32_t printBytes = 1u << 20;   // bytes of the buffer for their output; at least 8
  Buffer *printed = nullptr;        // set by `Queue::dispatch`, for drivers
};

/// The measurement of one piece of work.
struct ProfileRecord {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Upload, Download };
  Kind kind = Kind::Dispatch;
  std::string label;                       // the kernel's
  uint64_t deviceBegin = 0, deviceEnd = 0; // nanoseconds on the device's clock
  uint64_t hostNanoseconds = 0;            // spent in the recording call
  uint64_t bytes = 0;                      // moved by copies and fills; 0 for dispatches
};

class Queue : public RefCounted {
public:
  Status dispatch(const Dispatch &dispatch);
  /// Copies between ranges of the same length. They may be in one buffer if they do not overlap.
  Status copy(const BufferRange &to, const BufferRange &from);
  /// Repeats the low `patternBytes` (1, 2 or 4) of `pattern`. The length must be a multiple of
  /// `patternBytes`.
  Status fill(const BufferRange &to, uint32_t pattern, uint32_t patternBytes = 4);
  /// Copies `from` to the device. `from` is read before the call returns.
  Status upload(const BufferRange &to, std::span<const std::byte> from);
  /// Copies `from` to host memory. `to` holds the bytes, and may be freed, once a later wait has
  /// succeeded. That can be a wait for this queue, or for a point that it signals later. If waits
  /// fail or time out, `to` must live until the queue is destroyed. A queue that is destroyed
  /// finishes only downloads whose end a later signal or `onDone` can report.
  Status download(std::span<std::byte> to, const BufferRange &from);

  /// Delays the work that follows until the point is reached.
  Status wait(const TimePoint &point);
  /// Reaches the point when everything before it is done.
  Status signal(const TimePoint &point);

  /// Calls `then` when everything before it is done or has failed, on the thread that notices.
  /// `then` must not call the queue.
  Status onDone(std::function<void(const Status &)> then);

  /// Submits the recorded work. Only work whose end others poll for needs this.
  Status flush();
  /// Waits until everything is done. Errors: the failure of the work, DeadlineExceeded.
  Status finish(Timeout timeout = forever);

  /// Returns the records of finished work since the last call, in order.
  Result<std::vector<ProfileRecord>> takeProfile();
  Device &device() const { return *owner; }

protected:
  explicit Queue(Ref<Device> owner);
  ~Queue() override;

private:
  friend class Function; // it has already checked most of what `dispatch` would check again
  // The callers have checked the arguments and resolved the lengths. Empty work never gets here.
  virtual Status dispatchImpl(const Dispatch &dispatch) = 0;
  virtual Status copyImpl(const BufferRange &to, const BufferRange &from) = 0;
  // The pattern fills the word.
  virtual Status fillImpl(const BufferRange &to, uint32_t pattern) = 0;
  virtual Status uploadImpl(const BufferRange &to, std::span<const std::byte> from) = 0;
  virtual Status downloadImpl(std::span<std::byte> to, const BufferRange &from) = 0;
  virtual Status waitImpl(const TimePoint &point) = 0;
  virtual Status signalImpl(const TimePoint &point) = 0;
  virtual Status onDoneImpl(std::function<void(const Status &)> then) = 0;
  virtual Status flushImpl() = 0;
  virtual Status finishImpl(Timeout timeout) = 0;
  virtual Result<std::vector<ProfileRecord>> takeProfileImpl() = 0;

  Ref<Device> owner;
};

} // namespace pumice::hal
