//===- ReflectFuzzer.cpp - checks that any bytes are reflected or rejected --===//
// Checks that the results of reflection are bounded. Also checks that both ways of reading entry
// points give the same names.
//===-------------------------------------------------------------------------===//
#include "executable/SpirvReflection.h"
#include "executable/Validate.h"

#include <cstdlib>

using namespace pumice;
using namespace pumice::executable;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = reflectSpirv({data, size});
  if (!module.isOk()) {
    if (module.status().message().empty())
      std::abort();
    return 0;
  }
  auto names = spirvEntryPoints({data, size}, FieldPath());
  if (!names.isOk())
    std::abort();
  size_t compute = 0, listed = 0;
  for (const SpirvEntryPoint &entry : module->entryPoints) {
    compute += entry.model == 5 || entry.model == 6;
    listed += entry.descriptors.size();
    for (const SpirvDescriptor &descriptor : entry.descriptors)
      listed += descriptor.block.members.size();
  }
  if (compute != names->size() || listed > size_t{1} << 17)
    std::abort();
  return 0;
}
