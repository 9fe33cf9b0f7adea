//===- Stream.cpp - the work of one queue, in order -------------------------===//
#include "runtime/drivers/cpu/Stream.h"

#include "runtime/drivers/cpu/Device.h"
#include "runtime/drivers/cpu/Launch.h"
#include "runtime/drivers/cpu/Memory.h"
#include "runtime/drivers/cpu/ThreadState.h"

#include <algorithm>

namespace pumice::cpu_driver {

struct Stream::Helper {
  std::unique_ptr<Thread> thread;
  std::thread::id id;
  std::condition_variable wake;
  bool wanted = false, leave = false;
};

Stream::Stream(CpuDevice &device)
    : scheduler(device.scheduler), device(device), open(std::make_unique<Batch>()),
      helper(std::make_unique<Helper>()) {
  std::lock_guard lock(scheduler.mutex);
  scheduler.add(this);
}

Stream::~Stream() = default;

//===- State of the stream --------------------------------------------------===//

void Stream::added(double nanoseconds) {
  ++recorded;
  open->nanoseconds += nanoseconds;
  if (open->nanoseconds < Scheduler::manyNanoseconds &&
      open->commands.size() < Scheduler::manyCommands)
    return;
  submitted = recorded;
  // A team belongs to the thread that will wait. The stream's own thread would have another one.
  if (canRun() && !WorkerPool::hasTeam())
    wakeThread();
}

bool Stream::isQuick() const {
  return open->nanoseconds + (current ? current->nanoseconds : 0) < Scheduler::quickNanoseconds;
}

void Stream::unblocked() {
  if (canRun())
    wakeThread();
}

void Stream::beginDirect() {
  running = true;
  runner = std::this_thread::get_id();
}

void Stream::endDirect() {
  running = false;
  if (canRun() && isSubmitted())
    wakeThread();
  scheduler.noteChange();
}

//===- Running --------------------------------------------------------------===//

/// Called without the mutex, which other threads hold while they take the first failure.
void Stream::fail(Status status) {
  std::lock_guard lock(scheduler.mutex);
  keepFailure(std::move(status));
}

/// Returns a launch in the form that the code of its kernel takes.
static executable::NativeLaunch launchOf(Batch &batch, const Command &command) {
  const CpuKernel &kernel = *command.kernel;
  executable::NativeLaunch launch;
  std::copy_n(command.groups, 3, launch.groups);
  std::copy_n(command.globalOffset, 3, launch.globalOffset);
  launch.dimensions = command.dimensions;
  if (command.printed) {
    launch.printf = reinterpret_cast<uint32_t *>(command.printed->hostPointer());
    launch.printfWords = command.printed->bytes() / sizeof(uint32_t);
  }
  launch.program = kernel.programAddress();
  const std::byte *data = batch.dataAt(command.data);
  launch.buffers = reinterpret_cast<const executable::NativeBuffer *>(data);
  launch.pushConstants = data + kernel.slots().size() * sizeof(executable::NativeBuffer);
  return launch;
}

static Launching launchingOf(Batch &batch, const Command &command) {
  bool asks = command.memory != Command::noRecord;
  return {command.kernel, launchOf(batch, command),
          asks ? &batch.queries[command.memory] : nullptr};
}

static uint64_t clockNow() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Called without the mutex, because only the thread that runs the stream calls this.
void Stream::runCommand(Batch &batch, const Command &command) {
  if (command.kind == Command::Kind::Callback) {
    auto then = std::exchange(batch.callbacks[command.data], nullptr);
    if (then) // null in a child of a fork, if it ran in the parent
      then(failure);
    return;
  }
  auto number = static_cast<size_t>(&command - batch.commands.data());
  bool unheard = command.lands && number >= batch.landsUpTo.load();
  if (!failure.isOk() || unheard)
    return;
  bool measured = command.record != Command::noRecord;
  if (measured)
    batch.records[command.record].deviceBegin = clockNow();
  Status status;
  if (command.kind == Command::Kind::Dispatch) {
    Launching launching = launchingOf(batch, command);
    status = runGrid(device, launching);
  } else if (command.kind == Command::Kind::Copy) {
    copyBytes(device.pool, command.to, command.from, command.bytes);
  } else {
    fillBytes(device.pool, command.to, command.bytes, command.data);
  }
  if (measured)
    batch.records[command.record].deviceEnd = clockNow();
  if (!status.isOk()) [[unlikely]]
    fail(std::move(status));
}

/// Runs the dispatches from `at` on that may run together, as one job if that is faster. Returns
/// the index of the first command after them.
size_t Stream::runTogether(Batch &batch, size_t at) {
  size_t end = at + 1;
  while (end < batch.commands.size() && batch.commands[end].joins)
    ++end;
  together.clear();
  for (size_t i = at; i < end; ++i)
    together.push_back(launchingOf(batch, batch.commands[i]));
  if (!failure.isOk())
    return end;
  if (!worthTogether(device, together)) {
    for (size_t i = at; i < end; ++i)
      runCommand(batch, batch.commands[i]);
    return end;
  }
  Status status = runGrids(device, together);
  if (!status.isOk()) [[unlikely]]
    fail(std::move(status));
  return end;
}

size_t Stream::runPart(Batch &batch, size_t at) {
  FloatEnvironment environment;
  while (at < batch.commands.size()) {
    const Command &command = batch.commands[at];
    if (command.kind == Command::Kind::Wait || command.kind == Command::Kind::Signal)
      break;
    bool alone = at + 1 == batch.commands.size() || !batch.commands[at + 1].joins;
    if (alone || command.kind != Command::Kind::Dispatch) [[likely]] {
      runCommand(batch, command);
      ++at;
    } else {
      at = runTogether(batch, at);
    }
  }
  return at;
}

/// The caller holds the mutex. Returns false if the stream must wait.
bool Stream::pass(const Command &command) {
  if (command.kind == Command::Kind::Wait)
    return passPoint(*command.timeline, command.value);
  command.timeline->settle(*this, command.value, failure);
  return true;
}

void Stream::takeBatch() {
  current = std::move(open);
  open = spare ? std::move(spare) : std::make_unique<Batch>();
  position = 0;
}

void Stream::finishBatch(Scheduler::Lock &lock) {
  std::unique_ptr<Batch> done = std::move(current);
  bool ok = failure.isOk();
  if (ok)
    for (hal::ProfileRecord &record : done->records)
      records.push_back(std::move(record));
  lock.unlock();
  done->reset();
  lock.lock();
  if (!spare)
    spare = std::move(done);
}

void Stream::runNext(Scheduler::Lock &lock) {
  if (!current)
    takeBatch();
  Batch &batch = *current;
  size_t begin = position;
  const Command &command = batch.commands[begin];
  if (command.kind == Command::Kind::Wait || command.kind == Command::Kind::Signal) {
    if (!pass(command))
      return;
    ++position;
  } else {
    lock.unlock();
    size_t end = runPart(batch, begin);
    lock.lock();
    position = end;
  }
  uint64_t passed = position - begin;
  if (position == batch.commands.size())
    finishBatch(lock); // first, because waiters rely on everything being released
  completed += passed;
}

void Stream::run(Scheduler::Lock &lock) {
  Ref<Stream> self(this); // a callback may release the queue
  running = true;
  runner = std::this_thread::get_id();
  // Stops before work that is recorded while the loop runs, because the loop might never end
  // otherwise. An abandoned stream runs everything, because no one else will.
  for (uint64_t last = recorded; (completed < last || abandoned) && hasWork();) {
    runNext(lock);
    if (isBlocked())
      break;
    scheduler.noteChange();
  }
  running = false;
  if (!hasWork())
    failure = Status::ok(); // later work starts without it; `firstFailure` keeps it
  else if (canRun() && isSubmitted())
    wakeThread();
  scheduler.noteChange();
  if (abandoned)
    endThread(lock);
}

void Stream::submit(Scheduler::Lock &lock) {
  submitted = recorded;
  if (!canRun())
    return;
  if (!isQuick() && wakeThread())
    return;
  run(lock);
}

//===- The thread -----------------------------------------------------------===//

bool Stream::wakeThread() {
  Helper &own = *helper;
  own.wanted = true;
  if (!own.thread)
    own.thread = Thread::start("pumice-queue", [this, &own] { work(own); });
  else
    own.wake.notify_one();
  return own.thread != nullptr;
}

void Stream::work(Helper &own) {
  // While the thread runs work, it may hold the last reference to the device. So both are released
  // after unlocking.
  Ref<hal::Device> keptDevice;
  Ref<Stream> self;
  Scheduler::Lock lock(scheduler.mutex);
  own.id = std::this_thread::get_id();
  while (!own.leave) {
    if (!own.wanted) {
      own.wake.wait(lock);
      continue;
    }
    own.wanted = false;
    if (!canRun())
      continue;
    keptDevice = Ref<hal::Device>(&device);
    self = Ref<Stream>(this);
    run(lock);
    if (own.leave) // abandoned: no other thread knows this one
      break;
    // These references are not the last ones: the queue still exists, or it waits for this thread.
    keptDevice = nullptr;
    self = nullptr;
  }
  lock.unlock();
}

void Stream::endThread(Scheduler::Lock &lock) {
  scheduler.remove(this);
  helper->leave = true;
  helper->wake.notify_all();
  std::unique_ptr<Thread> thread = std::move(helper->thread);
  if (!thread)
    return;
  if (helper->id == std::this_thread::get_id())
    return thread->detach();
  lock.unlock();
  thread->join();
  lock.lock();
}

/// Drops downloads that no signal or callback follows. Nobody can learn that they are done, and
/// their caller may have given up waiting and freed the memory.
void Stream::dropUnheardLandings() {
  for (Batch *batch : {open.get(), current.get()}) {
    if (!batch)
      return;
    auto tells = [](const Command &command) {
      return command.kind == Command::Kind::Signal || command.kind == Command::Kind::Callback;
    };
    auto last = std::find_if(batch->commands.rbegin(), batch->commands.rend(), tells);
    batch->landsUpTo = static_cast<size_t>(batch->commands.rend() - last);
    if (last != batch->commands.rend())
      return;
  }
}

void Stream::close() {
  Scheduler::Lock lock(scheduler.mutex);
  dropUnheardLandings();
  if (running && runner == std::this_thread::get_id()) {
    abandoned = givingUp = true;
    return;
  }
  submitted = recorded;
  hal::HostStream *self = this;
  while (!isIdle()) {
    if (isBlocked() && Scheduler::isStuck(this)) {
      givingUp = true;
      unblock();
    }
    (void)scheduler.advance(lock, {&self, 1}, hal::Deadline{});
  }
  endThread(lock);
}

void Stream::afterForkInChild() {
  bool hadThread = helper->thread != nullptr;
  (void)helper.release(); // the thread does not exist in this process
  helper = std::make_unique<Helper>();
  if (!running || runner == std::this_thread::get_id()) {
    if (hadThread && canRun() && isSubmitted())
      wakeThread();
    return;
  }
  // The thread that ran the stream does not exist in the child process, so its unfinished work is
  // lost.
  running = false;
  completed =
      recorded - open->commands.size() - (current ? current->commands.size() - position : 0);
  keepFailure(Status(StatusCode::Internal, "the process was forked while this work ran"));
}

} // namespace pumice::cpu_driver
