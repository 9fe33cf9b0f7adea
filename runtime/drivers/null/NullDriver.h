//===- NullDriver.h - the template for a driver -----------------------------===//
// START HERE to write a driver. This one lists one device, opens it, and fails at everything else
// with a message that says what stands in its place. It is compiled and tested with every build, so
// it always shows the interface as it is now; it is never registered but by its test.
//
// How to go about it:
//   1. Copy this folder to runtime/drivers/NAME and rename the classes. A file per noun: driver,
//      device, buffer, kernel, queue, timeline.
//   2. List the devices (NullDriver.cpp). `pumice devices` shows them when the driver is
//      registered in runtime/drivers/Drivers.cpp.
//   3. Fill in NullDevice.cpp: buffers, then the queue's copies, then kernels and dispatches, then
//      timelines. The conformance suite (runtime/hal/conformance) tells after each step what
//      works; what a device can never do goes onto its list with a reason.
//
// What holds everywhere:
//   - The public methods of the HAL check arguments and lost devices; an ...Impl can rely on what
//     the comment beside it in runtime/hal/*.h says, and checks nothing again.
//   - Nothing throws, nothing aborts. An error is a Status that names the place, the value, and
//     what the API said (in words, not as a number). What each code means:
//     support/Status.h.
//   - When the API says that the device is gone, call `markLost` once with its words: every later
//     call then answers DeviceLost without reaching the driver.
//   - Objects own what they need: a buffer holds a Ref to its device, queued work holds Refs to
//     its buffers and its kernel until it is done. A device holds none to what it has made.
//   - Every class here may be called from several threads at once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Driver.h"

namespace pumice::null {

class NullDriver final : public hal::Driver {
public:
  /// Loads the API. Errors: NotFound where the computer does not have it; the registry goes on with
  /// the other drivers, and repeats the reason when nothing else was found.
  static Result<Ref<hal::Driver>> create();

private:
  NullDriver() : Driver("null") {}
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
};

} // namespace pumice::null
