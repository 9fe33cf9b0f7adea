//===- InspectJson.cpp - an executable's contents for programs --------------===//
#include "tools/pumice/InspectJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace pumice;
using namespace pumice::executable;
using llvm::json::OStream;

namespace {

class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &out) : json(out, 2) {}

  void contents(const Executable &e, size_t firstVariant) {
    json.object([&] {
      text("producer", e.producer);
      list("entryPoints", e.entryPoints, [&](const EntryPoint &entry) { entryPoint(entry); });
      size_t number = firstVariant;
      list("variants", e.variants, [&](const Variant &v) { variant(v, number++); });
    });
  }

private:
  void text(llvm::StringRef name, std::string_view value) {
    json.attribute(name, llvm::StringRef(value.data(), value.size()));
  }
  template <typename Enum> void named(llvm::StringRef name, Enum value) {
    text(name, toString(value));
  }
  void count(llvm::StringRef name, uint64_t value) { json.attribute(name, value); }

  /// Makes an array with one object for each item.
  template <typename T, typename Function>
  void list(llvm::StringRef name, const std::vector<T> &values, Function one) {
    json.attributeArray(name, [&] {
      for (const T &value : values)
        json.object([&] { one(value); });
    });
  }
  template <typename T> void values(llvm::StringRef name, const T &values) {
    json.attributeArray(name, [&] {
      for (const auto &value : values)
        json.value(value);
    });
  }

  /// Writes null for an extent that the caller of a kernel chooses.
  static llvm::json::Value extent(int64_t value) {
    return value == dynamic ? llvm::json::Value(nullptr) : llvm::json::Value(value);
  }
  void extents(llvm::StringRef name, const std::vector<int64_t> &values) {
    json.attributeArray(name, [&] {
      for (int64_t value : values)
        json.value(extent(value));
    });
  }
  static llvm::json::Value specId(uint32_t id) {
    return id == noSpecId ? llvm::json::Value(nullptr) : llvm::json::Value(id);
  }

  void argument(const Argument &a) {
    text("name", a.name);
    named("kind", a.kind);
    named("element", a.element);
    count("elementBytes", a.elementBytes);
    count("vectorWidth", a.vectorWidth);
    if (a.kind == ArgumentKind::Scalar)
      return;
    extents("shape", a.shape);
    extents("strides", a.strides);
    json.attribute("offset", extent(a.offset));
    named("access", a.access);
    count("alignment", a.alignment);
  }

  void printfFormat(const PrintfFormat &p) {
    count("id", p.id);
    text("format", p.format);
    json.attributeArray("arguments", [&] {
      for (ElementType type : p.arguments)
        json.value(llvm::StringRef(toString(type)));
    });
  }

  void entryPoint(const EntryPoint &e) {
    text("name", e.name);
    list("arguments", e.arguments, [&](const Argument &a) { argument(a); });
    values("workgroupSize", e.workgroupSize);
    count("workgroupMemoryBytes", e.workgroupMemoryBytes);
    json.attribute("dynamicWorkgroupMemory", e.dynamicWorkgroupMemory);
    json.attribute("touchesUnnamedMemory", e.touchesUnnamedMemory);
    json.attributeObject("location", [&] {
      text("file", e.location.file);
      count("line", e.location.line);
      count("column", e.location.column);
    });
    list("printfs", e.printfs, [&](const PrintfFormat &p) { printfFormat(p); });
  }

  void requirements(const Requirements &r) {
    count("versionMajor", r.versionMajor);
    count("versionMinor", r.versionMinor);
    values("extensions", r.extensions);
    values("features", r.features);
    count("subgroupOperations", r.subgroupOperations);
    values("cooperativeMatrices", r.cooperativeMatrices);
    text("measuredMaps", r.measuredMaps);
    text("architecture", r.architecture);
  }

  void interface(const Interface &i) {
    text("entryPoint", i.entryPoint);
    text("symbol", i.symbol);
    named("place", i.place);
    count("parameterBytes", i.parameterBytes);
    list("fields", i.fields, [&](const ParameterField &f) {
      named("source", f.source);
      count("argument", f.argument);
      count("dimension", f.dimension);
      count("offset", f.offset);
      count("size", f.size);
    });
    list("bindings", i.bindings, [&](const DescriptorBinding &b) {
      count("set", b.set);
      count("binding", b.binding);
      named("source", b.source);
      count("argument", b.argument);
      json.attribute("uniform", b.uniform);
    });
    json.attributeArray("workgroupSizeSpecIds", [&] {
      for (uint32_t id : i.workgroupSizeSpecIds)
        json.value(specId(id));
    });
    json.attribute("dynamicMemorySpecId", specId(i.dynamicMemorySpecId));
    count("workgroupMemoryBytes", i.workgroupMemoryBytes);
    count("requiredSubgroupSize", i.requiredSubgroupSize);
    json.attribute("fullSubgroups", i.fullSubgroups);
    count("leastSubgroupSize", i.leastSubgroupSize);
    count("dynamicMemoryElementBytes", i.dynamicMemoryElementBytes);
    count("indexBits", i.indexBits);
  }

  void variant(const Variant &v, size_t number) {
    count("number", number);
    named("kind", v.kind);
    text("target", v.target);
    text("targetEnv", v.targetEnv);
    json.attributeObject("requirements", [&] { requirements(v.requirements); });
    list("interfaces", v.interfaces, [&](const Interface &i) { interface(i); });
    count("codeBytes", v.code.size());
  }

  OStream json;
};
} // namespace

std::string tools::inspectJson(const Executable &contents, size_t firstVariant) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  JsonWriter(stream).contents(contents, firstVariant);
  return out + "\n";
}
