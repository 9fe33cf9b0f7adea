//===- MslCommand.cpp - pumice msl ------------------------------------------===//
#include "compiler/SourceFile.h"
#include "compiler/metal/Msl.h"
#include "tools/pumice/Arguments.h"
#include "tools/pumice/Commands.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "msl",
    "INPUT.spv",
    "Translate a SPIR-V module to Metal's shading language, as MoltenVK does on Apple's devices",
    "The module must be valid: this does not check it. What is refused is told with its reason.\n\n"
    "examples:\n"
    "  pumice compile softmax.mlir --emit spirv --target apple-m1 -o softmax.spv\n"
    "  pumice msl softmax.spv",
    {{"--entry", "NAME", "the entry point; the first one otherwise"},
     {"--msl-version", "X.Y", "Metal's language version (3.0)"},
     {"--ios", "", "for iOS; macOS otherwise"}},
    1,
    1};

Result<metal::MslOptions> readOptions(const Arguments &arguments) {
  metal::MslOptions options;
  options.entryPoint = arguments.value("--entry");
  options.ios = arguments.has("--ios");
  std::string version = arguments.value("--msl-version", "3.0");
  auto [major, minor] = llvm::StringRef(version).split('.');
  if (major.getAsInteger(10, options.versionMajor) || minor.getAsInteger(10, options.versionMinor))
    return Status(StatusCode::InvalidArgument,
                  "'" + version + "' is no version of Metal's language; one looks like 3.0");
  return options;
}

Result<std::string> translate(const std::string &input, const metal::MslOptions &options) {
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(input));
  if (buffer->getBufferSize() == 0)
    return Status(StatusCode::InvalidArgument,
                  "'" + input + "' is empty; it must hold a SPIR-V module");
  std::vector<uint32_t> words(buffer->getBufferSize() / sizeof(uint32_t));
  std::memcpy(words.data(), buffer->getBufferStart(), words.size() * sizeof(uint32_t));
  return metal::toMsl(words, options);
}

} // namespace

int tools::mslCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  Result<metal::MslOptions> options = readOptions(*arguments);
  if (!options.isOk())
    return usageError(command, options.status());
  Result<std::string> source = translate(arguments->positional().front(), *options);
  if (!source.isOk())
    return failed(command, source.status());
  llvm::outs() << *source;
  return 0;
}
