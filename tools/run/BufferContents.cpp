//===- BufferContents.cpp - makes buffer contents from a launch file --------===//
#include "tools/run/BufferContents.h"

#include "support/EnglishText.h"
#include "tools/run/Files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace pumice::run {

std::optional<Number> readNumber(Reader &reader, const Node &node) {
  if (node.is(json::Kind::Boolean))
    return Number(int64_t{node.value().flag});
  if (node.is(json::Kind::String))
    return Number(json::shown(node.value().text));
  if (!node.is(json::Kind::Number)) {
    reader.expected(node, "a number");
    return std::nullopt;
  }
  const std::string &spelled = node.value().text;
  double real = std::strtod(spelled.c_str(), nullptr);
  if (real == 0 && std::signbit(real))
    return Number(real); // integers have no negative zero
  std::string text = json::wholeText(node.value());
  const char *end = text.data() + text.size();
  if (int64_t whole = 0; std::from_chars(text.data(), end, whole).ptr == end)
    if (std::from_chars(text.data(), end, whole).ec == std::errc())
      return Number(whole);
  if (uint64_t whole = 0; std::from_chars(text.data(), end, whole).ptr == end)
    if (std::from_chars(text.data(), end, whole).ec == std::errc())
      return Number(whole);
  if (std::isinf(real)) {
    reader.fail(node, spelled + " does not fit f64; infinity is written \"inf\" or \"-inf\"");
    return std::nullopt;
  }
  return Number(real);
}

Scalar readScalar(Reader &reader, const Node &node) {
  Scalar scalar;
  scalar.place = reader.objectPlace(node);
  if (node.is(json::Kind::Object)) {
    if (reader.isObject(node, addressKeys, "an address")) {
      scalar.buffer = reader.text(node, "address");
      scalar.offset = reader.integer(node, "offset");
      if (scalar.buffer.empty())
        reader.expected(node.member("address"), "the name of a buffer");
    }
  } else if (std::optional<Number> number = readNumber(reader, node)) {
    scalar.number = *number;
  }
  return scalar;
}

std::optional<Type> readType(Reader &reader, const Node &object) {
  Node node = object.member("type");
  if (!node)
    return std::nullopt;
  if (!node.is(json::Kind::String)) {
    reader.expected(node, "an element type between quotes");
    return std::nullopt;
  }
  Result<Type> type = parseType(json::shown(node.value().text));
  if (!type.isOk()) {
    reader.fail(node, type.status().message());
    return std::nullopt;
  }
  return *type;
}

namespace {
int64_t elements(const BufferSpec &buffer) {
  int64_t count = 1;
  for (int64_t extent : buffer.shape)
    count *= extent;
  return buffer.shape.empty() ? 0 : count;
}

void append(Reader &reader, const Node &node, Type type, const Number &number,
            std::vector<uint8_t> &bytes) {
  if (Status status = appendNumber(bytes, type, number); !status.isOk())
    reader.fail(node, status.message());
}

/// Reads a list, and nested lists, whose elements are flattened.
void readList(Reader &reader, const Node &list, BufferSpec &buffer, std::vector<uint8_t> &bytes) {
  for (size_t i = 0; i < list.value().items.size() && reader.status.isOk(); ++i) {
    Node item = list.item(i);
    if (item.is(json::Kind::List)) {
      readList(reader, item, buffer, bytes);
    } else if (item.is(json::Kind::Object)) {
      Scalar scalar = readScalar(reader, item);
      if (byteSize(buffer.type) != 8 || isFloat(buffer.type))
        reader.fail(item, "an address needs a buffer of type i64 or u64, not " +
                              std::string(typeName(buffer.type)));
      buffer.addresses.push_back({scalar.place, bytes.size(), scalar.buffer, scalar.offset});
      bytes.resize(bytes.size() + 8);
    } else if (std::optional<Number> number = readNumber(reader, item)) {
      append(reader, item, buffer.type, *number, bytes);
    }
  }
}

void repeatElement(Reader &reader, const Node &node, const BufferSpec &buffer,
                   std::vector<uint8_t> &bytes) {
  std::optional<Number> number = readNumber(reader, node);
  if (!number)
    return;
  std::vector<uint8_t> one;
  append(reader, node, buffer.type, *number, one);
  bytes.reserve(size_t(elements(buffer)) * byteSize(buffer.type));
  for (int64_t i = 0; i < elements(buffer) && reader.status.isOk(); ++i)
    bytes.insert(bytes.end(), one.begin(), one.end());
}

double readReal(Reader &reader, const Node &node, double otherwise) {
  if (!node)
    return otherwise;
  double real = node.is(json::Kind::Number) ? std::strtod(node.value().text.c_str(), nullptr)
                                            : std::numeric_limits<double>::infinity();
  if (!std::isinf(real))
    return real;
  reader.expected(node, "a number that fits f64");
  return otherwise;
}

std::string realText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void count(Reader &reader, const Node &object, const BufferSpec &buffer,
           std::vector<uint8_t> &bytes) {
  Node iota = object.member("iota");
  double start = readReal(reader, iota, 0), step = readReal(reader, object.member("step"), 1);
  auto modulo = int64_t(reader.integer(object, "modulo", 0, INT64_MAX, 1));
  for (int64_t i = 0; i < elements(buffer) && reader.status.isOk(); ++i)
    append(reader, iota, buffer.type, start + step * double(modulo ? i % modulo : i), bytes);
}

/// Makes numbers that are the same everywhere: element i depends only on the seed and i
/// (SplitMix64).
void randomize(Reader &reader, const Node &node, const BufferSpec &buffer,
               std::vector<uint8_t> &bytes) {
  if (!reader.isObject(node, randomKeys, "an object with seed, min, max"))
    return;
  bool real = isFloat(buffer.type);
  uint64_t seed = reader.integer(node, "seed");
  double least = readReal(reader, node.member("min"), 0);
  double most = readReal(reader, node.member("max"), real || buffer.type == Type::i1 ? 1 : 100);
  if (!(least <= most))
    return reader.fail(node.member(node.member("max") ? "max" : "min"),
                       "min is more than max (" + realText(least) + ", " + realText(most) + ")");
  std::vector<uint8_t> bounds;
  for (auto [key, bound] : {std::pair("min", least), std::pair("max", most)})
    if (node.member(key))
      append(reader, node.member(key), buffer.type, real ? bound : std::trunc(bound), bounds);
  for (int64_t i = 0; i < elements(buffer) && reader.status.isOk(); ++i) {
    uint64_t bits = seed + (uint64_t(i) + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    double unit = double(bits >> 11) * 0x1p-53; // in [0, 1)
    double value = real ? least + (most - least) * unit
                        : std::min(std::floor(least + (most - least + 1) * unit), most);
    append(reader, node, buffer.type, value, bytes);
  }
}

void readDataFile(Reader &reader, const Node &node, const std::string &folder, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes) {
  if (!node.is(json::Kind::String) || node.value().text.empty())
    return reader.expected(node, "the name of a file");
  std::string name = inFolder(folder, node.value().text);
  Result<std::vector<uint8_t>> file = readFile(name);
  if (!file.isOk())
    return reader.fail(node, file.status().message());
  if (!isNumpyFile(name)) {
    bytes = std::move(*file);
    return;
  }
  Result<NumpyArray> array = parseNumpy(*file);
  if (!array.isOk())
    return reader.fail(node, "'" + name + "': " + array.status().message());
  if (byteSize(*array->type()) != byteSize(buffer.type) ||
      (isFloat(*array->type()) != isFloat(buffer.type)))
    return reader.fail(node, "'" + name + "' holds " + std::string(typeName(*array->type())) +
                                 ", the buffer is of type " + std::string(typeName(buffer.type)));
  if (buffer.shape.empty())
    buffer.shape = array->shape;
  bytes = std::move(array->bytes);
}

/// Checks the bytes of booleans. The contents of files are not checked otherwise.
void checkTruths(Reader &reader, const Node &node, const std::vector<uint8_t> &bytes) {
  auto other = std::ranges::find_if(bytes, [](uint8_t byte) { return byte > 1; });
  if (other != bytes.end())
    reader.fail(node, "element " + std::to_string(other - bytes.begin()) + " of '" +
                          node.value().text + "' is " + std::to_string(*other) +
                          "; an i1 is 0 or 1");
}

/// Checks that there are only whole elements, and no more than the buffer has. Sets the buffer's
/// size if nothing else does.
void checkLength(Reader &reader, const Node &node, BufferSpec &buffer,
                 const std::vector<uint8_t> &bytes) {
  if (bytes.size() % byteSize(buffer.type))
    return reader.fail(node, countedAre(bytes.size(), "byte") + " not a whole number of " +
                                 std::string(typeName(buffer.type)));
  if (buffer.shape.empty() && !bytes.empty())
    buffer.shape = {int64_t(bytes.size() / byteSize(buffer.type))};
  if (bytes.size() > uint64_t(elements(buffer)) * byteSize(buffer.type))
    reader.fail(node, std::to_string(bytes.size() / byteSize(buffer.type)) +
                          " elements are more than the buffer's " +
                          std::to_string(elements(buffer)));
}
} // namespace

void readContents(Reader &reader, const Node &object, const std::string &folder, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes) {
  std::string_view given;
  for (std::string_view key : {"data", "fill", "iota", "random", "file"})
    if (object.member(key)) {
      if (!given.empty())
        return reader.fail(object.member(key), "both " + std::string(given) + " and " +
                                                   std::string(key) +
                                                   " say what it holds; leave one out");
      given = key;
    }
  Node node = object.member(given);
  if (given == "data") {
    if (reader.isList(node, "a list of numbers"))
      readList(reader, node, buffer, bytes);
  } else if (given == "fill") {
    repeatElement(reader, node, buffer, bytes);
  } else if (given == "iota") {
    count(reader, object, buffer, bytes);
  } else if (given == "random") {
    randomize(reader, node, buffer, bytes);
  } else if (given == "file") {
    readDataFile(reader, node, folder, buffer, bytes);
    if (buffer.type == Type::i1)
      checkTruths(reader, node, bytes);
  }
  for (std::string_view key : {"step", "modulo"})
    if (object.member(key) && given != "iota")
      return reader.fail(object.member(key), std::string(key) + " needs iota, which is missing");
  checkLength(reader, node ? node : object, buffer, bytes);
}

void readElements(Reader &reader, const Node &list, BufferSpec &buffer,
                  std::vector<uint8_t> &bytes) {
  readList(reader, list, buffer, bytes);
  checkLength(reader, list, buffer, bytes);
}

} // namespace pumice::run
