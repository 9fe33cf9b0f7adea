//===- ResolveTarget.cpp - reads targets of --target ------------------------===//
#include "compiler/dialect/vk/SelectTarget.h"

#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/source/SourceFile.h"
#include "compiler/source/SourceText.h"
#include "compiler/target/Triples.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::target;

static Status invalid(const Twine &message) {
  return Status(StatusCode::InvalidArgument, message.str());
}

/// Drops leading blanks and `//` comments, then `target_env =` as the attribute is written in a
/// dictionary.
static StringRef withoutPreamble(StringRef text) {
  text = text.trim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  size_t equals = text.find_first_of("=<");
  if (equals != StringRef::npos && text[equals] == '=')
    text = text.drop_front(equals + 1).ltrim();
  return text;
}

Result<TargetEnv> vk::parseTargetEnv(MLIRContext *context, StringRef text) {
  if (nestsTooDeep({text.data(), text.size()}))
    return invalid("brackets nest more than 64 deep");
  if (std::optional<TextProblem> problem = findTextProblem({text.data(), text.size()}))
    return invalid(problem->what);
  StringRef body = withoutPreamble(text);
  if (!body.starts_with("#vk.target_env<") || !body.trim().ends_with(">"))
    return invalid("'" + body.take_front(60) + (body.size() > 60 ? "...'" : "'") +
                   " is not a target environment; " + targetEnvForm);
  context->getOrLoadDialect<VkDialect>();
  std::string errors;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  Attribute attr = parseAttribute(body, context);
  if (auto target = dyn_cast_or_null<TargetEnvAttr>(attr))
    return toTargetEnv(target);
  if (errors.empty() || StringRef(errors).starts_with("unbalanced"))
    errors += (errors.empty() ? "" : "; ") + std::string(targetEnvForm);
  return invalid(errors);
}

Result<TargetEnv> vk::readTargetFile(MLIRContext *context, StringRef path, StringRef profile) {
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(path.str()));
  StringRef text = buffer->getBuffer();
  if (text.trim().empty())
    return Status(StatusCode::InvalidArgument,
                  path.str() + ": the file is empty; it must hold the output of 'vulkaninfo -j', a "
                               "Khronos profile, a device's 'pumice target-env --json', or "
                               "#vk.target_env<...>");
  bool isJson = text.ltrim().starts_with("{");
  Result<TargetEnv> env =
      isJson ? readTargetJson({text.data(), text.size()}, {profile.data(), profile.size()})
             : parseTargetEnv(context, text);
  if (!env.isOk())
    return Status(env.status()).at(path.str());
  return env;
}

/// Returns whether the path is a file or a pipe.
static bool isFile(StringRef path) {
  return llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path);
}

Result<TargetEnv> vk::resolveTarget(MLIRContext *context, StringRef text) {
  StringRef trimmed = text.trim();
  if (trimmed.empty())
    return invalid("an empty target; name a triple, a file, or #vk.target_env<...>");
  if (trimmed.contains('<') || trimmed.starts_with("#"))
    return parseTargetEnv(context, trimmed);
  Result<TargetEnv> triple = lookupTriple({trimmed.data(), trimmed.size()});
  if (triple.isOk() || triple.status().code() != StatusCode::NotFound)
    return triple;
  if (isFile(trimmed))
    return readTargetFile(context, trimmed);
  auto [path, profile] = trimmed.rsplit(':');
  if (!profile.empty() && isFile(path))
    return readTargetFile(context, path, profile);
  if (trimmed.contains('/'))
    return invalid("'" + trimmed +
                   "' is not a file; a target is a triple, a file, or #vk.target_env<...>");
  return triple;
}
