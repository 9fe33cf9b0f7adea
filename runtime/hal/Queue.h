//===- Queue.h - work for one device, in order ------------------------------===//
// A queue accepts work and returns at once. It behaves as if each piece of work ran after the one
// before it, but uses barriers only if the buffers require them. Work is submitted in batches: when
// a batch is full, when the device is idle, when someone waits, and on `flush`. If work fails
// later, the next wait reports it. Only timelines order the work of different queues. Thread-safe.
// Everything that work uses is kept alive until the work is done. A queue can also capture work in
// a graph (runtime/hal/Graph.h), instead of running it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Buffer.h"
#include "runtime/hal/Kernel.h"
#include "runtime/hal/Timeline.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <span>

namespace pumice::hal {

class Graph;

/// Receives the output of kernels: the whole formatted text of one launch, in the order of its
/// records. The thread that notices the end of the launch calls it. It must not call the queue.
using PrintSink = std::function<void(std::string_view text)>;

/// Receives the end of work, and its time; 0 if the work has failed.
using TimeSink = std::function<void(const Status &status, uint64_t nanoseconds)>;

/// The least time between submissions by `Queue::letBegin`, since a submission takes some
/// microseconds.
inline constexpr std::chrono::microseconds submitsApart{20};

struct QueueOptions {
  bool profiling = false; // whether work is measured (`takeProfile`)
};

/// A buffer that a kernel may access, through a descriptor or an address.
struct BufferUse {
  static constexpr uint16_t noArgument = UINT16_MAX;

  Buffer *buffer = nullptr;
  executable::Access access = executable::Access::ReadWrite;
  uint16_t argument = noArgument; // the argument's number, for errors (`Kernel::argumentName`)
};

/// The memory of one argument of a launch. It is for arguments whose buffers do not describe their
/// memory.
struct ArgumentMemory {
  uint64_t begin = 0, bytes = 0;
  uint32_t argument = 0; // the number of the argument
};

/// Returns the memory of a launch's arguments. It is called only after an access out of bounds, on
/// any thread, and only until the launch is done.
using ArgumentMemoryQuery = std::function<std::vector<ArgumentMemory>()>;

struct Dispatch {
  Kernel *kernel = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1};  // if one of them is zero, nothing runs
  std::span<const std::byte> pushConstants; // exactly the size that the kernel takes
  // OpenCL kernels also get the number of dimensions of the grid, and an offset for the global
  // numbers of invocations.
  uint32_t dimensions = 3;
  std::array<uint32_t, 3> globalOffset{0, 0, 0};
  // One range for each slot of the kernel. Buffers must consist of whole words, because drivers
  // round the end of a range up.
  std::span<const BufferRange> bindings;
  std::span<const BufferUse> uses;             // each buffer once, including those in `bindings`
  bool touchesUnnamedMemory = false;           // may access buffers that `uses` does not name
  const ArgumentMemoryQuery *memory = nullptr; // null: the buffers describe all memory
  // For kernels that print with SPIR-V instructions (`Kernel::printfs`).
  const PrintSink *print = nullptr; // null: stdout
  uint32_t printBytes = 1u << 20;   // the size of the buffer for their output; at least 8
  Buffer *printed = nullptr;        // set by `Queue::dispatch`, and read by drivers
};

/// The measurement of one piece of work.
struct ProfileRecord {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Upload, Download };
  Kind kind = Kind::Dispatch;
  std::string label;                       // the label of the kernel
  uint64_t deviceBegin = 0, deviceEnd = 0; // in nanoseconds on the device's clock
  uint64_t hostNanoseconds = 0;            // time spent in the recording call
  uint64_t bytes = 0;                      // for copies and fills; 0 for dispatches
};

class Queue : public RefCounted {
public:
  Status dispatch(const Dispatch &dispatch);
  /// Copies between ranges of equal length. They may be in the same buffer if they do not overlap.
  Status copy(const BufferRange &to, const BufferRange &from);
  /// Fills the range with the low `patternBytes` (1, 2 or 4) bytes of `pattern`, repeated. The
  /// length must be a multiple of `patternBytes`.
  Status fill(const BufferRange &to, uint32_t pattern, uint32_t patternBytes = 4);
  /// Copies `from` to the device. `from` is read before this call returns.
  Status upload(const BufferRange &to, std::span<const std::byte> from);
  /// Copies `from` to host memory. Once a later wait has succeeded, `to` holds the bytes, and may
  /// be freed. This can be a wait for this queue, or for a point that it signals later. If waits
  /// fail or time out, `to` must live until the queue is destroyed. A queue that is being destroyed
  /// finishes only those downloads whose end a later signal or `onDone` can report.
  Status download(std::span<std::byte> to, const BufferRange &from);

  /// Delays later work until the point is reached.
  Status wait(const TimePoint &point);
  /// Reaches the point when all earlier work is done.
  Status signal(const TimePoint &point);

  /// Calls `then` when all earlier work is done or has failed, on the thread that notices this.
  /// `then` must not call the queue.
  Status onDone(std::function<void(const Status &)> then);
  /// Calls `then` as `onDone` does, and passes the time at which all earlier work was done, in
  /// nanoseconds. The drivers "vulkan" and "cpu" take this time from the device's clock, as
  /// profiles do. For other drivers, and for devices without timestamps, it is the time on the
  /// host's clock at which the host noticed.
  Status onTime(TimeSink then);

  /// Submits the recorded work. This is needed only if others poll for the end of the work.
  Status flush();
  /// Lets the recorded work begin soon, without a submission for each launch: at once if the device
  /// has little to do, otherwise once it has.
  Status letBegin();
  /// Waits until all work is done. Errors: the failure of the work, DeadlineExceeded.
  Status finish(Timeout timeout = forever);

  /// Begins a capture: from now on, launches, copies, fills and uploads of this queue go to a
  /// graph, and do not run. The bytes of an upload become part of the graph. Until the capture
  /// ends, downloads, waits, signals, callbacks, replays and kernels that print are errors.
  Status beginCapture();
  /// Ends the capture, and returns the graph. If a call of the capture failed, returns its error.
  Result<Ref<Graph>> endCapture();
  /// Ends the capture without a graph, if the queue is capturing.
  void dropCapture();
  bool isCapturing() const { return capturing.load(std::memory_order_acquire); }
  /// Runs all work of a graph of this device after the queue's earlier work. A graph may be
  /// replayed again before its last replay is done, also on other queues. Vulkan's queues submit it
  /// at once, together with the earlier work.
  Status replay(Graph &graph);

  /// Returns the records of the work that has finished since the last call, in order.
  Result<std::vector<ProfileRecord>> takeProfile();
  Device &device() const { return *owner; }

protected:
  explicit Queue(Ref<Device> owner);
  ~Queue() override;
  /// By default, takes the time from the host's clock.
  virtual Status onTimeImpl(TimeSink then);

private:
  friend class Function; // makes most of the checks of `dispatch` itself
  friend class Graph;    // records checked work again
  // Callers have checked the arguments and determined the lengths. Empty work is never passed on.
  virtual Status dispatchImpl(const Dispatch &dispatch) = 0;
  virtual Status copyImpl(const BufferRange &to, const BufferRange &from) = 0;
  // The pattern is a whole word.
  virtual Status fillImpl(const BufferRange &to, uint32_t pattern) = 0;
  virtual Status uploadImpl(const BufferRange &to, std::span<const std::byte> from) = 0;
  virtual Status downloadImpl(std::span<std::byte> to, const BufferRange &from) = 0;
  virtual Status waitImpl(const TimePoint &point) = 0;
  virtual Status signalImpl(const TimePoint &point) = 0;
  virtual Status onDoneImpl(std::function<void(const Status &)> then) = 0;
  virtual Status flushImpl() = 0;
  /// By default, submits the work unless the last submission was moments ago.
  virtual Status letBeginImpl();
  virtual Status finishImpl(Timeout timeout) = 0;
  virtual Result<std::vector<ProfileRecord>> takeProfileImpl() = 0;
  /// Prepares a graph for replays. By default, there is nothing to prepare, and a replay records
  /// the graph's work again.
  virtual Status prepareImpl(Graph &graph);
  virtual Status replayImpl(Graph &graph);

  // Captures (Graph.cpp).
  Status rejectWhileCapturing(std::string_view what) const;
  template <typename Add> Status capture(Add &&add, bool &isCaptured);
  [[gnu::cold]] Status captureDispatch(const Dispatch &dispatch);
  [[gnu::cold]] Status captureCopy(const BufferRange &to, const BufferRange &from);
  [[gnu::cold]] Status captureFill(const BufferRange &to, uint32_t pattern);
  [[gnu::cold]] Status captureUpload(const BufferRange &to, std::span<const std::byte> from);
  /// Runs checked work, or captures it.
  Status runDispatch(const Dispatch &dispatch) {
    return isCapturing() ? captureDispatch(dispatch) : dispatchImpl(dispatch);
  }

  Ref<Device> owner;
  std::atomic<bool> capturing = false;
  std::atomic<int64_t> begun = 0; // the time of the last `letBegin` that submitted
  std::mutex captureMutex;        // guards the members below
  Ref<Graph> captured;
  Status captureFailure;
};

} // namespace pumice::hal
