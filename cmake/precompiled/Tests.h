//===- Tests.h - headers that tests of the runtime and of tools include -----===//
#pragma once

#include "cmake/precompiled/Standard.h"

#include <gtest/gtest.h>
