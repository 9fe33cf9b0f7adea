//===- Invalid.h - the Status of what a caller asks wrongly -----------------===//
#pragma once

#include "executable/FieldPath.h"
#include "support/Status.h"

namespace pumice::hal {

/// Strings and numbers, one after the other.
template <typename... Parts> [[gnu::cold]] Status invalid(const Parts &...parts) {
  return Status(StatusCode::InvalidArgument, executable::concat(parts...));
}

} // namespace pumice::hal
