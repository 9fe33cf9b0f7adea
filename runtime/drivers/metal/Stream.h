//===- Stream.h - the work of one queue, in order ---------------------------===//
// A thread takes the recorded commands, in order. Dispatches that follow each other go to the
// device in one command buffer, and the thread waits for its end. The host sees all memory, so the
// thread makes all copies. The scheduler's mutex guards everything but the work itself. A stream
// may outlive its queue for a short time.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/metal/Kernel.h"
#include "runtime/hal/HostStream.h"
#include "runtime/hal/HostTimeline.h"
#include "runtime/hal/Queue.h"
#include "support/PlatformThreads.h"

#include <condition_variable>
#include <deque>
#include <thread>

namespace pumice::metal_driver {

struct Command {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Callback, Wait, Signal };
  struct Use {
    Object buffer = nullptr;
    Integer usage = 0;
  };
  struct Binding {
    Object buffer = nullptr;
    Integer offset = 0;
    uint32_t index = 0, bytes = 0;
  };

  Kind kind = Kind::Dispatch;
  // Dispatch
  const MetalKernel *kernel = nullptr;
  Size groups;
  std::vector<Use> uses;
  std::vector<Binding> bindings;
  bool usesAll = false;
  std::vector<std::byte> data; // the parameters, or the bytes of an upload
  // Copy, Fill
  std::byte *to = nullptr;
  const std::byte *from = nullptr; // null: `data`
  uint64_t bytes = 0;
  uint32_t pattern = 0;
  bool lands = false; // writes to the caller's memory
  // Callback, Wait, Signal
  std::function<void(const Status &)> then;
  Ref<hal::HostTimeline> timeline;
  uint64_t value = 0;

  std::vector<Ref<const RefCounted>> kept;
  std::optional<hal::ProfileRecord> record;
};

class Stream final : public hal::HostStream {
public:
  /// Starts the thread. Errors: ResourceExhausted.
  static Result<Ref<Stream>> create(MetalDevice &device, bool profiling);

  // The caller holds the mutex of the scheduler.
  void record(Command command);
  uint64_t lastRecorded() const { return recorded; }
  bool isDone(uint64_t command) const { return completed >= command; }
  bool isIdle() const { return completed == recorded; }
  std::vector<hal::ProfileRecord> takeRecords() { return std::exchange(records, {}); }

  /// Called when the queue is destroyed. Waits for all work. Drops work that waits for points that
  /// nothing will reach, and downloads whose end nobody can notice.
  void close();

private:
  Stream(MetalDevice &device, bool profiling) : device(device), profiling(profiling) {}
  ~Stream() override;

  struct Helper {
    std::unique_ptr<Thread> thread;
    std::condition_variable wake;
    bool leave = false;
  };
  void work();
  bool step(hal::HostScheduler::Lock &lock);
  void runPart(std::vector<Command> &part);
  Status runDispatches(std::span<Command> dispatches);
  void encode(Object encoder, const Command &command);
  void runOnHost(Command &command);
  void finishPart(hal::HostScheduler::Lock &lock, std::vector<Command> &part);
  bool isStuck();
  void unblocked() override { helper->wake.notify_one(); }

  MetalDevice &device;
  const bool profiling;
  std::unique_ptr<Helper> helper = std::make_unique<Helper>();
  std::thread::id runner;
  std::deque<Command> pending;
  uint64_t recorded = 0, completed = 0;
  bool running = false, abandoned = false;
  std::vector<hal::ProfileRecord> records;
};

} // namespace pumice::metal_driver
