//===- DoctorCommand.cpp - pumice doctor ------------------------------------===//
// Python can report more than this program: the versions of Triton and torch, and whether a kernel
// runs. If Python has the package `pumice`, this shows its report, or else one of devices and
// drivers.
//===-------------------------------------------------------------------------===//
#include "support/Version.h"
#include "tools/pumice/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/Targets.h"

#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "doctor",
    "",
    "Report devices, drivers and versions, what works together, and what to do about the rest",
    "If Python has the package 'pumice', this runs 'python3 -m pumice.doctor', which also looks "
    "at\n"
    "Triton and PyTorch, and runs a kernel on each device. PUMICE_PYTHON names another Python.\n"
    "Exits with 1 if something is wrong.",
    {},
    0,
    0};

constexpr const char *imports =
    "import importlib.util as u, sys\n"
    "sys.exit(0 if u.find_spec('pumice') and u.find_spec('numpy') else 9)";

/// Runs Python with these arguments. Returns its exit status; -1 or -2 if it cannot run.
int runPython(const std::string &python, llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::SmallVector<llvm::StringRef> words{python};
  words.append(arguments.begin(), arguments.end());
  return llvm::sys::ExecuteAndWait(python, words);
}

int reportDevices(const std::string &why) {
  llvm::outs() << "pumice       " << PUMICE_VERSION_TEXT << "\n";
  DeviceList list = listDevices();
  for (const hal::DeviceInfo &device : list.devices)
    llvm::outs() << llvm::left_justify(device.id, 12) << " " << device.name << ", driver "
                 << device.driverName << " " << device.driverVersion << "\n";
  for (const auto &[driver, problem] : list.problems)
    llvm::outs() << llvm::left_justify(driver, 12) << " not usable: " << problem.message() << "\n";
  llvm::outs() << "python       " << why << "\n";
  if (list.devices.empty())
    llvm::outs() << "wrong: no device can be used: see the reasons above\n";
  else
    llvm::outs() << "kernels run on these devices from the command line, C and C++; for Triton and "
                    "PyTorch, install the Python package: pip install pumice\n";
  return list.devices.empty();
}

} // namespace

int tools::doctorCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  const char *named = std::getenv("PUMICE_PYTHON");
  std::string name = named && *named ? named : "python3";
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName(name);
  if (!python)
    return reportDevices("there is no '" + name + "'");
  if (runPython(*python, {"-c", imports}) != 0)
    return reportDevices(*python + " has no package 'pumice' with NumPy");
  int status = runPython(*python, {"-m", "pumice.doctor"});
  return status == 0 ? 0 : 1;
}
