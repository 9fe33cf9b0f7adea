//===- Batch.cpp - recorded work --------------------------------------------===//
#include "runtime/drivers/cpu/Batch.h"

#include "runtime/drivers/cpu/Memory.h"

namespace pumice::cpu_driver {

void Batch::reset() {
  commands.clear();
  records.clear();
  callbacks.clear();
  queries.clear();
  data.clear();
  nanoseconds = 0;
  for (void *memory : staging)
    freeMemory(memory);
  staging.clear();
  for (const RefCounted *object : kept)
    object->release();
  kept.clear();
}

} // namespace pumice::cpu_driver
