//===- SpirvSupport.cpp - the CPU device's support of SPIR-V ----------------===//
#include "tools/pumice/SpirvSupport.h"

#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/import/spirv/Annotations.h"
#include "compiler/import/spirv/Instructions.h"

#include "llvm/ADT/StringSet.h"

using namespace pumice;
using namespace pumice::spirv_import;
namespace json = llvm::json;

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

json::Object instruction(const Row &row) {
  json::Object object{{"name", row.name}, {"number", row.opcode}};
  if (row.kind == RowKind::Refused)
    object.insert({"refused", row.operands});
  else if (lowered().contains(row.name))
    object.insert({"state", "lowered"});
  else // types, names, functions and the like, or without support
    object.insert({"state", row.kind == RowKind::Special ? "structure" : "read"});
  return object;
}

json::Array extended(llvm::ArrayRef<ExtendedRow> rows, llvm::StringRef set) {
  json::Array list;
  for (const ExtendedRow &row : rows)
    list.push_back(json::Object{
        {"name", row.name},
        {"number", row.number},
        {"state", lowered().contains((set + "/" + row.name).str()) ? "lowered" : "read"}});
  return list;
}

json::Array annotations(llvm::ArrayRef<Annotation> table) {
  json::Array list;
  for (const Annotation &each : table)
    list.push_back(json::Object{{"name", each.name}, {"number", each.number}, {"note", each.note}});
  return list;
}

} // namespace

json::Value tools::spirvSupport() {
  json::Array instructions;
  for (const Row &row : allInstructions())
    instructions.push_back(instruction(row));
  return json::Object{{"instructions", std::move(instructions)},
                      {"glsl", extended(allGlsl(), "GLSL.std.450")},
                      {"opencl", extended(allOpenCl(), "OpenCL.std")},
                      {"decorations", annotations(allDecorations())},
                      {"modes", annotations(allModes())}};
}
