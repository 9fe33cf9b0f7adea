//===- ElementData.cpp - typed numbers in buffers, from JSON ----------------===//
#include "tests/support/ElementData.h"

namespace pumice::tests {

Status appendValue(std::vector<uint8_t> &bytes, Type type, const llvm::json::Value &value) {
  if (auto text = value.getAsString())
    return run::appendNumber(bytes, type, text->str());
  if (auto flag = value.getAsBoolean())
    return run::appendNumber(bytes, type, int64_t{*flag});
  if (auto integer = value.getAsInteger())
    return run::appendNumber(bytes, type, *integer);
  if (auto large = value.getAsUINT64())
    return run::appendNumber(bytes, type, *large);
  if (auto real = value.getAsNumber())
    return run::appendNumber(bytes, type, *real);
  return Status(StatusCode::InvalidArgument, "expected a number");
}

} // namespace pumice::tests
