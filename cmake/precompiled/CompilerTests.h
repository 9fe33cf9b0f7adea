//===- CompilerTests.h - headers that the compiler's tests include ----------===//
#pragma once

#include "cmake/precompiled/Compiler.h"
#include "cmake/precompiled/Tests.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
