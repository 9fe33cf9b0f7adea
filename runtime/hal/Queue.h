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

/// Where what kernels print goes: whole formatted text of one launch, in the order of its records.
/// Called when the launch is done, on the thread that notices; it must not call the queue.
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

/// Memory that an argument of a launch has, where no buffer says it.
struct ArgumentMemory {
  uint64_t begin = 0, bytes = 0;
  uint32_t argument = 0; // its number
};

/// Answers which memory a launch's arguments have. Asked on any thread, and only when an access
/// strays, until the launch is done.
using ArgumentMemoryQuery = std::function<std::vector<ArgumentMemory>()>;

struct Dispatch {
  Kernel *kernel = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1};  // a zero runs nothing
  std::span<const std::byte> pushConstants; // as long as the kernel's
  // OpenCL kernels also get the number of dimensions of the grid, and an offset that is added to
  // the global numbers of invocations.
  uint32_t dimensions = 3;
  std::array<uint32_t, 3> globalOffset{0, 0, 0};
  // One range for each slot of the kernel. Buffers consist of whole words, since a driver rounds
  // the end of a range up.
  std::span<const BufferRange> bindings;
  std::span<const BufferUse> uses;             // each buffer once; those in `bindings` too
  bool touchesUnnamedMemory = false;           // may reach buffers that `uses` does not name
  const ArgumentMemoryQuery *memory = nullptr; // null: the buffers say it all
  // For kernels that print by instructions of their own (`Kernel::printfs`).
  const PrintSink *print = nullptr; // null: stdout
  uint32_t printBytes = 1u << 20;   // of the buffer for what they print; 8 at least
  Buffer *printed = nullptr;        // set by `Queue::dispatch`, for drivers
};

/// One piece of work, measured.
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
  /// Ranges of the same length; they may be in one buffer when they do not overlap.
  Status copy(const BufferRange &to, const BufferRange &from);
  /// Repeats the low `patternBytes` (1, 2 or 4) of `pattern`; the length is a multiple of them.
  Status fill(const BufferRange &to, uint32_t pattern, uint32_t patternBytes = 4);
  /// `from` is read before the call returns.
  Status upload(const BufferRange &to, std::span<const std::byte> from);
  /// Copies `from` to host memory. `to` holds the bytes, and may be freed, once a later wait
  /// succeeds. This is a wait of this queue, or for a point that it signals later. If waits fail,
  /// time-outs among them, `to` must live until the queue is destroyed. A queue that is destroyed
  /// finishes only downloads that a later signal or `onDone` can report.
  Status download(std::span<std::byte> to, const BufferRange &from);

  /// Delays the work that follows until the point is reached.
  Status wait(const TimePoint &point);
  /// Reaches the point when everything before it is done.
  Status signal(const TimePoint &point);

  /// `then` runs, on the thread that notices, when everything before it is done or has failed; it
  /// must not call the queue.
  Status onDone(std::function<void(const Status &)> then);

  /// Submits what is recorded. Nothing needs it but work that others poll for.
  Status flush();
  /// Returns when everything is done. Errors: what work ended with, DeadlineExceeded.
  Status finish(Timeout timeout = forever);

  /// Returns the records of finished work since the last call, in order.
  Result<std::vector<ProfileRecord>> takeProfile();
  Device &device() const { return *owner; }

protected:
  explicit Queue(Ref<Device> owner);
  ~Queue() override;

private:
  friend class Function; // it knows most of what `dispatch` asks again
  // Arguments are checked already; lengths are resolved; empty work never gets here.
  virtual Status dispatchImpl(const Dispatch &dispatch) = 0;
  virtual Status copyImpl(const BufferRange &to, const BufferRange &from) = 0;
  virtual Status fillImpl(const BufferRange &to, uint32_t pattern) = 0; // pattern fills the word
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
