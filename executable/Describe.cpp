//===- Describe.cpp - an executable's contents, for people ------------------===//
#include "executable/Executable.h"
#include "executable/FieldPath.h"
#include "executable/Names.h"

#include <algorithm>

namespace pumice::executable {
namespace {
/// Lines of text with columns that are aligned.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> titles) { row(std::move(titles)); }
  void row(std::vector<std::string> cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
    rows.push_back(std::move(cells));
  }
  std::string text(std::string_view indent) const {
    std::string out;
    for (const auto &cells : rows) {
      std::string line(indent);
      for (size_t i = 0; i < cells.size(); ++i)
        line += cells[i] + std::string(widths[i] - cells[i].size() + 2, ' ');
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
  }

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
};

/// Escapes control characters, which a text in a file may contain, so that they do not reach the
/// terminal.
std::string escaped(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f)
      out += concat("\\x", std::string{hex[(c >> 4) & 15], hex[c & 15]});
    else
      out += c;
  }
  return out;
}

std::string number(int64_t value) { return value == dynamic ? "?" : std::to_string(value); }

std::string joined(const std::vector<std::string> &parts, std::string_view separator = ", ") {
  std::string out;
  for (const std::string &part : parts)
    out += (out.empty() ? "" : std::string(separator)) + escaped(part);
  return out;
}

std::string counted(size_t count, std::string_view noun) {
  return concat(count, " ", noun, count == 1 ? "" : "s");
}

/// Returns a line such as "  memory       512 bytes". The labels of one level form a column.
std::string labelled(std::string_view label, std::string_view text) {
  std::string padding(label.size() < 14 ? 14 - label.size() : 1, ' ');
  return concat("  ", label, padding, text, "\n");
}

/// Returns a text such as "buffer ? x 1024 x f32". Strides are included only if elements are not
/// packed row by row.
std::string typeOf(const Argument &a) {
  std::string element(toString(a.element));
  if (a.element == ElementType::index || a.element == ElementType::opaque)
    element += concat("(", a.elementBytes, " bytes)");
  if (a.vectorWidth > 1)
    element = concat("vec", a.vectorWidth, "<", element, ">");
  if (a.kind == ArgumentKind::Scalar)
    return element;
  std::string out = "buffer ";
  for (int64_t extent : a.shape)
    out += number(extent) + " x ";
  out += element;

  bool packed = true;
  int64_t expected = 1;
  for (size_t i = a.shape.size(); i-- > 0;) {
    packed &= a.strides[i] == expected;
    bool known = expected != dynamic && a.shape[i] != dynamic;
    // In a hostile file, the product of the extents may be a number that no stride can equal.
    if (!known || __builtin_mul_overflow(expected, a.shape[i], &expected))
      expected = dynamic;
  }
  if (packed)
    return out + (a.offset ? concat(" from ", number(a.offset)) : "");
  std::vector<std::string> strides;
  for (int64_t stride : a.strides)
    strides.push_back(number(stride));
  return concat(out, ", strides ", joined(strides, " "),
                a.offset ? concat(" from ", number(a.offset)) : "");
}

std::string workgroupOf(const std::array<uint32_t, 3> &size) {
  if (size == std::array<uint32_t, 3>{0, 0, 0})
    return "chosen at launch";
  std::vector<std::string> extents;
  for (uint32_t extent : size)
    extents.push_back(extent ? std::to_string(extent) : "?");
  return joined(extents, " x ");
}

std::string describeArguments(const EntryPoint &entry) {
  TextTable table({"#", "argument", "type", "access", "aligned to"});
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &a = entry.arguments[i];
    bool buffer = a.kind == ArgumentKind::Buffer;
    table.row({std::to_string(i), escaped(a.name), typeOf(a),
               std::string(buffer ? toString(a.access) : "by value"),
               buffer ? std::to_string(a.alignment) : ""});
  }
  return table.text("    ");
}

std::string describePrintfs(const EntryPoint &entry) {
  TextTable table({"printf", "format", "arguments"});
  for (const PrintfFormat &printf : entry.printfs) {
    std::vector<std::string> types;
    for (ElementType type : printf.arguments)
      types.emplace_back(toString(type));
    table.row(
        {std::to_string(printf.id), concat("\"", escaped(printf.format), "\""), joined(types)});
  }
  return table.text("    ");
}

std::string describeEntryPoint(const EntryPoint &entry) {
  std::string out = concat("entry point ", escaped(entry.name), "\n");
  if (!entry.location.file.empty())
    out += labelled("source", concat(escaped(entry.location.file), ":", entry.location.line, ":",
                                     entry.location.column));
  out += labelled("workgroup", workgroupOf(entry.workgroupSize));
  if (entry.workgroupMemoryBytes || entry.dynamicWorkgroupMemory)
    out +=
        labelled("memory", concat(counted(entry.workgroupMemoryBytes, "byte"),
                                  entry.dynamicWorkgroupMemory ? " and what the launch adds" : ""));
  if (entry.touchesUnnamedMemory)
    out += labelled("reaches", "memory that no argument names");
  if (entry.assumesNoOverlap)
    out += labelled("assumes", "that no argument shares memory that the kernel writes");
  if (entry.arguments.empty())
    out += labelled("arguments", "none");
  else
    out += describeArguments(entry);
  if (!entry.printfs.empty())
    out += describePrintfs(entry);
  return out;
}

std::string describeRequirements(const Requirements &r, VariantKind kind) {
  std::string out;
  if (kind == VariantKind::OpenclSpirv && r.versionMajor > 1)
    out += labelled("requires", concat("OpenCL ", r.versionMajor, ".", r.versionMinor));
  if (kind == VariantKind::VulkanSpirv)
    out += labelled("requires", concat("Vulkan ", r.versionMajor, ".", r.versionMinor));
  if (!r.architecture.empty())
    out += labelled("architecture", escaped(r.architecture));
  if (!r.extensions.empty())
    out += labelled("extensions", joined(r.extensions));
  if (!r.features.empty())
    out += labelled("features", joined(r.features));
  if (r.subgroupOperations)
    out += labelled("subgroups", subgroupOperationNames(r.subgroupOperations));
  for (const std::string &matrix : r.cooperativeMatrices)
    out += labelled("matrices", escaped(matrix));
  if (!r.measuredMaps.empty())
    out += labelled("measured maps", escaped(r.measuredMaps));
  return out;
}

/// Describes the contents of a field in words, with the name of the argument.
std::string meaningOf(const ParameterField &field, const EntryPoint &entry) {
  auto named = [&](std::string_view what) {
    bool known = field.argument < entry.arguments.size();
    std::string name = known ? escaped(entry.arguments[field.argument].name) : "";
    if (name.empty())
      name = concat("argument ", field.argument);
    return concat(what, name);
  };
  switch (field.source) {
  case FieldSource::BufferAddress:
    return named("address of ");
  case FieldSource::BufferOffset:
    return named("offset of ");
  case FieldSource::BufferExtent:
    return named(concat("extent ", field.dimension, " of "));
  case FieldSource::BufferStride:
    return named(concat("stride ", field.dimension, " of "));
  case FieldSource::Scalar:
    return named("");
  case FieldSource::PrintfAddress:
    return "address of the printf buffer";
  case FieldSource::DynamicMemoryBytes:
    return "bytes of dynamic workgroup memory";
  case FieldSource::BufferLength:
    return named("bytes in ");
  case FieldSource::PrintfWords:
    return "words in the printf buffer";
  }
  return "unknown";
}

std::string describeParameters(const Interface &interface, const EntryPoint &entry) {
  TextTable table({"offset", "bytes", "holds"});
  for (const ParameterField &field : interface.fields)
    table.row({std::to_string(field.offset), std::to_string(field.size), meaningOf(field, entry)});
  return table.text("      ");
}

std::string describeBindings(const Interface &interface, const EntryPoint &entry) {
  TextTable table({"set", "binding", "holds"});
  for (const DescriptorBinding &b : interface.bindings) {
    std::string held = b.source == BindingSource::Parameters ? "the parameter block"
                       : b.source == BindingSource::Printf   ? "the printf buffer"
                                                             : "";
    if (b.source == BindingSource::Argument)
      held = meaningOf({FieldSource::Scalar, b.argument, 0, 0, 0}, entry);
    if (b.uniform)
      held += ", as a uniform buffer";
    table.row({std::to_string(b.set), std::to_string(b.binding), held});
  }
  return table.text("      ");
}

/// Returns a text such as "64 lanes, all full" or "16 lanes or more".
std::string subgroupsOf(const Interface &interface) {
  std::string size = "any size";
  if (interface.requiredSubgroupSize)
    size = concat(interface.requiredSubgroupSize, " lanes");
  else if (interface.leastSubgroupSize)
    size = concat(interface.leastSubgroupSize, " lanes or more");
  return size + (interface.fullSubgroups ? ", all full" : "");
}

std::string placeOf(ParameterPlace place, VariantKind kind) {
  if (kind == VariantKind::OpenclSpirv)
    return "the kernel's own parameters";
  return place == ParameterPlace::PushConstants     ? "push constants"
         : place == ParameterPlace::AddressedBuffer ? "a buffer whose address is the push constant"
                                                    : "a buffer bound by descriptor";
}

std::string describeInterface(const Interface &interface, const EntryPoint &entry,
                              VariantKind kind) {
  std::string out = concat("  ", escaped(interface.entryPoint), " is '", escaped(interface.symbol),
                           "' in the code\n");
  auto line = [&](std::string_view label, std::string_view text) {
    out += concat("  ", labelled(label, text));
  };
  if (interface.requiredSubgroupSize || interface.leastSubgroupSize || interface.fullSubgroups)
    line("subgroups", subgroupsOf(interface));
  if (interface.workgroupSize[0])
    line("workgroup", workgroupOf(interface.workgroupSize));
  if (interface.workgroupMemoryBytes)
    line("memory", counted(interface.workgroupMemoryBytes, "byte"));
  for (size_t i = 0; i < 3; ++i)
    if (interface.workgroupSizeSpecIds[i] != noSpecId)
      line("constant", concat(interface.workgroupSizeSpecIds[i], " is the workgroup's size along ",
                              std::string_view("xyz").substr(i, 1)));
  if (interface.dynamicMemorySpecId != noSpecId)
    line("constant",
         concat(interface.dynamicMemorySpecId, " is the dynamic workgroup memory's element count",
                interface.dynamicMemoryElementBytes
                    ? concat(", of ", counted(interface.dynamicMemoryElementBytes, "byte"), " each")
                    : ""));
  if (interface.indexBits == 64) // 32 is the usual width, which is not shown
    line("indices", "64 bits");
  if (interface.place != ParameterPlace::None) {
    line("parameters",
         concat(counted(interface.parameterBytes, "byte"), " in ", placeOf(interface.place, kind)));
    out += describeParameters(interface, entry);
  }
  if (!interface.bindings.empty())
    out += describeBindings(interface, entry);
  return out;
}

std::string describeVariant(const Variant &variant, size_t index, const Executable &contents) {
  std::string out =
      concat("variant ", index, ": ", toString(variant.kind), " for ",
             variant.target.empty() ? "a target without a name" : escaped(variant.target), "\n");
  out += describeRequirements(variant.requirements, variant.kind);
  out += labelled("code", counted(variant.code.size(), "byte"));
  for (const Interface &interface : variant.interfaces) {
    auto entry = std::ranges::find(contents.entryPoints, interface.entryPoint, &EntryPoint::name);
    static const EntryPoint none;
    out += describeInterface(interface, entry == contents.entryPoints.end() ? none : *entry,
                             variant.kind);
  }
  return out;
}
} // namespace

std::string describe(const Executable &contents, size_t firstVariant) {
  std::string out = concat(
      counted(contents.entryPoints.size(), "entry point"), ", ",
      counted(contents.variants.size(), "variant"),
      contents.producer.empty() ? "" : concat(", made by ", escaped(contents.producer)), "\n");
  for (const EntryPoint &entry : contents.entryPoints)
    out += "\n" + describeEntryPoint(entry);
  for (size_t i = 0; i < contents.variants.size(); ++i)
    out += "\n" + describeVariant(contents.variants[i], firstVariant + i, contents);
  return out;
}

} // namespace pumice::executable
