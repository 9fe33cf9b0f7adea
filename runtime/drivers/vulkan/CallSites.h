//===- CallSites.h - the Vulkan calls in the driver's sources ---------------===//
// Finds the calls of Vulkan for tests. It reads the current sources, so that no list can be out of
// date.
//===-------------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <vector>

namespace pumice::vulkan::test {

/// One use of PUMICE_VK or PUMICE_VK_STATUS.
struct SourceCall {
  std::string file; // the file's name without a folder
  int firstLine = 0, lastLine = 0;
  std::string function;

  std::string text() const { return file + ":" + std::to_string(firstLine) + " " + function; }
};

struct SourceCalls {
  std::vector<SourceCall> calls;
  /// Lists "FILE:LINE FUNCTION" for calls that may fail but bypass the macro. This includes
  /// pointers to such functions, because calls through them would be invisible.
  std::vector<std::string> bare;
  std::set<std::string> named; // all functions that the text names, called or not
};

/// Returns the calls in the text of a file. `mayFail` returns whether a function returns a
/// VkResult.
SourceCalls findCalls(const std::string &file, std::string text,
                      bool (*mayFail)(const std::string &function));

/// Returns the calls in all sources of the driver's library and all headers of its folder. A
/// function that Vulkan's headers do not declare counts as one that may fail.
SourceCalls driverCalls();

/// Returns whether, in Vulkan's headers, the first parameter of the function is a device, a queue
/// or a command buffer.
bool isOfDevice(const std::string &function);

} // namespace pumice::vulkan::test
