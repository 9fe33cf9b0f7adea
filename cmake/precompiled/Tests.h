//===- Tests.h - what tests of the runtime and of the tools parse ------------===//
#pragma once

#include "cmake/precompiled/Standard.h"

#include <gtest/gtest.h>
