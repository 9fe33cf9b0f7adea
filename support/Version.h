//===- Version.h - the version as text --------------------------------------===//
#pragma once

#include "include/pumice/pumice.h"

#define PUMICE_TEXT_OF_VALUE(value) #value
#define PUMICE_TEXT_OF(macro) PUMICE_TEXT_OF_VALUE(macro)

/// The version as text, such as "0.2.0". The numbers come from the header of the C API.
#define PUMICE_VERSION_TEXT                                                                        \
  PUMICE_TEXT_OF(PUMICE_VERSION_MAJOR)                                                             \
  "." PUMICE_TEXT_OF(PUMICE_VERSION_MINOR) "." PUMICE_TEXT_OF(PUMICE_VERSION_PATCH)
