//===- DriverStatistics.h - statistics from a driver in its own process -----===//
// A shader compiler may crash on our code, and the environment variables that choose a null device
// are read once. So a child process answers each question. The child is this program, run as
// `pumice driver-stats`, and it answers in JSON.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "runtime/drivers/vulkan/PipelineStatistics.h"

#include <string>
#include <vector>

namespace pumice::tools {

/// Names the driver to use. If all members are empty, it is the driver of the first device that the
/// loader finds.
struct DriverChoice {
  std::string name;          // for people: "RADV gfx1201 (Mesa 25)"
  std::string icdFile;       // VK_DRIVER_FILES
  std::string family;        // RADV_FORCE_FAMILY
  std::string libraryFolder; // in front of LD_LIBRARY_PATH
  std::string device = {};   // the first device whose name contains this
};

/// Returns RADV's null device for an AMD architecture ("rdna3"), from the newest installed Mesa
/// that knows it. Looks in `mesa25Folder`, which setup/mesa25.sh fills, and then in the system. The
/// error names what is missing.
Result<DriverChoice> nullDriverFor(std::string_view architecture, const std::string &mesa25Folder);

/// Returns the request for creating the pipeline of one entry point of a variant.
vulkan::PipelineRequest requestFor(const executable::Variant &variant,
                                   const executable::Interface &interface);

/// Runs `program driver-stats` as a child, whose main function calls driverStatsMain. If `program`
/// is empty, it is this program. Errors: the driver's own; Internal if the child crashed, with its
/// last output.
Result<vulkan::PipelineReport> driverStatistics(const DriverChoice &driver,
                                                const vulkan::PipelineRequest &request,
                                                const std::string &program = {});

/// Runs the subcommand: driver-stats INPUT.spv [options]; see its --help.
int driverStatsMain(int argc, char **argv);

} // namespace pumice::tools
