//===- SpirvSupport.cpp - the CPU device's support of SPIR-V ----------------===//
#include "tools/pumice/SpirvSupport.h"

#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/import/spirv/Annotations.h"
#include "compiler/import/spirv/Instructions.h"
#include "support/JsonWriter.h"

#include "llvm/ADT/StringSet.h"

using namespace pumice;
using namespace pumice::spirv_import;

namespace {

/// Returns the names of instructions that have a rule: "FAdd", "GLSL.std.450/Sin".
const llvm::StringSet<> &lowered() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> all;
    for (llvm::StringRef name : cpu::loweredInstructions())
      all.insert(name);
    return all;
  }();
  return names;
}

void instruction(JsonWriter &json, const Row &row) {
  json.beginObject().member("name", row.name).member("number", row.opcode);
  if (row.kind == RowKind::Refused)
    json.member("rejected", row.operands);
  else if (lowered().contains(row.name))
    json.member("state", "lowered");
  else // types, names, functions and the like, or without support
    json.member("state", row.kind == RowKind::Special ? "structure" : "read");
  json.end();
}

void extended(JsonWriter &json, llvm::StringRef name, llvm::ArrayRef<ExtendedRow> rows,
              llvm::StringRef set) {
  json.list(name, rows, [&](const ExtendedRow &row) {
    bool isLowered = lowered().contains((set + "/" + row.name).str());
    json.beginObject().member("name", row.name).member("number", row.number);
    json.member("state", isLowered ? "lowered" : "read").end();
  });
}

void annotations(JsonWriter &json, llvm::StringRef name, llvm::ArrayRef<Annotation> table) {
  json.list(name, table, [&](const Annotation &each) {
    json.beginObject().member("name", each.name).member("note", each.note);
    json.member("number", each.number).end();
  });
}

} // namespace

std::string tools::spirvSupportJson() {
  JsonWriter json;
  json.beginObject();
  annotations(json, "decorations", allDecorations());
  extended(json, "glsl", allGlsl(), "GLSL.std.450");
  json.list("instructions", allInstructions(), [&](const Row &row) { instruction(json, row); });
  annotations(json, "modes", allModes());
  extended(json, "opencl", allOpenCl(), "OpenCL.std");
  json.end();
  return json.take() + "\n";
}
