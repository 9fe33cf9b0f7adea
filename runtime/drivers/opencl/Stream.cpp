//===- Stream.cpp - the work of one queue, in order -------------------------===//
#include "runtime/drivers/opencl/Stream.h"

#include "runtime/drivers/opencl/Device.h"

#include <algorithm>

namespace pumice::opencl_driver {

Stream::Stream(OpenClDevice &device, cl_command_queue queue, bool profiling)
    : device(device), scheduler(device.scheduler), queue(queue), profiling(profiling),
      open(std::make_unique<Group>()) {
  std::lock_guard lock(scheduler.mutex);
  scheduler.add(this);
}

Stream::~Stream() {
  if (!device.context->isAbandoned())
    device.context->cl.clReleaseCommandQueue(queue);
}

Result<Ref<Stream>> Stream::create(OpenClDevice &device, bool profiling) {
  const Context &context = *device.context;
  const cl_properties properties[] = {CL_QUEUE_PROPERTIES,
                                      profiling ? CL_QUEUE_PROFILING_ENABLE : 0, 0};
  cl_int result = CL_SUCCESS;
  cl_command_queue queue = PUMICE_CL_MAKE(result, context.cl, clCreateCommandQueueWithProperties,
                                          context.handle, context.facts.device, properties);
  if (result != CL_SUCCESS)
    return device.noted(toStatus(result, "clCreateCommandQueueWithProperties"));
  return Ref<Stream>::adopt(new Stream(device, queue, profiling));
}

//===- Recording ------------------------------------------------------------===//

std::unique_ptr<Command> Stream::newCommand() {
  if (spare.empty())
    return std::make_unique<Command>();
  std::unique_ptr<Command> command = std::move(spare.back());
  spare.pop_back();
  return command;
}

void Stream::record(std::unique_ptr<Command> command) {
  using Kind = Command::Kind;
  ++recorded;
  if (command->isWork() && command->kind != Kind::Download && pending.empty() && !isBlocked()) {
    allowed = recorded;
    noteLoss();
    (void)giveToDevice(*command); // work never waits
    recycle(std::move(command));
    return;
  }
  holdsDownload |= command->kind == Kind::Download;
  if (command->kind == Kind::Signal)
    command->timeline->promise(*this, command->value);
  bool tells = command->kind == Kind::Signal || command->kind == Kind::Callback;
  pending.push_back(std::move(command));
  constexpr size_t mostHeld = 64;
  if (tells || !holdsDownload || pending.size() > mostHeld)
    allow();
}

void Stream::allow() {
  allowed = recorded;
  holdsDownload = false;
  if (enqueued < allowed && !isBlocked())
    scheduler.makeReady(this);
}

void Stream::dropHeldDownloads() {
  for (auto at = pending.rbegin(); at != pending.rend(); ++at) {
    Command::Kind kind = (*at)->kind;
    if (kind == Command::Kind::Signal || kind == Command::Kind::Callback)
      return;
    if (kind == Command::Kind::Download)
      (*at)->host = nullptr;
  }
}

void Stream::unblocked() { scheduler.makeReady(this); }

void Stream::fail(Status status) { keepFailure(device.noted(std::move(status))); }

//===- To the device --------------------------------------------------------===//

void Stream::pump() {
  while (!isBlocked() && !pending.empty() && enqueued < allowed) {
    noteLoss();
    if (!giveToDevice(*pending.front()))
      return;
    recycle(std::move(pending.front()));
    pending.pop_front();
  }
}

/// If the device is lost, later work fails.
void Stream::noteLoss() {
  if (failure.isOk() && !device.health().isOk())
    fail(device.health());
}

void Stream::recycle(std::unique_ptr<Command> command) {
  command->reset();
  constexpr size_t mostSpare = 64;
  if (spare.size() < mostSpare)
    spare.push_back(std::move(command));
}

/// Returns false if the stream has to wait.
bool Stream::giveToDevice(Command &command) {
  using Kind = Command::Kind;
  if (command.kind == Kind::Wait && !passWait(command))
    return false;
  bool isWork = command.isWork();
  if (isWork && failure.isOk())
    if (Status status = enqueueWork(command); !status.isOk())
      fail(std::move(status));
  ++enqueued;
  open->lastCommand = enqueued;
  std::ranges::move(command.kept, std::back_inserter(open->kept));
  if (command.kind == Kind::Upload)
    open->staging.push_back(std::move(command.data));
  if (command.kind == Kind::Callback) {
    open->then = std::move(command.then);
    closeGroup(true);
  } else if (command.kind == Kind::Signal) {
    open->signal = {command.timeline, command.value};
    closeGroup(true);
    if (Event end = closed.back()->end)
      command.timeline->given(*this, command.value, std::move(end));
  } else if (open->kept.size() >= commandsOfGroup || open->staging.size() >= commandsOfGroup) {
    closeGroup(true);
  }
  if (isWork && ++unflushed >= commandsOfFlush)
    flushNow(); // so that the device starts
  return true;
}

/// Returns false if the stream must wait until another stream or the host signals the point.
bool Stream::passWait(Command &command) {
  OpenClTimeline &timeline = *command.timeline;
  if (!failure.isOk() || timeline.isGivenBy(*this, command.value))
    return true; // the queue is in order
  if (timeline.standing(command.value, this) != OpenClTimeline::Standing::Pending)
    return passPoint(timeline, command.value);
  if (Event event = timeline.eventFor(command.value, *this)) {
    Status status = PUMICE_CL_STATUS(device.context->cl, clEnqueueBarrierWithWaitList, queue, 1,
                                     &event.get(), nullptr);
    if (!status.isOk())
      fail(std::move(status));
    open->waits.push_back({command.timeline, command.value});
    return true;
  }
  return passPoint(timeline, command.value);
}

void Stream::flushNow() {
  unflushed = 0;
  Status status = PUMICE_CL_STATUS(device.context->cl, clFlush, queue);
  if (!status.isOk())
    fail(std::move(status));
}

void Stream::makeEvent(Group &group) {
  cl_event event = nullptr;
  Status status =
      PUMICE_CL_STATUS(device.context->cl, clEnqueueMarkerWithWaitList, queue, 0, nullptr, &event);
  if (status.isOk()) {
    group.end = Event(*device.context, event);
    return;
  }
  group.failedToEnd = true;
  fail(std::move(status));
}

void Stream::closeGroup(bool needsEvent) {
  if (needsEvent && device.health().isOk()) {
    makeEvent(*open);
    flushNow(); // queues of other streams, and hosts, may wait for the event
  }
  closed.push_back(std::move(open));
  open = spareGroup ? std::move(spareGroup) : std::make_unique<Group>();
}

//===- From the device ------------------------------------------------------===//

Event Stream::nextEvent() {
  if (closed.empty() && open->lastCommand > completed && !retiring)
    closeGroup(false);
  if (closed.empty() || retiring)
    return {};
  Group &front = *closed.front();
  if (!front.end && !front.failedToEnd && device.health().isOk()) {
    makeEvent(front); // it may also wait for later work, which does no harm
    flushNow();
  }
  return front.end;
}

bool Stream::retire(Scheduler::Lock &lock) {
  if (retiring)
    return false;
  Ref<Stream> self(this); // a callback may release the queue
  retiring = true;
  retirer = std::this_thread::get_id();
  bool any = false;
  while (!closed.empty()) {
    Group &front = *closed.front();
    cl_int status = CL_COMPLETE;
    if (front.failedToEnd && front.lastCommand > doneOnDevice && device.health().isOk())
      waitForDevice(lock); // objects that the work uses must live until then
    bool known = front.lastCommand <= doneOnDevice || !device.health().isOk();
    if (!known && !front.end)
      break;
    if (front.end && !front.failedToEnd && device.health().isOk())
      status = front.end.status();
    if (status > CL_COMPLETE && !known)
      break;
    std::unique_ptr<Group> group = std::move(closed.front());
    closed.pop_front();
    finishGroup(lock, *group, status);
    spareGroup = std::move(group);
    any = true;
  }
  retiring = false;
  if (any && completed == recorded)
    failure = Status::ok(); // later work starts without it; `firstFailure` keeps it
  if (any)
    scheduler.noteChange();
  if (abandoned && any)
    runDry(lock);
  return any;
}

/// Retires the open group if the device has done all of it, and the host has nothing to do then.
/// Returns whether it did. Most waits of programs end so.
bool Stream::retireOpenGroup() {
  uint64_t last = open->lastCommand;
  if (!closed.empty() || retiring || abandoned || last <= completed || last > doneOnDevice ||
      !failure.isOk() || !device.health().isOk() || !open->releaseQuietly())
    return false;
  completed = last;
  scheduler.noteChange();
  return true;
}

void Stream::finishGroup(Scheduler::Lock &lock, Group &group, cl_int status) {
  if (!device.health().isOk() && failure.isOk())
    fail(device.health());
  if (status < CL_COMPLETE && failure.isOk())
    fail(toStatus(status, "work of a queue").at("while it ran on the device"));
  for (const Group::Point &wait : group.waits)
    if (wait.timeline->hasFailed(wait.value) && failure.isOk())
      fail(wait.timeline->failureAt(wait.value));
  if (failure.isOk())
    for (Group::Measured &measured : group.measured) {
      measured.record.deviceBegin = measured.first.time(CL_PROFILING_COMMAND_START);
      const Event &last = measured.last ? measured.last : measured.first;
      measured.record.deviceEnd = last.time(CL_PROFILING_COMMAND_END);
      records.push_back(std::move(measured.record));
    }
  Status outcome = failure;
  uint64_t last = group.lastCommand;
  Group::Point signal = std::move(group.signal);
  if (group.then || !group.releaseQuietly()) {
    lock.unlock();
    if (group.then)
      group.then(outcome);
    group.reset(); // this may destroy the objects that it kept
    lock.lock();
  }
  if (signal.timeline)
    signal.timeline->retire(*this, signal.value, outcome);
  completed = last;
}

/// Waits until the device has done all enqueued work of this stream.
void Stream::waitForDevice(Scheduler::Lock &lock) {
  uint64_t upTo = enqueued;
  unflushed = 0;
  lock.unlock();
  cl_int result = PUMICE_CL(device.context->cl, clFinish, queue);
  lock.lock();
  if (result != CL_SUCCESS && failure.isOk()) {
    // A wait needs no resources, so CL_OUT_OF_RESOURCES means that the device stopped answering.
    Status status = toStatus(result, "clFinish");
    bool lost = meansLost(result) || result == CL_OUT_OF_RESOURCES;
    fail(lost ? Status(StatusCode::DeviceLost, status.message()) : status);
  }
  doneOnDevice = std::max(doneOnDevice, upTo);
}

void Stream::flush(Scheduler::Lock &lock) {
  allow();
  scheduler.pumpReady();
  if (device.health().isOk())
    flushNow();
  scheduler.retireAll(lock);
}

Status Stream::finish(Scheduler::Lock &lock, const hal::Deadline &deadline) {
  uint64_t last = recorded;
  allow();
  scheduler.pumpReady();
  hal::HostStream *self = this;
  while (!isDone(last)) {
    if (enqueued < last || retiring || !deadline.isNever()) {
      PUMICE_RETURN_IF_ERROR(scheduler.advance(lock, {&self, 1}, deadline));
      continue;
    }
    if (!closed.empty() && open->lastCommand > completed)
      closeGroup(false);
    waitForDevice(lock);
    if (retireOpenGroup())
      continue;
    if (open->lastCommand > completed)
      closeGroup(false);
    retire(lock);
    scheduler.pumpReady();
  }
  return takeFailure();
}

//===- The end --------------------------------------------------------------===//

/// Runs all remaining work.
void Stream::runDry(Scheduler::Lock &lock) {
  hal::HostStream *self = this;
  allow();
  scheduler.pumpReady();
  while (!isIdle()) {
    if (isBlocked() && Scheduler::isStuck(this)) {
      givingUp = true;
      unblock();
      scheduler.pumpReady();
    }
    if (!device.health().isOk() && isBlocked()) {
      unblock();
      fail(device.health());
      scheduler.pumpReady();
    }
    (void)scheduler.advance(lock, {&self, 1}, hal::Deadline{});
  }
  scheduler.remove(this);
}

void Stream::close() {
  Scheduler::Lock lock(scheduler.mutex);
  if (device.context->isAbandoned()) { // the child of a fork
    scheduler.remove(this);
    return;
  }
  dropHeldDownloads();
  if (retiring && retirer == std::this_thread::get_id()) {
    abandoned = true; // the loop that runs the callback does the rest
    return;
  }
  runDry(lock);
}

} // namespace pumice::opencl_driver
