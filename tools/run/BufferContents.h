//===- BufferContents.h - what a launch file says that a buffer holds -------===//
#pragma once

#include "tools/run/LaunchFile.h"

namespace pumice::run {

/// A JSON number, boolean or string as a Number; an error at `node` for anything else.
std::optional<Number> readNumber(Reader &reader, const Node &node);

/// A number or {"address": "buffer", "offset": bytes}.
Scalar readScalar(Reader &reader, const Node &node);

/// Reads the element type under `type`. Returns nothing if it is missing or not a type.
std::optional<Type> readType(Reader &reader, const Node &object);

/// One of data, fill, iota, random and file of `object`, as elements of buffer.type. Where
/// buffer.shape is empty, data and file set it. Addresses go to buffer.addresses.
void readContents(Reader &reader, const Node &object, const std::string &folder, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes);

/// Reads the elements of a list, and flattens lists in it. Sets buffer.shape if it is empty.
void readElements(Reader &reader, const Node &list, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes);

} // namespace pumice::run
