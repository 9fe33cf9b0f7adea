//===- OperationsCommand.cpp - pumice operations ----------------------------===//
#include "compiler/Operations.h"
#include "tools/pumice/Arguments.h"
#include "tools/pumice/Commands.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "operations",
    "",
    "List every MLIR operation that a kernel may meet, and what becomes of it",
    "states: native (one instruction where the target has the type), emulated (other\n"
    "operations of the same meaning), structure (part of another operation), host (not\n"
    "for kernels), refused (an error, with the way out).",
    {{"--json", "", "as JSON"}, {"--markdown", "", "as docs/operations.md"}},
    0,
    0};

void printText() {
  for (const OperationInfo &info : allOperations())
    llvm::outs() << llvm::left_justify(info.name, 40) << " "
                 << llvm::left_justify(toString(info.state), 10) << " " << info.note << "\n";
}

void printJson() {
  llvm::json::Array operations;
  for (const OperationInfo &info : allOperations())
    operations.push_back(llvm::json::Object{
        {"name", info.name}, {"state", toString(info.state)}, {"note", info.note}});
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(operations))) << "\n";
}

void printMarkdown() {
  llvm::outs()
      << "# Operations\n\n"
         "Every operation of the dialects that a kernel may hold, and what becomes of it.\n"
         "Written by `pumice operations --markdown` from `compiler/Operations.def`; tests hold\n"
         "it against the dialects and against a kernel for each line.\n\n"
         "- **native**: one instruction of SPIR-V or GLSL.std.450, where the target has the type;"
         " narrower types are widened\n"
         "- **emulated**: other operations with the same meaning\n"
         "- **structure**: part of a kernel or of another operation\n"
         "- **host**: belongs to the host's part of a program; in a kernel, the error at the\n"
         "  operation is `'OPERATION' cannot stand in a kernel: it is NOTE`\n"
         "- **refused**: the error at the operation is `'OPERATION' cannot be compiled: NOTE`\n\n"
         "What only some targets can do is refused for the others by the name of the Vulkan\n"
         "feature or limit: `memory of i64 needs the feature shaderInt64, which the target\n"
         "'mali-g78' lacks`.\n";
  llvm::StringRef dialect;
  for (const OperationInfo &info : allOperations()) {
    llvm::StringRef its = info.name.split('.').first;
    if (its != dialect)
      llvm::outs() << "\n## " << its << "\n\n| operation | state | note |\n|---|---|---|\n";
    dialect = its;
    llvm::outs() << "| `" << info.name << "` | " << toString(info.state) << " | " << info.note
                 << " |\n";
  }
}

} // namespace

int tools::operationsCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp())
    llvm::outs() << helpText(command);
  else if (arguments->has("--json"))
    printJson();
  else if (arguments->has("--markdown"))
    printMarkdown();
  else
    printText();
  return 0;
}
