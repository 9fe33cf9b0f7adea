//===- Driver.h - the template for a driver ---------------------------------===//
// START HERE to write a driver. This driver lists one device and can open it. Everything else fails
// with a message that says what to write instead. Every build compiles and tests it, so it always
// shows the current interface. Only its test registers it.
//
// How to proceed:
//   1. Copy this folder to runtime/drivers/NAME and rename the classes. Write a file for each
//      noun: driver, device, buffer, kernel, queue, timeline.
//   2. List the devices (Driver.cpp). `pumice devices` shows them when the driver is
//      registered in runtime/drivers/Drivers.cpp.
//   3. Fill in Device.cpp: buffers, then the queue's copies, then kernels and dispatches, then
//      timelines. After each step, the conformance suite (runtime/hal/conformance) shows what
//      works. Put what a device can never do onto its list, with a reason.
//
// These rules hold everywhere:
//   - The public methods of the HAL check arguments and lost devices. An ...Impl can rely on the
//     comment at its declaration in runtime/hal/*.h, and repeats no checks.
//   - Nothing throws, nothing aborts. An error is a Status that names the place, the value, and the
//     API's message (in words, not as a number). support/Status.h explains each code.
//   - When the API reports that the device is lost, call `markLost` once with its message. Every
//     later call then returns DeviceLost without reaching the driver.
//   - Objects own what they need. A buffer holds a Ref to its device. Queued work holds Refs to its
//     buffers and its kernel until it is done. A device holds no Ref to what it has made.
//   - Every class here may be called from several threads at once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Driver.h"

namespace pumice::null {

class NullDriver final : public hal::Driver {
public:
  /// Loads the API. Errors: NotFound if the computer does not have it. The registry then continues
  /// with the other drivers. If it finds no device, its error contains this reason.
  static Result<Ref<hal::Driver>> create();

private:
  NullDriver() : Driver("null") {}
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
};

} // namespace pumice::null
