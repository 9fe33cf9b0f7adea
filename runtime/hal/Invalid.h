//===- Invalid.h - makes errors about invalid arguments ---------------------===//
#pragma once

#include "executable/FieldPath.h"
#include "support/Status.h"

namespace pumice::hal {

/// Returns an InvalidArgument whose message is the concatenation of strings and numbers.
template <typename... Parts> [[gnu::cold]] Status invalid(const Parts &...parts) {
  return Status(StatusCode::InvalidArgument, executable::concat(parts...));
}

} // namespace pumice::hal
