//===- main.cpp - the pumice command ----------------------------------------===//
#include "support/CompileProgress.h"
#include "support/Version.h"
#include "tools/driver-stats/DriverStatistics.h"
#include "tools/pumice/Commands.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

using namespace pumice::tools;

namespace {

struct Entry {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv); // argv[0] is the subcommand
};

constexpr Entry commands[] = {
    {"cache", "list or clear what is kept on disk, or print its folder", cacheCommand},
    {"compile", "compile GPU kernels to an executable for one or more targets", compileCommand},
    {"export", "write kernels as C or C++: a header with one function per kernel, and its source",
     exportCommand},
    {"operations", "list the MLIR operations of kernels and how they are compiled",
     operationsCommand},
    {"inspect", "show what an executable holds, its code included", inspectCommand},
    {"run", "run a program, or kernels as a launch file says, on a device", runCommand},
    {"devices", "list the devices of this machine and what they can do", devicesCommand},
    {"doctor", "report devices, drivers and versions, and how to fix what does not work",
     doctorCommand},
    {"driver-stats", "create a pipeline from SPIR-V and print what its Vulkan driver reports",
     driverStatsMain},
    {"completion", "print a script that completes commands in bash, zsh or fish",
     completionCommand},
    {"msl", "translate a SPIR-V module to Metal's shading language", mslCommand},
    {"target-env", "print a target environment, or list the named ones", targetEnvCommand},
};

void printHelp(FILE *out) {
  std::fprintf(out, "usage: pumice COMMAND [arguments]\n\n"
                    "Pumice runs GPU kernels anywhere.\n\ncommands:\n");
  for (const Entry &entry : commands)
    std::fprintf(out, "  %-12s %s\n", entry.name, entry.summary);
  std::fprintf(
      out, "\n'pumice COMMAND --help' explains a command. 'pumice --version' names the build.\n");
}

/// Shows the first commands that a new user should run.
void printFirstSteps() {
  std::puts("Pumice runs GPU kernels anywhere. First steps:\n\n"
            "  pumice doctor                                what this machine has, and what works\n"
            "  pumice devices                               the devices that kernels can run on\n"
            "  pumice run program.mlir                      run a program with kernels\n"
            "  pumice compile kernel.mlir --target device   compile kernels for this machine\n"
            "  pumice --help                                all commands\n");
}

/// Returns whether all output was written. If the disk is full, results are lost, even a PASS.
bool wasWritten() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  std::error_code error = out.error();
  out.clear_error(); // reported below, not by LLVM
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    error = std::error_code(errno ? errno : EIO, std::generic_category());
  if (error)
    std::fprintf(stderr, "pumice: error: standard output: %s\n", error.message().c_str());
  return !error;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    printFirstSteps();
    return wasWritten() ? 0 : 2;
  }
  const char *name = argv[1];
  if (!std::strcmp(name, "--help") || !std::strcmp(name, "-h") || !std::strcmp(name, "help")) {
    printHelp(stdout);
    return 0;
  }
  if (!std::strcmp(name, "--version")) {
    std::printf("pumice %s\n", PUMICE_VERSION_TEXT);
    return 0;
  }
  for (const Entry &entry : commands)
    if (!std::strcmp(name, entry.name)) {
      pumice::progress::show(true);
      int status = entry.run(argc - 1, argv + 1);
      return wasWritten() || status ? status : 2;
    }
  std::fprintf(stderr, "pumice: error: unknown command '%s'; 'pumice --help' lists them\n", name);
  return 2;
}
