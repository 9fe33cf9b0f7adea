//===- BufferContents.h - reads the contents of buffers from a launch file --===//
#pragma once

#include "tools/run/LaunchFile.h"

namespace pumice::run {

/// Reads a JSON number, boolean or string. Anything else is an error at `node`.
std::optional<Number> readNumber(Reader &reader, const Node &node);

/// Reads a number or {"address": "buffer", "offset": bytes}.
Scalar readScalar(Reader &reader, const Node &node);

/// Reads the element type under `type`. Returns nothing if it is missing or not a type.
std::optional<Type> readType(Reader &reader, const Node &object);

/// Reads one of data, fill, iota, random and file of `object`, as elements of buffer.type. data and
/// file set buffer.shape if it is empty. Addresses are added to buffer.addresses.
void readContents(Reader &reader, const Node &object, const std::string &folder, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes);

/// Reads the elements of a list, and flattens lists in it. Sets buffer.shape if it is empty.
void readElements(Reader &reader, const Node &list, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes);

} // namespace pumice::run
