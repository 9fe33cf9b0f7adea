//===- RunCases.cpp - launch files on a system without the compiler ---------===//
// Runs launch files as `pumice run --launch` does, and lists the devices as `pumice devices --json`
// does. It needs neither LLVM nor SPIRV-Tools, so it is built for other systems, and run in their
// emulators (PUMICE_TEST_RUNNER of tests/correctness/run-kernels.py):
//
//   RunCases devices --json
//   RunCases run --launch FILE --device ID
//===-------------------------------------------------------------------------===//
#include "runtime/hal/Registry.h"
#include "support/JsonWriter.h"
#include "tools/run/RunLaunch.h"
#include "tools/run/SpirvTools.h"

#include <cstdio>
#include <cstring>

using namespace pumice;

// The part of SpirvTools.cpp that a launch may call. The cases hold native code.
namespace pumice::run {
namespace {
Status isMissing() { return Status(StatusCode::Unsupported, "RunCases has no SPIRV-Tools"); }
} // namespace

Result<std::string> disassemble(std::span<const uint8_t>) { return isMissing(); }
Result<std::string> validate(std::span<const uint8_t>, const executable::SpirvModule &) {
  return isMissing();
}
bool isDamage(std::string_view) { return true; }
Status validateVariants(const executable::Executable &) { return isMissing(); }
} // namespace pumice::run

namespace {

int listDevices() {
  JsonWriter json;
  json.beginObject().list("devices", hal::Registry::global().devices(), [&](const auto &device) {
    json.beginObject().member("id", device.id).member("name", device.name).end();
  });
  json.end();
  std::printf("%s\n", json.take().c_str());
  return 0;
}

int useIsWrong() {
  std::fprintf(stderr, "usage: RunCases devices --json | RunCases run --launch FILE --device ID\n");
  return 2;
}

} // namespace

int main(int count, char **words) {
  if (count == 3 && !std::strcmp(words[1], "devices") && !std::strcmp(words[2], "--json"))
    return listDevices();
  if (count != 6 || std::strcmp(words[1], "run") || std::strcmp(words[2], "--launch") ||
      std::strcmp(words[4], "--device"))
    return useIsWrong();
  run::RunOptions options;
  options.launchFile = words[3];
  options.device = words[5];
  options.validate = false;
  return run::runLaunch(options);
}
