//===- LaunchFuzzer.cpp - checks that any text is read or rejected ----------===//
// PUMICE_FUZZ_MODULE=FILE.spv LaunchFuzzer CORPUS_DIR resolves launches against FILE. Errors must
// name a place. Resolved launches must have every index in range.
//===-------------------------------------------------------------------------===//
#include "tools/run/Resolve.h"

#include <cstdio>
#include <cstdlib>

using namespace pumice;
using namespace pumice::run;

static void fail(const char *promise, const std::string &text) {
  std::fprintf(stderr, "broken promise: %s: %s\n", promise, text.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  // A file of a few bytes may ask for gigabytes. That is slow, but not an error.
  size_t digits = 0;
  for (char c : text)
    if (digits = c >= '0' && c <= '9' ? digits + 1 : 0; digits > 5)
      return 0;
  for (size_t e = text.find_first_of("eE"); e != text.npos; e = text.find_first_of("eE", e + 1))
    if (std::atoi(std::string(text.substr(e + 1, 6)).c_str()) > 1)
      return 0;
  const char *module = std::getenv("PUMICE_FUZZ_MODULE");
  auto launches = parseLaunchFile(text, "launch.json", module ? module : "none.spv");
  if (!launches.isOk()) {
    if (!launches.status().message().starts_with("launch.json:"))
      fail("an error names its place", launches.status().message());
    return 0;
  }
  static CodeFiles files({});
  for (const LaunchSpec &spec : *launches) {
    auto resolved = resolve(spec, files);
    if (!resolved.isOk())
      continue;
    for (const ResolvedDispatch &dispatch : resolved->dispatches)
      for (const ResolvedBinding &binding : dispatch.bindings)
        if (binding.buffer >= spec.buffers.size() ||
            binding.offset + binding.bytes > spec.buffers[binding.buffer].initial.size())
          fail("bindings lie in their buffers", std::string(text));
  }
  return 0;
}
