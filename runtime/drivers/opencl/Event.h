//===- Event.h - the end of work that the device has ------------------------===//
#pragma once

#include "runtime/drivers/opencl/Context.h"

#include <utility>

namespace pumice::opencl_driver {

/// An event that is released with its owner. It may be empty.
class Event {
public:
  Event() = default;
  Event(const Context &context, cl_event handle) : context(&context), handle(handle) {}
  Event(const Event &other);
  Event(Event &&other) noexcept
      : context(other.context), handle(std::exchange(other.handle, nullptr)) {}
  Event &operator=(Event other) noexcept {
    std::swap(context, other.context);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Event();

  explicit operator bool() const { return handle != nullptr; }
  const cl_event &get() const { return handle; }
  /// Returns CL_COMPLETE, a positive number if the work is not done, or its error.
  cl_int status() const;
  /// Waits until it is complete. Returns false if the driver cannot wait, or the work failed.
  bool wait() const;
  /// Returns a time in nanoseconds on the device's clock, or 0 if the driver does not know it.
  uint64_t time(cl_uint what) const;

private:
  const Context *context = nullptr;
  cl_event handle = nullptr;
};

} // namespace pumice::opencl_driver
