//===- ExportCommand.cpp - pumice export ------------------------------------===//
#include "compiler/export/Export.h"
#include "compiler/source/SourceFile.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "export",
    "FILE",
    "Write kernels as C or C++: a header with one typed function for each kernel, its source, the "
    "executable, a CMakeLists.txt, and a file for pkg-config",
    "FILE is an executable (.pumice), or anything that 'pumice compile' takes: then --target "
    "names\n"
    "the targets, as there.\n"
    "The files compile as C11 or C++17 without warnings, and need libpumice alone.\n"
    "LANGUAGE is one of c, c++.\n\n"
    "examples:\n"
    "  pumice export softmax.pumice -o softmax --language c++\n"
    "  pumice export softmax.mlir -o softmax --language c --target rdna3 --target cpu\n"
    "  pumice export softmax.pumice -o softmax --beside --name rows",
    {{"-o", "DIR", "the folder of the files, which is made if it is missing"},
     {"--language", "LANGUAGE", "c++ (the default) or c"},
     {"--name", "NAME", "name of the files, and of what they declare; the default is that of FILE"},
     {"--beside", "",
      "keep the executable as a file, whose path the program passes to the load function"},
     {"--quiet", "", "do not print the names of the files"},
     {"--target", "TARGET", "compile FILE for TARGET first", true}},
    1,
    1};

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

/// Compiles FILE to a file that disappears with this object.
class CompiledInput {
public:
  CompiledInput() = default;
  CompiledInput(const CompiledInput &) = delete;
  CompiledInput &operator=(const CompiledInput &) = delete;
  ~CompiledInput() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  /// Returns the path of the executable. The failure of a compilation was reported already.
  Result<std::string> compile(const std::string &input, const std::vector<std::string> &targets) {
    if (llvm::StringRef(input).ends_with(".py"))
      return invalid(
          "'" + input +
          "' is a Python file; export its Triton kernels by pumice.export in Python, or by "
          "'python -m pumice.tools.compile'");
    if (std::error_code failure = llvm::sys::fs::createTemporaryFile("export", "pumice", path))
      return Status(StatusCode::ResourceExhausted,
                    "cannot make a temporary file: " + failure.message());
    std::vector<std::string> words{"compile", input, "-o", path.str().str()};
    for (const std::string &target : targets)
      words.insert(words.end(), {"--target", target});
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    if (int status = compileCommand(static_cast<int>(arguments.size()), arguments.data()))
      return Status(StatusCode::InvalidArgument, "'" + input + "' could not be compiled (status " +
                                                     std::to_string(status) + ")");
    return path.str().str();
  }

private:
  llvm::SmallString<128> path;
};

Status writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
  std::error_code failure;
  llvm::ToolOutputFile out(path, failure, llvm::sys::fs::OF_None);
  if (!failure) {
    out.os().write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    out.os().flush();
    failure = out.os().error();
    out.os().clear_error();
  }
  if (failure)
    return Status(StatusCode::ResourceExhausted, "cannot write '" + path +
                                                     "': " + failure.message() +
                                                     "; -o names another folder");
  out.keep();
  return Status::ok();
}

/// Rejects files of the user's that an export would replace.
Status checkReplaced(const std::string &path) {
  if (llvm::StringRef(path).ends_with(".pumice") || !llvm::sys::fs::exists(path))
    return Status::ok();
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> old, readSource(path));
  llvm::StringRef text = old->getBuffer();
  if (text.empty() || exporting::isOfExport({text.data(), text.size()}))
    return Status::ok();
  return invalid("'" + path +
                 "' exists, and no export made it; move it, or choose another folder by -o or "
                 "other names by --name");
}

/// Removes the array of an older export that had the executable in its sources. A build that takes
/// all sources of the folder would compile it.
Status removeArray(const std::string &folder, const std::vector<exporting::File> &files) {
  for (const exporting::File &file : files) {
    llvm::StringRef ending = llvm::sys::path::extension(file.name);
    if (ending != ".c" && ending != ".cpp")
      continue;
    std::string array =
        folder + "/" + llvm::sys::path::stem(file.name).str() + "_data" + ending.str();
    if (!llvm::sys::fs::is_regular_file(array))
      continue;
    PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> old, readSource(array));
    if (!exporting::isOfExport({old->getBufferStart(), old->getBufferSize()}))
      continue;
    if (std::error_code failure = llvm::sys::fs::remove(array))
      return Status(StatusCode::InvalidArgument,
                    "cannot remove '" + array + "': " + failure.message());
  }
  return Status::ok();
}

Status exportTo(const Arguments &arguments) {
  std::string input = arguments.positional().front(), folder = arguments.value("-o");
  std::vector<std::string> targets = arguments.values("--target");
  exporting::Plan plan;
  plan.name = arguments.value("--name", llvm::sys::path::stem(input).str());
  plan.beside = arguments.has("--beside");
  plan.language = arguments.value("--language", "c++") == "c" ? exporting::Language::C
                                                              : exporting::Language::Cpp;
  plan.line = "'pumice export " + llvm::sys::path::filename(input).str() + "'";
  CompiledInput compiled;
  bool isExecutable = llvm::StringRef(input).ends_with(".pumice");
  if (isExecutable && !targets.empty())
    return invalid("'" + input + "' is an executable, which has its targets; leave --target out");
  if (!isExecutable && targets.empty() && input != "-" && !llvm::sys::fs::exists(input))
    return invalid("there is no file '" + input + "'");
  if (!isExecutable && targets.empty())
    return invalid("'" + input +
                   "' is not an executable (.pumice), so it must be compiled: add "
                   "--target, for example --target cpu");
  if (!isExecutable) {
    PUMICE_TRY(input, compiled.compile(input, targets));
  }
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> file, readSource(input));
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(file->getBufferStart()),
                                 file->getBufferSize());
  auto files = exporting::exportFiles(std::move(plan), {bytes});
  if (!files.isOk())
    return Status(files.status()).at("'" + arguments.positional().front() + "'");
  if (std::error_code failure = llvm::sys::fs::create_directories(folder))
    return Status(StatusCode::ResourceExhausted,
                  "cannot make the folder '" + folder + "': " + failure.message());
  for (const exporting::File &one : *files)
    PUMICE_RETURN_IF_ERROR(checkReplaced(folder + "/" + one.name));
  for (const exporting::File &one : *files) {
    std::string path = folder + "/" + one.name;
    PUMICE_RETURN_IF_ERROR(writeFile(path, one.bytes));
    if (!arguments.has("--quiet"))
      llvm::outs() << path << "\n";
  }
  return arguments.has("--beside") ? removeArray(folder, *files) : Status::ok();
}

} // namespace

int tools::exportCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  if (arguments->value("-o").empty())
    return usageError(command, invalid("no folder for the files; add -o DIR"));
  std::string language = arguments->value("--language", "c++");
  if (language != "c" && language != "c++")
    return usageError(command, invalid("--language must be c or c++, got '" + language + "'"));
  Status status = exportTo(*arguments);
  return status.isOk() ? 0 : failed(command, status);
}
