//===- CallSites.h - the Vulkan calls in the driver's sources -------------===//
// Tests use this. It reads the calls from the current sources, so that no list can be out of date.
//===-------------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <vector>

namespace pumice::vulkan::test {

/// A use of PUMICE_VK or PUMICE_VK_STATUS.
struct SourceCall {
  std::string file; // the file's name without a folder
  int firstLine = 0, lastLine = 0;
  std::string function;

  std::string text() const { return file + ":" + std::to_string(firstLine) + " " + function; }
};

struct SourceCalls {
  std::vector<SourceCall> calls;
  /// Lists "FILE:LINE FUNCTION" for calls that may fail and bypass the macro. It also lists
  /// pointers to such functions, which could be called unseen.
  std::vector<std::string> bare;
  std::set<std::string> named; // functions that the text names, whether it calls them or not
};

/// Returns the calls in one file's text. `mayFail` says whether a function returns a VkResult.
SourceCalls findCalls(const std::string &file, std::string text,
                      bool (*mayFail)(const std::string &function));

/// Returns the calls in every source of the driver's library and every header of the folder. A
/// function that Vulkan's headers do not declare counts as one that may fail.
SourceCalls driverCalls();

/// Returns whether the function's first parameter is a device, a queue or a command buffer in
/// Vulkan's headers.
bool isOfDevice(const std::string &function);

} // namespace pumice::vulkan::test
