//===- ElementData.h - typed numbers in buffers, from JSON ------------------===//
// Numbers themselves are the business of tools/run, which reads JSON in a way of its own.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tools/run/ElementData.h"

#include "llvm/Support/JSON.h"

namespace pumice::tests {

using run::byteSize;
using run::compareElements;
using run::parseType;
using run::printElement;
using run::printElements;
using run::Tolerance;
using run::Type;

/// Appends `value` as one element.
Status appendValue(std::vector<uint8_t> &bytes, Type type, const llvm::json::Value &value);

} // namespace pumice::tests
