//===- Device.h - devices behind torch's "vk:N", and their streams ----------===//
#pragma once

#include "include/pumice/pumice.h"

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pumice::vk {

inline constexpr c10::DeviceType deviceType = c10::DeviceType::PrivateUse1;

/// Throws torch's error if a call failed. `what` names the attempt: "copying to vk:0".
void check(pumice_status status, const char *what);

class Graph;

/// An ordered sequence of work on a device: a queue, and a timeline that says how far it got.
class StreamState {
public:
  explicit StreamState(pumice_device *device);

  pumice_queue *queue = nullptr;

  /// Records a point, and returns its value on the timeline.
  uint64_t record();
  /// Returns whether the work before the point is done.
  bool isDone(uint64_t point) const;
  void wait(uint64_t point) const;
  /// Returns whether all work of the stream is done.
  bool isIdle();
  /// Lets this stream's later work start when `other` has reached the point.
  void waitFor(const StreamState &other, uint64_t point);
  /// Waits for all work of the stream. Throws if an assertion of a kernel has failed.
  void finish();
  /// Lets the device begin with the work so far, unless it did so a moment ago.
  void letBegin();

  /// Makes later work part of a graph, instead of running it (Graph.h). New tensors get memory of
  /// the pool.
  void beginCapture(Graph *graph, uint64_t pool);
  /// Returns the captured work.
  pumice_graph *endCapture();
  void dropCapture();
  /// Throws if the stream is capturing. `what` names the attempt.
  void expectNoCapture(const char *what) const;
  std::atomic<Graph *> capture = nullptr; // the graph that captures the stream, if any
  std::atomic<uint64_t> pool = 0;         // its pool; 0 if there is none

private:
  std::mutex mutex; // points reach the queue in the order of their values
  pumice_timeline *timeline = nullptr;
  uint64_t last = 0;
};

/// Returns whether any stream is capturing. It is cheap.
bool anyCaptures();

/// While it lives, the calling thread's `letBegin` does nothing, because a submit follows.
class HoldWork {
public:
  HoldWork();
  ~HoldWork();
  HoldWork(const HoldWork &) = delete;
  HoldWork &operator=(const HoldWork &) = delete;
};

/// A device of Pumice's. It is opened by the first call that needs it.
class Device {
public:
  explicit Device(std::string id, c10::DeviceIndex index) : id(std::move(id)), index(index) {}

  const std::string id; // "vulkan:0"
  const c10::DeviceIndex index;

  pumice_device *handle();
  const pumice_device_info &info();
  /// Returns whether kernels compute in memory of the process, whose addresses tensors then have.
  bool computesInHostMemory();
  bool isOpen() const { return opened.load(std::memory_order_acquire); }

  /// Returns a stream. Number 0 is the default one.
  StreamState &stream(c10::StreamId number);
  /// Makes a stream and returns its number. If 32 exist, returns the number of one of them.
  c10::StreamId newStream();
  /// Waits for all streams.
  void synchronize();

private:
  void open();

  std::once_flag once;
  std::atomic<bool> opened = false;
  pumice_device *device = nullptr;
  pumice_device_info described = PUMICE_INIT(pumice_device_info);
  std::mutex streamsMutex;
  std::vector<std::unique_ptr<StreamState>> streams;
  uint64_t handedOut = 0;
};

/// Returns how many devices there are. Finds them at the first call, and opens none.
c10::DeviceIndex deviceCount() noexcept;
/// Returns whether this process has found its devices. Finding them starts Vulkan's drivers.
bool areDevicesFound();
/// Returns whether the devices were found by a process that this one was forked from. It cannot use
/// them.
bool areDevicesOfParent();
/// Returns why there are no devices, for messages.
const std::string &whyNone();
Device &deviceAt(c10::DeviceIndex index);

/// The calling thread's device.
c10::DeviceIndex currentDevice();
void setCurrentDevice(c10::DeviceIndex index);
/// Returns `index`, or the calling thread's device for -1.
c10::DeviceIndex orCurrent(c10::DeviceIndex index);

/// The calling thread's stream of a device.
c10::Stream currentStream(c10::DeviceIndex index);
/// Sets the calling thread's stream of the stream's device, and returns the one before.
c10::Stream exchangeStream(c10::Stream stream);
StreamState &stateOf(c10::Stream stream);
inline StreamState &currentState(c10::DeviceIndex index) { return stateOf(currentStream(index)); }

} // namespace pumice::vk
