//===- ReadFuzzer.cpp - checks that any bytes are read or rejected ----------===//
// Reads the bytes unchanged, and then with corrected size and checksums, so that the later checks
// are reached. If a file can be read, describing and writing it must succeed, and reading it back
// must give the same contents.
//===-------------------------------------------------------------------------===//
#include "executable/Checksums.h"
#include "executable/Executable.h"

#include <cstdio>
#include <cstdlib>

using namespace pumice;
using namespace pumice::executable;

static void fail(const char *promise, const std::string &text) {
  std::fprintf(stderr, "broken promise: %s: %s\n", promise, text.c_str());
  std::abort();
}

static void tryRead(std::span<const uint8_t> bytes) {
  auto contents = read(bytes);
  if (!contents.isOk()) {
    if (contents.status().message().find(": ") == std::string::npos)
      fail("an error names its field", contents.status().message());
    return;
  }
  if (describe(*contents).empty())
    fail("what can be read can be described", "");
  auto written = write(*contents);
  if (!written.isOk())
    fail("what can be read can be written", written.status().message());
  auto again = read(*written);
  if (!again.isOk())
    fail("what was written can be read", again.status().message());
  if (*again != *contents)
    fail("what was written is what is read", describe(*again));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tryRead({data, size});
  std::vector<uint8_t> sealed(data, data + size);
  if (seal(sealed))
    tryRead(sealed);
  return 0;
}
