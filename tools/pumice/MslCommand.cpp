//===- MslCommand.cpp - pumice msl ------------------------------------------===//
#include "compiler/metal/Msl.h"
#include "compiler/source/SourceFile.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/run/OwnProcess.h"
#include "tools/run/SpirvTools.h"

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
    "The module is validated first. A module that is rejected is reported with the reason.\n\n"
    "examples:\n"
    "  pumice compile softmax.mlir --emit spirv --target apple-m1 -o softmax.spv\n"
    "  pumice msl softmax.spv",
    {{"--entry", "NAME", "the entry point; the first one otherwise"},
     {"--msl-version", "X.Y", "Metal's language version (3.0)"},
     {"--ios", "", "for iOS; macOS otherwise"},
     {"--layout", "", "begin with comments that say how a launch passes the arguments"}},
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
                  "'" + version +
                      "' is not a version of Metal's language; expected one such as 3.0");
  return options;
}

/// Checks the module, since SPIRV-Cross trusts its input. spirv-val cannot check modules that are
/// newer than itself. The translation runs in its own process, since such a module may crash it.
Status checkValid(std::span<const uint8_t> bytes, const std::string &input) {
  Result<executable::SpirvModule> module = executable::reflectSpirv(bytes);
  if (!module.isOk())
    return Status(module.status()).at("'" + input + "'");
  Result<std::string> judged = run::validate(bytes, *module);
  if (!judged.isOk())
    return Status(judged.status()).at("'" + input + "'");
  if (!judged->empty())
    llvm::errs() << "pumice msl: warning: '" << input << "': " << *judged << "\n";
  return Status::ok();
}

Result<std::string> translate(const std::string &input, const metal::MslOptions &options,
                              bool layout) {
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(input));
  if (buffer->getBufferSize() == 0)
    return Status(StatusCode::InvalidArgument,
                  "'" + input + "' is empty; it must hold a SPIR-V module");
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(buffer->getBufferStart()),
                                 buffer->getBufferSize());
  PUMICE_RETURN_IF_ERROR(checkValid(bytes, input));
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  constexpr unsigned seconds = 120;
  Result<std::string> source = run::inOwnProcess("SPIRV-Cross", seconds, [&] {
    return layout ? metal::toMslWithLayout(words, options) : metal::toMsl(words, options);
  });
  if (source.isOk() || source.status().code() != StatusCode::Internal)
    return source;
  return Status(source.status().code(),
                source.status().message() + " on '" + input +
                    "', and so it would in MoltenVK: compile the kernel for an apple target, or "
                    "write it in another way ('spirv-opt -O' does that too)");
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
  Result<std::string> source =
      translate(arguments->positional().front(), *options, arguments->has("--layout"));
  if (!source.isOk())
    return failed(command, source.status());
  llvm::outs() << *source;
  return 0;
}
