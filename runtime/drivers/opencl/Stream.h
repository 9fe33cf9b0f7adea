//===- Stream.h - the work of one queue, in order ---------------------------===//
// A stream gives recorded commands to an in-order command queue of OpenCL at once. If it waits for
// a point that no work on the device will reach, it keeps them. Commands become groups. A group
// ends at a signal, at a callback and after many commands. When its event is complete, the host
// acts: it reaches the point, runs the callback and releases the objects that the work used.
//
//   record -> pending -> the device (open group) -> closed groups -> retired
//
// The scheduler's mutex guards everything. A stream may outlive its queue for a short time.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Command.h"
#include "runtime/drivers/opencl/Scheduler.h"
#include "runtime/hal/HostStream.h"

#include <deque>
#include <thread>

namespace pumice::opencl_driver {

class OpenClDevice;

class Stream final : public hal::HostStream {
public:
  /// Errors: those of clCreateCommandQueueWithProperties.
  static Result<Ref<Stream>> create(OpenClDevice &device, bool profiling);

  /// Returns an empty command to fill.
  std::unique_ptr<Command> newCommand();
  /// Records the command. A download, and all work after it, is sent to the device only when a
  /// signal, a callback, a flush or a wait follows. Until then, nobody could learn that the
  /// download is done.
  void record(std::unique_ptr<Command> command);
  /// Allows everything that was recorded to go to the device.
  void allow();
  void flush(Scheduler::Lock &lock);
  Status finish(Scheduler::Lock &lock, const hal::Deadline &deadline);

  bool isDone(uint64_t command) const { return completed >= command; }
  bool isIdle() const { return !retiring && completed == recorded; }
  bool hasWorkOnDevice() const { return retiring || completed < enqueued; }

  /// Sends the commands that are allowed to go to the device. The scheduler calls this.
  void pump();
  /// Finishes groups that the device has completed. Returns whether there were any.
  bool retire(Scheduler::Lock &lock);
  /// Returns an event for the oldest unfinished group of this stream, or an empty event if there is
  /// none.
  Event nextEvent();

  std::vector<hal::ProfileRecord> takeRecords() { return std::exchange(records, {}); }

  /// Called when the queue is destroyed. Waits for all work. Drops work that waits for points that
  /// nothing will reach, and downloads that are held back.
  void close();

private:
  Stream(OpenClDevice &device, cl_command_queue queue, bool profiling);
  ~Stream() override;

  void noteLoss();
  void recycle(std::unique_ptr<Command> command);
  bool giveToDevice(Command &command);
  bool passWait(Command &command);
  Status enqueueWork(Command &command);
  void closeGroup(bool needsEvent);
  void flushNow();
  void makeEvent(Group &group);
  bool retireOpenGroup();
  void finishGroup(Scheduler::Lock &lock, Group &group, cl_int status);
  void waitForDevice(Scheduler::Lock &lock);
  void runDry(Scheduler::Lock &lock);
  void dropHeldDownloads();
  void fail(Status status);
  void unblocked() override;

  static constexpr size_t commandsOfGroup = 256, commandsOfFlush = 32;

  OpenClDevice &device;
  Scheduler &scheduler;
  const cl_command_queue queue;
  const bool profiling;
  std::deque<std::unique_ptr<Command>> pending;
  std::vector<std::unique_ptr<Command>> spare;
  std::unique_ptr<Group> open, spareGroup; // spareGroup: null or empty
  std::deque<std::unique_ptr<Group>> closed;
  // Numbers of commands that are recorded, allowed to go to the device, enqueued there, known to
  // be done there, and retired.
  uint64_t recorded = 0, allowed = 0, enqueued = 0, doneOnDevice = 0, completed = 0;
  uint64_t unflushed = 0;
  bool holdsDownload = false; // whether a download is held back
  bool retiring = false;
  std::thread::id retirer;
  bool abandoned = false; // the queue was destroyed by a callback of this stream
  std::vector<hal::ProfileRecord> records;
};

} // namespace pumice::opencl_driver
