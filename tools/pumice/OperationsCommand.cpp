//===- OperationsCommand.cpp - pumice operations ----------------------------===//
#include "compiler/source/Operations.h"
#include "compiler/source/SourceFile.h"
#include "support/JsonWriter.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/SpirvSupport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "operations",
    "",
    "List every MLIR operation that a kernel may contain, and how it is compiled",
    "states:\n"
    "  native     one instruction if the target has the type\n"
    "  emulated   other operations of the same meaning\n"
    "  structure  part of another operation\n"
    "  host       not for kernels\n"
    "  rejected   an error that names an alternative",
    {{"--json", "", "as JSON"},
     {"--spirv", "", "instead, as JSON, how the CPU device compiles SPIR-V"},
     {"--markdown", "", "as docs/operations.md"},
     {"--runs", "FILE", "with --markdown, the column of where each ran: docs/operations-run.json"}},
    0,
    0};

void printText() {
  for (const OperationInfo &info : allOperations())
    llvm::outs() << llvm::left_justify(info.name, 40) << " "
                 << llvm::left_justify(toString(info.state), 10) << " " << info.note << "\n";
}

/// Writes the members in the order of their names.
void printJson() {
  JsonWriter json;
  json.beginArray();
  for (const OperationInfo &info : allOperations()) {
    json.beginObject().member("name", info.name).member("note", info.note);
    json.member("state", toString(info.state)).end();
  }
  json.end();
  llvm::outs() << json.take() << "\n";
}

/// Maps a driver and an operation to the types with which it ran (docs/operations-run.json).
using Runs = std::map<std::string, std::map<std::string, std::string>>;

Result<Runs> readRuns(const std::string &path) {
  Runs runs;
  if (path.empty())
    return runs;
  auto bad = [&](const llvm::Twine &why) {
    return Status(StatusCode::InvalidArgument,
                  ("'" + path + "': " + why +
                   "; tests/correctness/run-kernels.py --record writes such a file")
                      .str());
  };
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readSource(path);
  if (!buffer.isOk())
    return buffer.status();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return bad(llvm::toString(parsed.takeError()));
  const llvm::json::Object *drivers = parsed->getAsObject();
  if (!drivers)
    return bad("not an object of drivers");
  for (const auto &[driver, value] : *drivers) {
    const llvm::json::Object *object = value.getAsObject();
    const llvm::json::Object *operations = object ? object->getObject("operations") : nullptr;
    if (!operations)
      return bad("'" + driver.str() + "' has no 'operations'");
    for (const auto &[operation, types] : *operations) {
      if (!types.getAsString())
        return bad("'" + operation.str() + "' of '" + driver.str() + "' is not a string");
      runs[driver.str()][operation.str()] = types.getAsString()->str();
    }
  }
  return runs;
}

/// The driver with a column of its own.
constexpr const char *openCl = "OpenCL";

/// Returns the types with which an operation ran through OpenCL, or "" if it did not run.
std::string openClCell(const Runs &runs, llvm::StringRef operation) {
  const std::map<std::string, std::string> &operations = runs.at(openCl);
  auto found = operations.find(operation.str());
  if (found == operations.end())
    return "";
  return found->second.empty() ? "yes" : found->second;
}

/// Returns "lavapipe (f16, f32), SwiftShader (f32)", or "" if it ran nowhere.
std::string cell(const Runs &runs, llvm::StringRef operation) {
  std::string text;
  for (const auto &[driver, operations] : llvm::reverse(runs)) {
    auto found = operations.find(operation.str());
    if (driver == openCl || found == operations.end())
      continue;
    text += (text.empty() ? "" : ", ") + driver;
    if (!found->second.empty())
      text += " (" + found->second + ")";
  }
  return text;
}

void printMarkdown(const Runs &runs) {
  llvm::outs()
      << "# Operations\n\n"
         "This page lists every operation of the dialects that a kernel may contain, and how it is "
         "compiled.\n"
         "`pumice operations --markdown` writes it from `compiler/source/Operations.def`. Tests "
         "compare "
         "it with the\n"
         "dialects, and with a kernel for each line.\n\n"
         "- **native**: one instruction of SPIR-V or GLSL.std.450, if the target has the type; "
         "narrower types are widened\n"
         "- **emulated**: other operations with the same meaning\n"
         "- **structure**: part of a kernel or of another operation\n"
         "- **host**: belongs to host code; in a kernel, the error at the operation is\n"
         "  `'OPERATION' is not allowed in a kernel: it is NOTE`\n"
         "- **rejected**: the error at the operation is `'OPERATION' cannot be compiled: NOTE`\n\n"
         "If a target lacks what an operation needs, the error names the Vulkan feature or limit:\n"
         "`memory of i64 needs the feature shaderInt64, which target 'mali-g78' lacks`.\n\n"
         "A kernel may also contain operations of the `spirv` dialect, which stay unchanged. They "
         "provide\n"
         "instructions that the other dialects lack, such as votes and ballots. The last table "
         "lists them, and\n"
         "`docs/programs.md` has an example.\n";
  if (!runs.empty())
    llvm::outs()
        << "\n"
           "**run**: the drivers and types with which a kernel of `tests/correctness` with this "
           "operation computed\n"
           "the same as NumPy, within Vulkan's bounds or those of `docs/precision.md`. Each ran "
           "through buffer\n"
           "addresses and through descriptors, unless the cell says otherwise. "
           "`tests/correctness/run-kernels.py`\n"
           "records this column, and a test compares it with the kernels.\n";
  const bool hasOpenCl = runs.contains(openCl);
  if (hasOpenCl)
    llvm::outs() << "\n"
                    "**OpenCL**: the same for Intel's OpenCL runtime for CPUs, with an index of 32 "
                    "and 64 bits, and through\n"
                    "both routes to SPIR-V (`--via spirv` and `--via llvm`).\n";
  std::string header = "| operation | state | note |", line = "|---|---|---|";
  for (const char *column : {runs.empty() ? nullptr : "run", hasOpenCl ? openCl : nullptr})
    if (column) {
      header += std::string(" ") + column + " |";
      line += "---|";
    }
  llvm::StringRef dialect;
  for (const OperationInfo &info : allOperations()) {
    llvm::StringRef its = info.name.split('.').first;
    if (its != dialect)
      llvm::outs() << "\n## " << its << "\n\n" << header << "\n" << line << "\n";
    dialect = its;
    llvm::outs() << "| `" << info.name << "` | " << toString(info.state) << " | " << info.note
                 << " |";
    if (!runs.empty())
      llvm::outs() << " " << cell(runs, info.name) << " |";
    if (hasOpenCl)
      llvm::outs() << " " << openClCell(runs, info.name) << " |";
    llvm::outs() << "\n";
  }
}

} // namespace

int tools::operationsCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  Result<Runs> runs = readRuns(arguments->value("--runs"));
  if (!runs.isOk())
    return failed(command, runs.status());
  if (arguments->wantsHelp())
    llvm::outs() << helpText(command);
  else if (arguments->has("--spirv"))
    llvm::outs() << spirvSupportJson();
  else if (arguments->has("--json"))
    printJson();
  else if (arguments->has("--markdown"))
    printMarkdown(*runs);
  else
    printText();
  return 0;
}
