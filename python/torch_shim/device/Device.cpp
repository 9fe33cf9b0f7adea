//===- Device.cpp - finds and opens the devices behind "vk:N" ---------------===//
#include "python/torch_shim/device/Device.h"

#include "python/torch_shim/device/Failures.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif
#include <unordered_map>

namespace pumice::vk {
namespace {

/// A device with more streams hands out the earlier ones again, as CUDA does.
constexpr uint64_t mostStreams = 32;

struct Found {
  std::vector<std::unique_ptr<Device>> devices;
  std::string why; // why there are no devices
};

std::vector<std::string> idsInList(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    if (end > 0)
      ids.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

/// Returns the GPUs, or the CPU device if there are none.
std::vector<std::string> idsByDefault(std::string &why) {
  pumice_device_list *list = nullptr;
  if (pumice_list_devices(&list) != PUMICE_OK) {
    why = pumice_last_error();
    return {};
  }
  std::vector<std::string> gpus, cpus;
  for (size_t i = 0; i < pumice_device_list_count(list); ++i) {
    pumice_device_info info = PUMICE_INIT(pumice_device_info);
    if (pumice_device_list_info(list, i, &info) != PUMICE_OK)
      continue;
    if (info.kind != PUMICE_DEVICE_CPU)
      gpus.emplace_back(info.id);
    else if (std::string_view(info.driver) == "cpu")
      cpus.emplace_back(info.id);
  }
  if (gpus.empty() && cpus.empty())
    why = pumice_device_list_failures(list);
  pumice_device_list_release(list);
  return gpus.empty() ? cpus : gpus;
}

Found find() {
  Found found;
  const char *list = std::getenv("PUMICE_VK_DEVICES");
  const char *one = std::getenv("PUMICE_DEVICE");
  std::vector<std::string> ids;
  if (list && *list)
    ids = idsInList(list);
  else if (one && *one)
    ids = {one};
  else
    ids = idsByDefault(found.why);
  for (std::string &id : ids)
    found.devices.push_back(std::make_unique<Device>(
        std::move(id), static_cast<c10::DeviceIndex>(found.devices.size())));
  return found;
}

/// The process that found the devices. 0: none has.
std::atomic<int64_t> finder = 0;

int64_t thisProcess() {
#ifdef _WIN32
  return _getpid();
#else
  return getpid();
#endif
}

/// Never destroyed: tensors may be freed while the process exits.
const Found &found() {
  static const auto *one = [] {
    auto *made = new Found(find());
    finder = thisProcess();
    return made;
  }();
  return *one;
}

std::atomic<int> captures = 0; // the number of streams that capture
thread_local int holds = 0;    // of HoldWork

thread_local c10::DeviceIndex threadsDevice = 0;
thread_local std::unordered_map<c10::DeviceIndex, c10::StreamId> threadsStreams;

} // namespace

void check(pumice_status status, const char *what) {
  if (status == PUMICE_OK)
    return;
  std::string message = std::string(what) + ": " + pumice_last_error();
  TORCH_CHECK_WITH(OutOfMemoryError, status != PUMICE_RESOURCE_EXHAUSTED, message);
  TORCH_CHECK_NOT_IMPLEMENTED(status != PUMICE_UNSUPPORTED, message);
  TORCH_CHECK(false, message);
}

StreamState::StreamState(pumice_device *device) {
  check(pumice_queue_create(device, nullptr, &queue), "making a stream");
  check(pumice_timeline_create(device, 0, &timeline), "making a stream");
}

bool anyCaptures() { return captures.load(std::memory_order_relaxed) > 0; }

HoldWork::HoldWork() { ++holds; }
HoldWork::~HoldWork() { --holds; }

void StreamState::beginCapture(Graph *graph, uint64_t poolNumber) {
  std::lock_guard lock(mutex);
  expectNoCapture("beginning a capture");
  check(pumice_queue_begin_capture(queue), "capturing a graph");
  ++captures;
  pool = poolNumber;
  capture = graph;
}

pumice_graph *StreamState::endCapture() {
  std::lock_guard lock(mutex);
  capture = nullptr;
  pool = 0;
  --captures;
  pumice_graph *made = nullptr;
  check(pumice_queue_end_capture(queue, &made), "capturing a graph");
  return made;
}

void StreamState::dropCapture() {
  std::lock_guard lock(mutex);
  capture = nullptr;
  pool = 0;
  --captures;
  check(pumice_queue_end_capture(queue, nullptr), "capturing a graph");
}

void StreamState::expectNoCapture(const char *what) const {
  TORCH_CHECK(!capture.load(), what,
              ": the stream is capturing a graph, whose work runs only when it is replayed. Move "
              ".item(), copies to the CPU, operators that run on the CPU, events, and "
              "synchronization out of the capture");
}

uint64_t StreamState::record() {
  std::lock_guard lock(mutex);
  expectNoCapture("recording an event");
  check(pumice_queue_signal(queue, timeline, last + 1), "recording an event");
  check(pumice_queue_flush(queue), "recording an event");
  return ++last;
}

bool StreamState::isDone(uint64_t point) const {
  uint64_t reached = 0;
  check(pumice_timeline_value(timeline, &reached), "querying an event");
  return reached >= point;
}

bool StreamState::isIdle() {
  // A stream without work also needs a moment to reach a new point. If the device does not answer
  // in time, the stream counts as busy.
  constexpr uint64_t nanoseconds = 200'000;
  pumice_status status = pumice_timeline_wait(timeline, record(), nanoseconds);
  if (status == PUMICE_DEADLINE_EXCEEDED)
    return false;
  check(status, "querying a stream");
  return true;
}

void StreamState::wait(uint64_t point) const {
  check(pumice_timeline_wait(timeline, point, PUMICE_FOREVER), "waiting for an event");
}

void StreamState::waitFor(const StreamState &other, uint64_t point) {
  expectNoCapture("waiting for an event");
  check(pumice_queue_wait(queue, other.timeline, point), "waiting for an event");
}

void StreamState::letBegin() {
  if (holds > 0 || capture.load(std::memory_order_relaxed))
    return;
  check(pumice_queue_let_begin(queue), "submitting work of vk");
}

void StreamState::finish() {
  expectNoCapture("synchronizing");
  check(pumice_queue_finish(queue, PUMICE_FOREVER), "synchronizing");
  raiseFailures();
}

void Device::open() {
  std::call_once(once, [this] {
    check(pumice_device_open(id.c_str(), &device), "opening a device of vk");
    check(pumice_device_get_info(device, &described), "opening a device of vk");
    streams.push_back(std::make_unique<StreamState>(device));
    opened.store(true, std::memory_order_release);
  });
}

pumice_device *Device::handle() {
  if (!isOpen())
    open();
  return device;
}

const pumice_device_info &Device::info() {
  (void)handle();
  return described;
}

bool Device::computesInHostMemory() { return std::string_view(info().driver) == "cpu"; }

StreamState &Device::stream(c10::StreamId number) {
  (void)handle();
  std::lock_guard lock(streamsMutex);
  TORCH_CHECK(number >= 0 && static_cast<size_t>(number) < streams.size(), "vk:", int(index),
              " has ", streams.size(), " streams, got number ", number);
  return *streams[static_cast<size_t>(number)];
}

c10::StreamId Device::newStream() {
  (void)handle();
  std::lock_guard lock(streamsMutex);
  uint64_t number = 1 + handedOut++ % mostStreams;
  if (number == streams.size())
    streams.push_back(std::make_unique<StreamState>(device));
  return static_cast<c10::StreamId>(number);
}

void Device::synchronize() {
  if (!isOpen())
    return;
  std::unique_lock lock(streamsMutex);
  std::vector<StreamState *> all;
  for (const auto &one : streams)
    all.push_back(one.get());
  lock.unlock();
  for (StreamState *one : all)
    one->finish();
}

c10::DeviceIndex deviceCount() noexcept {
  try {
    return static_cast<c10::DeviceIndex>(found().devices.size());
  } catch (...) {
    return 0;
  }
}

bool areDevicesFound() { return finder != 0; }

bool areDevicesOfParent() { return finder != 0 && finder != thisProcess(); }

const std::string &whyNone() { return found().why; }

Device &deviceAt(c10::DeviceIndex index) {
  const auto &devices = found().devices;
  TORCH_CHECK(index >= 0 && static_cast<size_t>(index) < devices.size(), "vk:", int(index),
              " does not exist: ",
              devices.empty() ? "there are no devices"
                              : "expected an index below " + std::to_string(devices.size()),
              devices.empty() && !whyNone().empty() ? ": " + whyNone() : "");
  return *devices[static_cast<size_t>(index)];
}

c10::DeviceIndex currentDevice() { return threadsDevice; }

void setCurrentDevice(c10::DeviceIndex index) {
  (void)deviceAt(index);
  threadsDevice = index;
}

c10::DeviceIndex orCurrent(c10::DeviceIndex index) { return index < 0 ? threadsDevice : index; }

c10::Stream currentStream(c10::DeviceIndex index) {
  index = orCurrent(index);
  auto entry = threadsStreams.find(index);
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(deviceType, index),
                     entry == threadsStreams.end() ? 0 : entry->second);
}

c10::Stream exchangeStream(c10::Stream stream) {
  c10::Stream before = currentStream(stream.device_index());
  threadsStreams[stream.device_index()] = stream.id();
  return before;
}

StreamState &stateOf(c10::Stream stream) {
  return deviceAt(stream.device_index()).stream(stream.id());
}

} // namespace pumice::vk
