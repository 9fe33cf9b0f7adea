//===- MockMetal.h - how tests steer the mock of Metal ----------------------===//
// A library with the functions of the Objective-C runtime and of Metal that the driver uses. It
// has one device, whose kernels the interpreter runs. Errors of use that Metal's validation reports
// end the process. PUMICE_METAL_LIBRARY names the library, and PUMICE_MOCK_METAL_FAIL makes one
// message fail: "commandBuffer@2" is the second one.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

extern "C" {
/// Makes the message number `occurrence`, counted from 1, of this selector fail from now on: it
/// returns null or zero, and a command buffer has the error `code`. Null stops this.
void mockMetalFail(const char *selector, uint32_t occurrence, uint64_t code);
/// Forgets the counts of messages.
void mockMetalReset();
/// Returns how often the selector was sent since the last reset.
uint32_t mockMetalCount(const char *selector);
/// Returns the selectors that were sent, each with a line feed. Valid until the next call.
const char *mockMetalSelectors();
/// Returns the number of objects that exist, without classes and the device.
int64_t mockMetalLive();
}
