//===- Stream.h - the work of one queue, in order ---------------------------===//
// The commands that a queue has recorded, and how far they have run. Any thread may run a stream,
// but only one at a time. A stream stops when it waits for a point that has not been reached. A
// stream may outlive its queue for a short time. The scheduler's mutex guards everything except the
// work that `run` does.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Batch.h"
#include "runtime/drivers/cpu/Launch.h"
#include "runtime/drivers/cpu/Scheduler.h"
#include "runtime/hal/HostStream.h"
#include "support/PlatformThreads.h"

#include <condition_variable>
#include <thread>

namespace pumice::cpu_driver {

class CpuDevice;

class Stream final : public hal::HostStream {
public:
  explicit Stream(CpuDevice &device);

  // Functions for recording. The caller holds the mutex.
  Batch &openBatch() { return *open; }
  /// Notes a new command and its estimated duration. Starts recorded work that has become too much
  /// to wait for a request.
  void added(double nanoseconds);
  uint64_t lastAdded() const { return recorded; }

  // The state of the stream. The caller holds the mutex.
  bool isDone(uint64_t command) const { return completed >= command; }
  bool isIdle() const { return !running && !hasWork(); }
  bool isRunning() const { return running; }
  bool canRun() const { return !running && !isBlocked() && hasWork(); }
  /// Returns whether the recorded work is estimated to be done soon.
  bool isQuick() const;

  // Functions that run work. The caller holds the mutex, which is released while commands run. Runs
  // the recorded commands, up to a point that has not been reached. `canRun` must be true.
  void run(Scheduler::Lock &lock);
  /// Wakes the stream's own thread, which then runs the stream. Returns false if the thread cannot
  /// be started.
  bool wakeThread();
  /// Starts the recorded commands. If they will be done soon, this thread runs them.
  void submit(Scheduler::Lock &lock);
  /// Reserves an idle stream for the calling thread until `endDirect`.
  void beginDirect();
  void endDirect();

  std::vector<hal::ProfileRecord> takeRecords() { return std::exchange(records, {}); }

  /// Called when the queue is destroyed. Runs all remaining work, and then ends the thread. Drops
  /// work that waits for points that nothing will reach, and downloads whose end no one can notice
  /// any more. If this thread is running the stream, all this happens after the call has returned.
  void close();

  void afterForkInChild();

  Scheduler &scheduler;

private:
  ~Stream() override;
  struct Helper; // the stream's own thread, and its condition variable

  bool hasWork() const { return current || !open->commands.empty(); }
  bool isSubmitted() const { return submitted > completed; }
  void takeBatch();
  void runNext(Scheduler::Lock &lock);
  size_t runPart(Batch &batch, size_t at);
  void runCommand(Batch &batch, const Command &command);
  size_t runTogether(Batch &batch, size_t at);
  void fail(Status status);
  bool pass(const Command &command);
  void unblocked() override;
  void finishBatch(Scheduler::Lock &lock);
  void work(Helper &own);
  void endThread(Scheduler::Lock &lock);
  void dropUnheardLandings();

  CpuDevice &device;
  std::unique_ptr<Batch> open, current, spare;
  size_t position = 0;             // the index of the next command in `current`
  std::vector<Launching> together; // used only by the thread that runs the stream
  // Numbers of commands. Commands up to `submitted` run even if no one waits for them.
  uint64_t recorded = 0, submitted = 0, completed = 0;
  bool running = false;
  std::thread::id runner; // the thread that runs the stream, if any
  // Whether the queue was destroyed while the stream ran. The running thread then cleans up.
  bool abandoned = false;
  std::vector<hal::ProfileRecord> records;
  std::unique_ptr<Helper> helper;
};

} // namespace pumice::cpu_driver
