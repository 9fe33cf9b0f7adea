//===- Validate.cpp - checks entry points, and parts of all checks ----------===//
#include "executable/Validate.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace pumice::executable {
namespace {
/// Returns the length of the UTF-8 sequence at the start of `text`. Returns 0 if the sequence is
/// invalid or overlong.
size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t first = byte(0);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  uint8_t second = byte(1);
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool surrogate = first == 0xed && second >= 0xa0, tooHigh = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || tooHigh ? 0 : length;
}

Status validateShape(const Argument &a, const FieldPath &path) {
  FieldPath shape = path.field("shape"), strides = path.field("strides");
  FieldPath offset = path.field("offset");
  PUMICE_RETURN_IF_ERROR(validateCount(a.shape.size(), maxRank, shape));
  if (a.strides.size() != a.shape.size())
    return corrupt(strides, "expected ", a.shape.size(), " strides, one for each extent, got ",
                   a.strides.size());
  if (a.kind == ArgumentKind::Scalar && !a.shape.empty())
    return corrupt(shape, "a scalar must not have extents, got ", a.shape.size());
  if (a.offset < 0 && a.offset != dynamic)
    return corrupt(offset, a.offset, " is negative");
  if (a.kind == ArgumentKind::Scalar && a.offset != 0)
    return corrupt(offset, "a scalar must not have an offset, got ", a.offset);
  for (size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i] < 0 && a.shape[i] != dynamic)
      return corrupt(path.element("shape", i), a.shape[i], " is negative");
  if (!isCountable(a.shape, a.strides, a.offset, int64_t{a.elementBytes} * a.vectorWidth))
    return corrupt(shape, "the buffer's bytes exceed 64 bits");
  return Status::ok();
}

Status validateElement(const Argument &a, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateEnum(a.element, path.field("element")));
  uint32_t natural = naturalBytes(a.element);
  bool fits = natural ? a.elementBytes == natural : a.elementBytes <= maxElementBytes;
  // A boolean may be passed as a byte or as a word, and an index as one word or two.
  if (a.element == ElementType::i1)
    fits = a.elementBytes == 1 || a.elementBytes == 4;
  if (a.element == ElementType::index)
    fits = a.elementBytes == 4 || a.elementBytes == 8;
  if (!fits || a.elementBytes == 0)
    return corrupt(path.field("elementBytes"), a.elementBytes, " is not a valid size for ",
                   toString(a.element));
  if (a.vectorWidth == 0 || a.vectorWidth > maxVectorWidth)
    return corrupt(path.field("vectorWidth"), a.vectorWidth, " is not between 1 and ",
                   maxVectorWidth);
  if (!std::has_single_bit(a.alignment) || a.alignment > maxAlignment)
    return corrupt(path.field("alignment"), a.alignment, " is not a power of two up to ",
                   maxAlignment);
  return Status::ok();
}

Status validateArgument(const Argument &a, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateText(a.name, path.field("name"), maxNameBytes));
  PUMICE_RETURN_IF_ERROR(validateEnum(a.kind, path.field("kind")));
  PUMICE_RETURN_IF_ERROR(validateEnum(a.access, path.field("access")));
  PUMICE_RETURN_IF_ERROR(validateElement(a, path));
  return validateShape(a, path);
}

/// Validates a format. The runtime prints with it, so every conversion must be known and must have
/// an argument.
Status validateFormat(const PrintfFormat &p, const FieldPath &path) {
  FieldPath format = path.field("format");
  PUMICE_RETURN_IF_ERROR(validateText(p.format, format));
  std::string_view text = p.format;
  size_t conversions = 0;
  for (size_t i = text.find('%'); i != text.npos; i = text.find('%', i + 1)) {
    size_t letter = text.find_first_not_of("-+ #0123456789.hlzjtL", i + 1);
    if (letter == text.npos)
      return corrupt(format, "the conversion at character ", i, " is incomplete");
    bool literal = text[letter] == '%';
    if ((literal && letter != i + 1) ||
        (!literal && std::string_view("diouxXcfFeEgGaAp").find(text[letter]) == text.npos))
      return corrupt(format, "unknown conversion '", text.substr(i, letter + 1 - i),
                     "' at character ", i);
    conversions += !literal;
    i = letter;
  }
  if (conversions != p.arguments.size())
    return corrupt(format, "conversions (", conversions, ") and arguments (", p.arguments.size(),
                   ") differ in number");
  for (size_t i = 0; i < p.arguments.size(); ++i)
    PUMICE_RETURN_IF_ERROR(validateEnum(p.arguments[i], path.element("arguments", i)));
  return Status::ok();
}

Status validatePrintfs(const EntryPoint &entry, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateCount(entry.printfs.size(), maxPrintfs, path.field("printfs")));
  std::unordered_set<uint32_t> ids;
  for (size_t i = 0; i < entry.printfs.size(); ++i) {
    FieldPath printf = path.element("printfs", i);
    if (!ids.insert(entry.printfs[i].id).second)
      return corrupt(printf.field("id"), entry.printfs[i].id, " is taken by an earlier printf");
    PUMICE_RETURN_IF_ERROR(validateFormat(entry.printfs[i], printf));
  }
  return Status::ok();
}

Status validateWorkgroup(const EntryPoint &entry, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateSize(entry.workgroupSize, path.field("workgroupSize")));
  if (entry.workgroupMemoryBytes > maxWorkgroupMemoryBytes)
    return corrupt(path.field("workgroupMemoryBytes"), entry.workgroupMemoryBytes, " exceeds ",
                   maxWorkgroupMemoryBytes);
  return Status::ok();
}
} // namespace

bool isCountable(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                 int64_t elementBytes) {
  int64_t reach = offset == dynamic ? 0 : offset, elements = 1, bytes = 0;
  bool overflow = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = 0;
    if (shape[i] == dynamic)
      continue;
    overflow |= __builtin_mul_overflow(elements, shape[i], &elements);
    if (strides[i] == dynamic || shape[i] == 0)
      continue;
    int64_t stride = strides[i] < 0 ? -strides[i] : strides[i];
    overflow |= __builtin_mul_overflow(shape[i] - 1, stride, &step);
    overflow |= __builtin_add_overflow(reach, step, &reach);
  }
  overflow |= __builtin_add_overflow(reach, 1, &reach);
  overflow |= __builtin_mul_overflow(reach, elementBytes, &bytes);
  overflow |= __builtin_mul_overflow(elements, elementBytes, &bytes);
  return !overflow;
}

Status validateText(std::string_view text, const FieldPath &path, size_t maxBytes) {
  if (text.size() > maxBytes)
    return corrupt(path, text.size(), " characters exceed ", maxBytes);
  for (size_t i = 0; i < text.size();) {
    size_t length = utf8Length(text.substr(i));
    if (length == 0 || text[i] == '\0')
      return corrupt(path, "byte ", static_cast<unsigned>(static_cast<uint8_t>(text[i])),
                     " at position ", i, " is not valid UTF-8");
    i += length;
  }
  return Status::ok();
}

Status validateSize(const std::array<uint32_t, 3> &size, const FieldPath &path) {
  uint64_t invocations = 1;
  for (uint32_t extent : size) {
    if (extent > maxWorkgroupExtent)
      return corrupt(path, extent, " exceeds ", maxWorkgroupExtent);
    invocations *= std::max(extent, 1u);
  }
  if (invocations > maxWorkgroupInvocations)
    return corrupt(path, invocations, " invocations exceed ", maxWorkgroupInvocations);
  return Status::ok();
}

Status validateName(std::string_view name, const FieldPath &path) {
  if (name.empty())
    return corrupt(path, "empty");
  return validateText(name, path, maxNameBytes);
}

Status validateCount(size_t count, size_t most, const FieldPath &path) {
  if (count > most)
    return corrupt(path, count, " elements exceed ", most);
  return Status::ok();
}

Status validateEntryPoint(const EntryPoint &entry, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateName(entry.name, path.field("name")));
  PUMICE_RETURN_IF_ERROR(
      validateCount(entry.arguments.size(), maxArguments, path.field("arguments")));
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    PUMICE_RETURN_IF_ERROR(validateArgument(entry.arguments[i], path.element("arguments", i)));
  PUMICE_RETURN_IF_ERROR(validateWorkgroup(entry, path));
  FieldPath location = path.field("location");
  PUMICE_RETURN_IF_ERROR(validateText(entry.location.file, location.field("file")));
  return validatePrintfs(entry, path);
}

Status validate(const Executable &contents) {
  FieldPath root;
  PUMICE_RETURN_IF_ERROR(validateText(contents.producer, root.field("producer")));
  PUMICE_RETURN_IF_ERROR(
      validateCount(contents.entryPoints.size(), maxEntryPoints, root.field("entryPoints")));
  PUMICE_RETURN_IF_ERROR(
      validateCount(contents.variants.size(), maxVariants, root.field("variants")));

  EntryPointsByName entries;
  for (size_t i = 0; i < contents.entryPoints.size(); ++i) {
    const EntryPoint &entry = contents.entryPoints[i];
    FieldPath path = root.element("entryPoints", i);
    PUMICE_RETURN_IF_ERROR(validateEntryPoint(entry, path));
    if (!entries.emplace(entry.name, &entry).second)
      return corrupt(path.field("name"), "'", entry.name, "' is taken by an earlier entry point");
  }

  std::unordered_set<std::string_view> provided;
  for (size_t i = 0; i < contents.variants.size(); ++i) {
    PUMICE_RETURN_IF_ERROR(
        validateVariant(contents.variants[i], entries, root.element("variants", i)));
    for (const Interface &interface : contents.variants[i].interfaces)
      provided.insert(interface.entryPoint);
  }
  for (size_t i = 0; i < contents.entryPoints.size(); ++i) {
    FieldPath path = root.element("entryPoints", i);
    if (!provided.contains(contents.entryPoints[i].name))
      return corrupt(path.field("name"), "no variant has code for '", contents.entryPoints[i].name,
                     "'");
  }
  return Status::ok();
}

} // namespace pumice::executable
