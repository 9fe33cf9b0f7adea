//===- Stream.cpp - the work of one queue, in order -------------------------===//
#include "runtime/drivers/metal/Stream.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pumice::metal_driver {

using Lock = hal::HostScheduler::Lock;
using Kind = Command::Kind;

Stream::~Stream() {
  if (helper->thread)
    helper->thread->detach(); // the thread itself releases the stream last
}

Result<Ref<Stream>> Stream::create(MetalDevice &device, bool profiling) {
  Ref<Stream> stream = Ref<Stream>::adopt(new Stream(device, profiling));
  Stream *self = stream.get();
  Lock lock(device.scheduler.mutex); // the thread waits until `thread` is set
  self->helper->thread = Thread::start("pumice-metal", [self] { self->work(); });
  if (!self->helper->thread)
    return Status(StatusCode::ResourceExhausted, "the system starts no thread for a queue");
  return stream;
}

void Stream::record(Command command) {
  ++recorded;
  if (command.kind == Kind::Signal)
    command.timeline->promise(*this, command.value);
  pending.push_back(std::move(command));
  device.scheduler.noteChange();
  helper->wake.notify_one();
}

//===- The thread -----------------------------------------------------------===//

void Stream::work() {
  Ref<hal::Device> keptDevice;
  Ref<Stream> self;
  Lock lock(device.scheduler.mutex);
  runner = std::this_thread::get_id();
  while (!helper->leave) {
    bool waits = isBlocked() && !(abandoned && isStuck());
    if (pending.empty() && abandoned)
      break;
    if (waits || pending.empty()) {
      // Nobody tells an abandoned stream that the others have no work left.
      if (abandoned)
        helper->wake.wait_for(lock, std::chrono::milliseconds(20));
      else
        helper->wake.wait(lock);
      continue;
    }
    // The work may hold the last references to both.
    keptDevice = Ref<hal::Device>(&device);
    self = Ref<Stream>(this);
    while (step(lock)) {
    }
    if (abandoned)
      continue;
    self = nullptr; // the queue still has one, or waits for this thread
    keptDevice = nullptr;
  }
  lock.unlock();
}

/// Runs the commands that may run together. Returns false if there are none.
bool Stream::step(Lock &lock) {
  if (pending.empty())
    return false;
  if (isBlocked()) {
    if (!abandoned || !isStuck())
      return false;
    givingUp = true;
    unblock();
  }
  if (failure.isOk() && !device.health().isOk())
    keepFailure(device.health());
  std::vector<Command> part;
  if (pending.front().kind == Kind::Wait &&
      !passPoint(*pending.front().timeline, pending.front().value))
    return false;
  do {
    part.push_back(std::move(pending.front()));
    pending.pop_front();
  } while (part.back().kind == Kind::Dispatch && !profiling && !pending.empty() &&
           pending.front().kind == Kind::Dispatch);
  running = true;
  lock.unlock();
  runPart(part);
  lock.lock();
  finishPart(lock, part);
  return true;
}

void Stream::finishPart(Lock &lock, std::vector<Command> &part) {
  for (Command &command : part) {
    if (command.kind == Kind::Signal)
      command.timeline->settle(*this, command.value, failure);
    if (command.record && failure.isOk())
      records.push_back(std::move(*command.record));
  }
  size_t count = part.size();
  lock.unlock();
  part.clear(); // this may destroy the objects that the work has used
  lock.lock();
  completed += count;
  running = false;
  if (completed == recorded)
    failure = Status::ok(); // later work starts without it; `takeFailure` still has it
  device.scheduler.noteChange();
}

static uint64_t clockNow() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

/// Runs without the mutex. Only this thread changes `failure` while `running`.
void Stream::runPart(std::vector<Command> &part) {
  if (part.front().kind != Kind::Dispatch)
    return runOnHost(part.front());
  if (!failure.isOk())
    return;
  Status status = runDispatches(part);
  if (!status.isOk()) {
    status = device.noted(std::move(status));
    Lock lock(device.scheduler.mutex);
    keepFailure(std::move(status));
  }
}

void Stream::runOnHost(Command &command) {
  if (command.kind == Kind::Callback) {
    if (command.then)
      command.then(failure);
    return;
  }
  bool moves = command.kind == Kind::Copy || command.kind == Kind::Fill;
  if (!moves || !failure.isOk() || !command.to)
    return;
  uint64_t begin = clockNow();
  if (command.kind == Kind::Copy) {
    std::memcpy(command.to, command.from ? command.from : command.data.data(), command.bytes);
  } else {
    for (uint64_t i = 0; i < command.bytes; ++i)
      command.to[i] = static_cast<std::byte>(command.pattern >> i % 4 * 8);
  }
  if (command.record) {
    command.record->deviceBegin = begin;
    command.record->deviceEnd = std::max(clockNow(), begin + 1);
  }
}

void Stream::encode(Object encoder, const Command &command) {
  const Functions &api = device.api;
  const MetalKernel &kernel = *command.kernel;
  api.call<void>(encoder, "setComputePipelineState:", kernel.pipeline());
  for (const Command::Binding &binding : command.bindings)
    api.call<void>(encoder, "setBuffer:offset:atIndex:", binding.buffer, binding.offset,
                   Integer{binding.index});
  if (kernel.parameterIndex() && !command.data.empty())
    api.call<void>(encoder,
                   "setBytes:length:atIndex:", static_cast<const void *>(command.data.data()),
                   Integer{command.data.size()}, Integer{*kernel.parameterIndex()});
  if (kernel.sizesIndex()) {
    std::array<uint32_t, 32> sizes{}; // more than there are indices
    for (const Command::Binding &binding : command.bindings)
      sizes[binding.index % sizes.size()] = binding.bytes;
    api.call<void>(encoder, "setBytes:length:atIndex:", static_cast<const void *>(sizes.data()),
                   Integer{sizeof sizes}, Integer{*kernel.sizesIndex()});
  }
  for (const Command::Use &use : command.uses)
    api.call<void>(encoder, "useResource:usage:", use.buffer, use.usage);
  if (command.usesAll)
    for (Object buffer : device.allBuffers())
      api.call<void>(encoder, "useResource:usage:", buffer, usageRead | usageWrite);
  api.call<void>(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", command.groups,
                 kernel.threads());
}

/// Returns the failure of a command buffer.
static Status failureOf(const Functions &api, Object commands, const std::string &label) {
  Object error = api.call(commands, "error");
  auto code = api.call<Integer>(error, "code");
  StatusCode kind = StatusCode::Internal;
  if (code == errorOutOfMemory)
    kind = StatusCode::ResourceExhausted;
  else if (code == errorPageFault)
    kind = StatusCode::InvalidAccess;
  else if (code == errorDeviceRemoved || code == errorAccessRevoked || code == errorTimeout)
    kind = StatusCode::DeviceLost;
  return Status(kind, "kernel '" + label + "' failed on the device: " +
                          errorText(api, error, "Metal does not say why"));
}

Status Stream::runDispatches(std::span<Command> dispatches) {
  const Functions &api = device.api;
  Pool pool(api);
  const std::string &label = dispatches.front().kernel->label();
  Object commands = api.call(device.queue.get(), "commandBuffer");
  if (!commands)
    return Status(StatusCode::ResourceExhausted,
                  device.info().id + " makes no command buffer for kernel '" + label + "'");
  // Dispatches of one encoder of this kind run as if one after the other.
  Object encoder = api.call(commands, "computeCommandEncoder");
  if (!encoder)
    return Status(StatusCode::ResourceExhausted,
                  device.info().id + " makes no encoder for kernel '" + label + "'");
  for (const Command &command : dispatches)
    encode(encoder, command);
  api.call<void>(encoder, "endEncoding");
  api.call<void>(commands, "commit");
  api.call<void>(commands, "waitUntilCompleted");
  if (api.call<Integer>(commands, "status") == statusError)
    return failureOf(api, commands, label);
  if (std::optional<hal::ProfileRecord> &record = dispatches.front().record) {
    constexpr double nanoseconds = 1e9;
    record->deviceBegin =
        static_cast<uint64_t>(api.call<double>(commands, "GPUStartTime") * nanoseconds);
    record->deviceEnd =
        static_cast<uint64_t>(api.call<double>(commands, "GPUEndTime") * nanoseconds);
  }
  return Status::ok();
}

//===- The end --------------------------------------------------------------===//

/// Returns whether no stream has work that can unblock this one.
bool Stream::isStuck() {
  hal::HostStream *begin = this;
  return !hal::findAlongPoints({&begin, 1}, [](hal::HostStream &at) {
    auto &stream = static_cast<Stream &>(at);
    return stream.running || (!stream.isBlocked() && !stream.pending.empty());
  });
}

void Stream::close() {
  Lock lock(device.scheduler.mutex);
  if (device.isAbandoned()) { // the child of a fork, which has no such thread
    (void)helper.release();
    helper = std::make_unique<Helper>();
    return;
  }
  auto tells = [](const Command &command) {
    return command.kind == Kind::Signal || command.kind == Kind::Callback;
  };
  auto last = std::find_if(pending.rbegin(), pending.rend(), tells);
  for (auto at = pending.rbegin(); at != last; ++at)
    if (at->lands)
      at->to = nullptr;
  if (running && runner == std::this_thread::get_id()) {
    abandoned = true; // this thread is in a callback, and does the rest after it
    return;
  }
  hal::HostStream *self = this;
  while (!isIdle() || running) {
    if (isBlocked() && isStuck()) {
      givingUp = true;
      unblock();
    }
    (void)device.scheduler.advance(lock, {&self, 1}, hal::Deadline{});
  }
  helper->leave = true;
  helper->wake.notify_one();
  std::unique_ptr<Thread> thread = std::move(helper->thread);
  lock.unlock();
  thread->join();
}

} // namespace pumice::metal_driver
