//===- Stream.h - the work of one queue, in order ------------------------------===//
// Holds the commands that a queue has recorded, and how far they have run. Any thread may run a
// stream, but only one at a time. It stops at a wait for a point that is not reached yet. A stream
// may outlive its queue for a moment. The scheduler's mutex guards everything except the work that
// `run` does.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Batch.h"
#include "runtime/drivers/cpu/Launch.h"
#include "runtime/drivers/cpu/Scheduler.h"
#include "support/PlatformThreads.h"

#include <condition_variable>
#include <optional>
#include <thread>

namespace pumice::cpu_driver {

class CpuDevice;

class Stream final : public RefCounted {
public:
  explicit Stream(CpuDevice &device);

  // Recording: the mutex is held.
  Batch &openBatch() { return *open; }
  /// A command was added that is thought to take so long. Begins work that nobody should wait for.
  void added(double nanoseconds);
  uint64_t lastAdded() const { return recorded; }

  // The state of the stream. The caller holds the mutex.
  bool isDone(uint64_t command) const { return completed >= command; }
  bool isIdle() const { return !running && !hasWork(); }
  bool isRunning() const { return running; }
  bool canRun() const { return !running && !blocked && hasWork(); }
  /// Recorded work is soon done, as far as anyone can tell.
  bool isQuick() const;
  /// Adds the streams whose work may reach the point that this one waits for.
  void findSignalers(std::vector<Stream *> &found) const;

  // Running: the mutex is held, but not while commands run.
  /// Runs the recorded commands, up to a point that is not reached. Needs `canRun`.
  void run(Scheduler::Lock &lock);
  /// Wakes the stream's own thread to run it. Returns false if there can be no such thread.
  bool wakeThread();
  /// Starts the recorded commands now. This thread runs them if they are done soon.
  void submit(Scheduler::Lock &lock);
  /// The point that it waits for is reached or will never be, or nobody waits any more.
  void unblock();
  uint64_t blockedAt() const { return blocked ? blocked->value : 0; }
  /// Nobody else runs the stream from here on until `endDirect`: it was idle.
  void beginDirect();
  void endDirect();

  /// Returns the first failure of the work since the last call.
  Status takeFailure() { return std::exchange(firstFailure, Status::ok()); }
  std::vector<hal::ProfileRecord> takeRecords() { return std::exchange(records, {}); }

  /// Runs everything that remains when the queue is destroyed, and then ends the thread. Drops work
  /// that waits for points that nothing reaches, and downloads that nobody can learn of any more.
  /// If this thread is running the stream, this happens after the call has returned.
  void close();

  void afterForkInChild();

  Scheduler &scheduler;

private:
  ~Stream() override;
  struct Helper; // the thread, and what it sleeps on

  bool hasWork() const { return current || !open->commands.empty(); }
  bool isSubmitted() const { return submitted > completed; }
  void takeBatch();
  void runNext(Scheduler::Lock &lock);
  size_t runPart(Batch &batch, size_t at);
  void runCommand(Batch &batch, const Command &command);
  size_t runTogether(Batch &batch, size_t at);
  void fail(Status status);
  bool passPoint(const Command &command);
  void finishBatch(Scheduler::Lock &lock);
  void work(Helper &own);
  void endThread(Scheduler::Lock &lock);
  void dropUnheardLandings();

  CpuDevice &device;
  std::unique_ptr<Batch> open, current, spare;
  size_t position = 0;             // in `current`
  std::vector<Launching> together; // of the thread that runs the stream
  // Commands, counted: those that are to run without being waited for, among them.
  uint64_t recorded = 0, submitted = 0, completed = 0;
  bool running = false;
  std::thread::id runner; // while it runs
  bool givingUp = false;  // on points that are not reached
  bool abandoned = false; // the queue went while its stream ran: who runs it puts things away
  struct Point {
    CpuTimeline *timeline;
    uint64_t value;
  };
  std::optional<Point> blocked;
  Status failure;      // what later work of this stream ends with, until it has nothing more
  Status firstFailure; // not told yet
  std::vector<hal::ProfileRecord> records;
  std::unique_ptr<Helper> helper;
};

} // namespace pumice::cpu_driver
