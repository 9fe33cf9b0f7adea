//===- WriteSeeds.cpp - valid executables as seeds for the fuzzer -----------===//
// WriteSeeds DIR: writes one realistic executable and many random ones to DIR.
//===-------------------------------------------------------------------------===//
#include "executable/test/Samples.h"

#include <fstream>
#include <iostream>

using namespace pumice::executable;

static bool store(const std::string &path, const Executable &contents) {
  auto bytes = write(contents);
  if (!bytes.isOk()) {
    std::cerr << path << ": " << bytes.status().toString() << "\n";
    return false;
  }
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char *>(bytes->data()), std::streamsize(bytes->size()));
  if (!stream)
    std::cerr << path << ": cannot be written\n";
  return bool(stream);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: WriteSeeds DIR\n";
    return 2;
  }
  std::string folder = argv[1];
  bool ok = store(folder + "/realistic.pumice", test::realistic());
  for (uint32_t seed = 0; seed < 40; ++seed)
    ok &= store(folder + "/random-" + std::to_string(seed) + ".pumice", test::random(seed));
  return ok ? 0 : 1;
}
