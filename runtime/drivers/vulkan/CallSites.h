//===- CallSites.h - the calls of Vulkan that the driver's sources hold -----===//
// For tests. Reads the calls from the current sources, so that no list can be out of date.
//===-------------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <vector>

namespace pumice::vulkan::test {

/// A use of PUMICE_VK or PUMICE_VK_STATUS.
struct SourceCall {
  std::string file; // its name alone
  int firstLine = 0, lastLine = 0;
  std::string function;

  std::string text() const { return file + ":" + std::to_string(firstLine) + " " + function; }
};

struct SourceCalls {
  std::vector<SourceCall> calls;
  /// "FILE:LINE FUNCTION" of calls that may fail and bypass the macro, and of pointers to such
  /// functions by which they could be called unseen.
  std::vector<std::string> bare;
  std::set<std::string> named; // functions, called or not
};

/// Returns the calls in one file's text. `mayFail` says whether a function returns a VkResult.
SourceCalls findCalls(const std::string &file, std::string text,
                      bool (*mayFail)(const std::string &function));

/// Returns the calls in every source of the driver's library and every header of the folder. A
/// function that Vulkan's headers do not declare counts as one that may fail.
SourceCalls driverCalls();

/// Whether Vulkan's headers have it as a function of devices, their queues or command buffers.
bool isOfDevice(const std::string &function);

} // namespace pumice::vulkan::test
