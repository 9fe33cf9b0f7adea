//===- DoctorCommand.cpp - pumice doctor ------------------------------------===//
// Python can report more than this program: the versions of Triton and torch, and whether a kernel
// runs. If Python has the package `pumice`, this shows its report, or else one of devices and
// drivers.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/Registry.h"
#include "support/Version.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/Targets.h"

#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

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

/// Python reports whether the package can run there by these exit statuses. Success is not 0, since
/// programs that are not Python may end with it. The current folder may hold files named like the
/// modules, so it is taken off the path first. The option -P would do the same, but Pythons before
/// 3.11 reject it.
constexpr int installed = 7, tooOld = 8, notInstalled = 9;
constexpr const char *probe = "import sys\n"
                              "if sys.version_info < (3, 11): sys.exit(8)\n"
                              "sys.path = [place for place in sys.path if place]\n"
                              "from importlib.util import find_spec\n"
                              "sys.exit(7 if find_spec('pumice') and find_spec('numpy') else 9)";

/// Runs the probe, without input and output. Returns its exit status; -1 or -2 if it cannot run,
/// with the reason in `why`.
int runProbe(const std::string &python, std::string &why) {
  std::optional<llvm::StringRef> streams[] = {"", "", std::nullopt};
  return llvm::sys::ExecuteAndWait(python, {python, "-c", probe}, std::nullopt, streams, 0, 0,
                                   &why);
}

/// Reports the device that PUMICE_DEVICE names. Returns whether it opens, or none is named.
bool reportRequest() {
  const char *asked = std::getenv("PUMICE_DEVICE");
  if (!asked || !*asked)
    return true;
  Result<Ref<hal::Device>> device = hal::Registry::global().open(asked);
  llvm::outs() << "asked for    ";
  if (device.isOk())
    llvm::outs() << (*device)->info().id << ", by PUMICE_DEVICE=" << asked << "\n";
  else
    llvm::outs() << "PUMICE_DEVICE=" << asked << ": " << device.status().message() << "\n";
  return device.isOk();
}

/// Reports devices and drivers, and why Python cannot report more. The default Python is optional,
/// but a bad one in PUMICE_PYTHON is a mistake. Returns the exit status.
int reportDevices(const std::string &why, bool badPython) {
  llvm::outs() << "pumice       " << PUMICE_VERSION_TEXT << "\n";
  DeviceList list = listDevices();
  for (const hal::DeviceInfo &device : list.devices)
    llvm::outs() << llvm::left_justify(device.id, 12) << " " << device.name << ", driver "
                 << device.driverName << " " << device.driverVersion << "\n";
  for (const auto &[driver, problem] : list.problems)
    llvm::outs() << llvm::left_justify(driver, 12) << " not usable: " << problem.message() << "\n";
  llvm::outs() << "python       " << why << "\n";
  bool opens = reportRequest();
  if (list.devices.empty())
    llvm::outs() << "wrong: no device can be used: see the reasons above\n";
  else if (!opens)
    llvm::outs() << "wrong: PUMICE_DEVICE names a device that cannot be opened: set it to one of "
                    "those above, or unset it\n";
  if (badPython)
    llvm::outs() << "wrong: PUMICE_PYTHON must name a Python, 3.11 or later: set it to the path of "
                    "one, or unset it for python3\n";
  bool wrong = list.devices.empty() || !opens || badPython;
  if (!wrong)
    llvm::outs() << "kernels run on these devices from the command line, C and C++; Triton and "
                    "PyTorch need the Python package: build its wheel by 'make wheel' in Pumice's "
                    "source tree, then 'pip install --find-links build/wheel pumice'\n";
  return wrong;
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
  const char *variable = std::getenv("PUMICE_PYTHON");
  bool named = variable && *variable;
  auto unusable = [&](const std::string &why) {
    return reportDevices(named ? why : why + ": name another by PUMICE_PYTHON", named);
  };
  std::string name = named ? variable : "python3";
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName(name);
  if (!python)
    return unusable("there is no '" + name + "'");
  std::string why;
  switch (int status = runProbe(*python, why)) {
  case installed:
    return llvm::sys::ExecuteAndWait(*python, {*python, "-P", "-m", "pumice.doctor"}) == 0 ? 0 : 1;
  case notInstalled:
    return reportDevices(*python + " has no package 'pumice' with NumPy" +
                             (named ? ""
                                    : "; activate an environment that has both, or name its "
                                      "Python by PUMICE_PYTHON"),
                         false);
  case tooOld:
    return unusable(*python + " is older than 3.11, which the package 'pumice' needs");
  default:
    return unusable(*python + (status < 0 ? " does not run: " + why
                                          : " is not a working Python: it ended a short script "
                                            "with exit status " +
                                                std::to_string(status)));
  }
}
