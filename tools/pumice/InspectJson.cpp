//===- InspectJson.cpp - an executable's contents for programs --------------===//
#include "tools/pumice/InspectJson.h"

#include "support/JsonWriter.h"

using namespace pumice;
using namespace pumice::executable;

namespace {

/// Writes the parts of an executable. Each function writes the members of one object.
class Contents {
public:
  std::string write(const Executable &e, size_t firstVariant) {
    json.beginObject().member("producer", e.producer);
    objects("entryPoints", e.entryPoints, [&](const EntryPoint &entry) { entryPoint(entry); });
    size_t number = firstVariant;
    objects("variants", e.variants, [&](const Variant &v) { variant(v, number++); });
    json.end();
    return json.take() + "\n";
  }

private:
  template <typename Enum> void named(std::string_view name, Enum value) {
    json.member(name, toString(value));
  }
  template <typename T, typename Function>
  void objects(std::string_view name, const std::vector<T> &values, Function members) {
    json.list(name, values, [&](const T &value) {
      json.beginObject();
      members(value);
      json.end();
    });
  }

  /// Writes null for an extent that the caller of a kernel chooses.
  void extent(int64_t value) { value == dynamic ? json.null() : json.value(value); }
  void extents(std::string_view name, const std::vector<int64_t> &values) {
    json.list(name, values, [&](int64_t value) { extent(value); });
  }
  void specId(uint32_t id) { id == noSpecId ? json.null() : json.value(id); }

  void argument(const Argument &a) {
    json.member("name", a.name);
    named("kind", a.kind);
    named("element", a.element);
    json.member("elementBytes", a.elementBytes);
    json.member("vectorWidth", a.vectorWidth);
    if (a.kind == ArgumentKind::Scalar)
      return;
    extents("shape", a.shape);
    extents("strides", a.strides);
    json.key("offset");
    extent(a.offset);
    named("access", a.access);
    json.member("alignment", a.alignment);
  }

  void printfFormat(const PrintfFormat &p) {
    json.member("id", p.id);
    json.member("format", p.format);
    json.list("arguments", p.arguments, [&](ElementType type) { json.value(toString(type)); });
  }

  void entryPoint(const EntryPoint &e) {
    json.member("name", e.name);
    objects("arguments", e.arguments, [&](const Argument &a) { argument(a); });
    json.list("workgroupSize", e.workgroupSize);
    json.member("workgroupMemoryBytes", e.workgroupMemoryBytes);
    json.member("dynamicWorkgroupMemory", e.dynamicWorkgroupMemory);
    json.member("touchesUnnamedMemory", e.touchesUnnamedMemory);
    json.member("assumesNoOverlap", e.assumesNoOverlap);
    json.key("location").beginObject();
    json.member("file", e.location.file);
    json.member("line", e.location.line);
    json.member("column", e.location.column).end();
    objects("printfs", e.printfs, [&](const PrintfFormat &p) { printfFormat(p); });
  }

  void requirements(const Requirements &r) {
    json.member("versionMajor", r.versionMajor);
    json.member("versionMinor", r.versionMinor);
    json.list("extensions", r.extensions);
    json.list("features", r.features);
    json.member("subgroupOperations", r.subgroupOperations);
    json.list("cooperativeMatrices", r.cooperativeMatrices);
    json.member("measuredMaps", r.measuredMaps);
    json.member("architecture", r.architecture);
  }

  void interface(const Interface &i) {
    json.member("entryPoint", i.entryPoint);
    json.member("symbol", i.symbol);
    named("place", i.place);
    json.member("parameterBytes", i.parameterBytes);
    objects("fields", i.fields, [&](const ParameterField &f) {
      named("source", f.source);
      json.member("argument", f.argument);
      json.member("dimension", f.dimension);
      json.member("offset", f.offset);
      json.member("size", f.size);
    });
    objects("bindings", i.bindings, [&](const DescriptorBinding &b) {
      json.member("set", b.set);
      json.member("binding", b.binding);
      named("source", b.source);
      json.member("argument", b.argument);
      json.member("uniform", b.uniform);
    });
    json.list("workgroupSizeSpecIds", i.workgroupSizeSpecIds, [&](uint32_t id) { specId(id); });
    json.key("dynamicMemorySpecId");
    specId(i.dynamicMemorySpecId);
    json.member("workgroupMemoryBytes", i.workgroupMemoryBytes);
    json.member("requiredSubgroupSize", i.requiredSubgroupSize);
    json.member("fullSubgroups", i.fullSubgroups);
    json.member("leastSubgroupSize", i.leastSubgroupSize);
    json.member("dynamicMemoryElementBytes", i.dynamicMemoryElementBytes);
    json.member("indexBits", i.indexBits);
  }

  void variant(const Variant &v, size_t number) {
    json.member("number", number);
    named("kind", v.kind);
    json.member("target", v.target);
    json.member("targetEnv", v.targetEnv);
    json.key("requirements").beginObject();
    requirements(v.requirements);
    json.end();
    objects("interfaces", v.interfaces, [&](const Interface &i) { interface(i); });
    json.member("codeBytes", v.code.size());
  }

  JsonWriter json;
};
} // namespace

std::string tools::inspectJson(const Executable &contents, size_t firstVariant) {
  return Contents().write(contents, firstVariant);
}
