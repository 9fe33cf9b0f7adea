//===- InspectCommand.cpp - pumice inspect ----------------------------------===//
#include "executable/Executable.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/InspectJson.h"
#include "tools/pumice/InspectNative.h"
#include "tools/run/Files.h"
#include "tools/run/SpirvTools.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

using namespace pumice;
using namespace pumice::tools;
using executable::Executable;
using executable::Variant;
using executable::VariantKind;

namespace {

const Command command{
    "inspect",
    "FILE.pumice",
    "Show what an executable holds: entry points, variants, and their code",
    "SPIR-V and native code are disassembled; Metal source is shown as it is.\n"
    "FILE may be '-' for standard input, OUT '-' for standard output.\n\n"
    "examples:\n"
    "  pumice inspect softmax.pumice --no-asm\n"
    "  pumice inspect softmax.pumice --variant 1 --raw softmax.spv",
    {{"--json", "", "print everything but the code as JSON"},
     {"--variant", "N", "only the variant of this number"},
     {"--no-asm", "", "leave the code out"},
     {"--raw", "OUT",
      "write the variant's code as it is to OUT, and print nothing else; with "
      "several variants, choose one with --variant"},
     {"--extract", "DIR", "also write the code of each variant into DIR: N.spv, N.metal or N.bin"}},
    1,
    1};

/// The checked request of the command line.
struct Request {
  std::string input, rawOutput, extractTo;
  std::optional<size_t> variant;
  bool json = false, assembly = true;
};

Result<Request> readRequest(const Arguments &arguments) {
  Request request{.input = arguments.positional().front(),
                  .rawOutput = arguments.value("--raw"),
                  .extractTo = arguments.value("--extract"),
                  .variant = {},
                  .json = arguments.has("--json"),
                  .assembly = !arguments.has("--no-asm")};
  if (arguments.has("--raw") && (request.json || !request.assembly || arguments.has("--extract")))
    return Status(StatusCode::InvalidArgument,
                  "--raw writes code only; leave out --json, --no-asm and --extract");
  if (arguments.has("--variant")) {
    std::string text = arguments.value("--variant");
    size_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      return Status(StatusCode::InvalidArgument,
                    "--variant must be a number of 0 or more, got '" + text + "'");
    request.variant = number;
  }
  return request;
}

Status writeCode(const std::vector<uint8_t> &code, const std::string &path) {
  FILE *out = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  bool written = out && std::fwrite(code.data(), 1, code.size(), out) == code.size();
  if (out && (out == stdout ? std::fflush(out) : std::fclose(out)) != 0)
    written = false;
  if (!written)
    return Status(StatusCode::InvalidArgument,
                  "cannot write '" + path + "': " + std::strerror(errno));
  return Status::ok();
}

Status writeRaw(const Executable &contents, const std::string &path) {
  if (contents.variants.size() != 1)
    return Status(StatusCode::InvalidArgument,
                  "--raw writes one variant's code, but the file has " +
                      std::to_string(contents.variants.size()) + "; choose with --variant");
  return writeCode(contents.variants.front().code, path);
}

const char *endingOf(VariantKind kind) {
  if (kind == VariantKind::VulkanSpirv || kind == VariantKind::OpenclSpirv)
    return ".spv";
  return kind == VariantKind::Msl ? ".metal" : ".bin";
}

/// Writes each variant's code under its number, which counts from `first`.
Status extract(const Executable &contents, size_t first, const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status(StatusCode::InvalidArgument,
                  "cannot make the folder '" + folder + "': " + error.message());
  for (const Variant &variant : contents.variants)
    PUMICE_RETURN_IF_ERROR(
        writeCode(variant.code, folder + "/" + std::to_string(first++) + endingOf(variant.kind)));
  return Status::ok();
}

/// Returns the code as text, or one line that says why there is none.
std::string codeText(const Variant &variant) {
  switch (variant.kind) {
  case VariantKind::VulkanSpirv:
  case VariantKind::OpenclSpirv: {
    auto assembly = run::disassemble(variant.code);
    return assembly.isOk() ? std::move(*assembly) : "; " + assembly.status().message() + "\n";
  }
  case VariantKind::Msl:
    return std::string(variant.code.begin(), variant.code.end());
  case VariantKind::Native:
    return nativeCodeText(variant.code);
  }
  return {};
}

void print(const Executable &contents, const Request &request) {
  size_t first = request.variant.value_or(0);
  std::string out;
  if (request.json) {
    out = inspectJson(contents, first);
  } else {
    out = executable::describe(contents, first);
    for (size_t i = 0; request.assembly && i < contents.variants.size(); ++i)
      out +=
          "\ncode of variant " + std::to_string(first + i) + "\n" + codeText(contents.variants[i]);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

Status inspect(const Request &request) {
  auto bytes = run::readFile(request.input, executable::mostFileBytes);
  if (!bytes.isOk())
    return bytes.status();
  auto contents = executable::read(*bytes);
  if (!contents.isOk())
    return Status(contents.status()).at(request.input);
  if (request.variant) {
    if (*request.variant >= contents->variants.size())
      return Status(StatusCode::NotFound, request.input + ": there is no variant " +
                                              std::to_string(*request.variant) + "; it has " +
                                              std::to_string(contents->variants.size()));
    Variant chosen = std::move(contents->variants[*request.variant]);
    contents->variants.assign(1, std::move(chosen));
  }
  if (!request.rawOutput.empty())
    return writeRaw(*contents, request.rawOutput);
  if (!request.extractTo.empty())
    PUMICE_RETURN_IF_ERROR(extract(*contents, request.variant.value_or(0), request.extractTo));
  print(*contents, request);
  return Status::ok();
}
} // namespace

int tools::inspectCommand(int argc, char **argv) {
  auto arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    std::fputs(helpText(command).c_str(), stdout);
    return 0;
  }
  auto request = readRequest(*arguments);
  if (!request.isOk())
    return usageError(command, request.status());
  Status status = inspect(*request);
  return status.isOk() ? 0 : failed(command, status);
}
