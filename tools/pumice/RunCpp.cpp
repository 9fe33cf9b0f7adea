//===- RunCpp.cpp - pumice run PROGRAM.cpp ----------------------------------===//
// A program includes "NAME.hpp" for kernels in a file NAME.pumice, NAME.mlir, NAME.ttir, NAME.spv,
// NAME.cl or NAME.py next to it. The kernels are exported to a temporary folder
// (ExportCommand.cpp), and a C++ compiler of this machine compiles both.
//===-------------------------------------------------------------------------===//
#include "tools/pumice/RunCpp.h"

#include "compiler/export/CNames.h"
#include "compiler/source/SourceFile.h"
#include "tools/pumice/Commands.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

using namespace pumice;
using namespace pumice::tools;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

Status wrongUse(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

/// Returns a failure that is not one of usage.
Status failure(std::string message) { return Status(StatusCode::Unsupported, std::move(message)); }

/// A folder that disappears with this object.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    if (!folder.empty())
      fs::remove_directories(folder);
  }
  Status make() {
    if (std::error_code error = fs::createUniqueDirectory("pumice-run", folder))
      return failure("cannot make a temporary folder: " + error.message());
    return Status::ok();
  }
  std::string operator/(const std::string &name) const { return (folder + "/" + name).str(); }
  std::string str() const { return folder.str().str(); }

private:
  llvm::SmallString<128> folder;
};

/// Runs a program. Returns its exit status, or an error if it cannot be started.
Result<int> execute(const std::vector<std::string> &words) {
  llvm::outs().flush();
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::string message;
  int status = llvm::sys::ExecuteAndWait(words[0], arguments, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return failure("'" + words[0] + "': " + message);
  return status;
}

Result<std::string> programNamed(const std::string &name, const std::string &wayOut) {
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  return failure("there is no program '" + name + "'; " + wayOut);
}

/// Returns the command of the C++ compiler: what --compiler or CXX names, or the first that exists.
/// CXX may have arguments, as in "ccache g++".
Result<std::vector<std::string>> findCompiler(const Arguments &arguments) {
  std::string wayOut = "name a C++ compiler by --compiler or CXX, or install one (on Debian: apt "
                       "install g++)";
  if (arguments.has("--compiler")) {
    PUMICE_TRY(std::string found, programNamed(arguments.value("--compiler"), wayOut));
    return std::vector{found};
  }
  llvm::SmallVector<llvm::StringRef> words;
  if (const char *named = std::getenv("CXX"))
    llvm::SplitString(named, words);
  if (!words.empty()) {
    std::vector<std::string> command(words.begin(), words.end());
    PUMICE_TRY(command[0], programNamed(command[0], wayOut));
    return command;
  }
  for (const char *name : {"clang++", "g++", "c++"})
    if (auto found = llvm::sys::findProgramByName(name))
      return std::vector{*found};
  return failure("found none of the C++ compilers clang++, g++ and c++; " + wayOut);
}

struct Library {
  std::string includes, file, folder;
};

/// Finds the headers and the library of this installation, or of the folder where it was built.
Result<Library> findLibrary() {
  llvm::SmallString<128> here(fs::getMainExecutable(nullptr, nullptr));
  path::remove_filename(here);
  Library found;
  for (const char *folder : {"/../include", "/../../include"})
    if (found.includes.empty() && fs::exists(here + folder + "/pumice/pumice.hpp"))
      found.includes = (here + folder).str();
  for (const char *folder : {"/../lib", "/../lib64"})
    if (found.file.empty() && fs::exists(here + folder + "/libpumice.so")) {
      found.folder = (here + folder).str();
      found.file = found.folder + "/libpumice.so";
    }
  if (found.includes.empty() || found.file.empty())
    return failure("the headers or libpumice.so are missing around '" + here.str().str() +
                   "'; install both components, runtime and compiler, to one prefix");
  return found;
}

/// Exports the kernels of a file for the device that the program runs on. A Python file does that
/// itself: it is called with the folder and the target.
Status exportKernels(const std::string &file, const std::string &name, const std::string &device,
                     const ScratchFolder &scratch) {
  std::string target = device.empty() ? "device" : "device:" + device;
  if (llvm::StringRef(file).ends_with(".py")) {
    const char *named = std::getenv("PUMICE_PYTHON");
    PUMICE_TRY(std::string python, programNamed(named && *named ? named : "python3",
                                                "PUMICE_PYTHON names a Python that has Triton"));
    PUMICE_TRY(int status, execute({python, file, scratch.str(), target}));
    if (status)
      return failure("'" + file + "' ended with status " + std::to_string(status) +
                     "; it must call pumice.export with the folder in sys.argv[1]");
    if (!fs::exists(scratch / (name + ".hpp")))
      return failure("'" + file + "' wrote no '" + name +
                     ".hpp'; it must call pumice.export with the folder in sys.argv[1], in C++, "
                     "and a kernel or name '" +
                     name + "'");
    return Status::ok();
  }
  std::string made = exporting::CNames(true).take(name); // of the files and the namespace
  if (fs::exists(scratch / (made + ".hpp")))
    return failure("the kernels of '" + file + "' and of another file would both be '" + made +
                   "'; name one of them by --kernels NAME=FILE");
  std::vector<std::string> words{"export", file, "-o", scratch.str(), "--name", name, "--quiet"};
  if (!llvm::StringRef(file).ends_with(".pumice")) {
    words.push_back("--target");
    words.push_back(target);
  }
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  if (exportCommand(static_cast<int>(arguments.size()), arguments.data()))
    return failure("the kernels of '" + file + "' could not be exported");
  if (made != name) { // "my-kernel.hpp" is what the program includes
    std::error_code error;
    llvm::raw_fd_ostream out(scratch / (name + ".hpp"), error);
    if (error)
      return failure("cannot write '" + name + ".hpp': " + error.message());
    out << "#include \"" << made << ".hpp\"\n";
  }
  return Status::ok();
}

/// Returns the names of the files NAME.hpp that a program includes without a folder.
std::vector<std::string> includedHeaders(llvm::StringRef source) {
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef> lines;
  source.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    for (const char *word : {"#", "include", "\""})
      if (line = line.ltrim(" \t"); !line.consume_front(word)) {
        line = {};
        break;
      }
    auto [name, rest] = line.split('"');
    if (name.size() < line.size() && name.consume_back(".hpp") && !name.empty() &&
        !name.contains('/'))
      names.push_back(name.str());
  }
  return names;
}

/// The files of kernels by the names under which a program includes them, and the names of headers
/// for which there is no file.
struct KernelFiles {
  std::map<std::string, std::string> found;
  std::vector<std::string> missing;
};

Result<KernelFiles> kernelFiles(const Arguments &arguments, const std::string &program,
                                llvm::StringRef source) {
  KernelFiles files;
  for (const std::string &given : arguments.values("--kernels")) {
    size_t equals = given.find('=');
    std::string file = equals == std::string::npos ? given : given.substr(equals + 1);
    std::string name =
        equals == std::string::npos ? path::stem(file).str() : given.substr(0, equals);
    if (!fs::exists(file))
      return failure("--kernels: there is no file '" + file + "'");
    files.found[name] = file;
  }
  llvm::SmallString<128> folder(program);
  path::remove_filename(folder);
  for (const std::string &name : includedHeaders(source)) {
    auto beside = [&](const std::string &ending) {
      llvm::SmallString<128> full(folder);
      path::append(full, name + ending);
      return full.str().str();
    };
    if (files.found.contains(name) || fs::exists(beside(".hpp")))
      continue;
    for (const char *ending : {".pumice", ".mlir", ".ttir", ".spv", ".cl", ".py"})
      if (!files.found.contains(name) && fs::exists(beside(ending)))
        files.found[name] = beside(ending);
    if (!files.found.contains(name))
      files.missing.push_back(name);
  }
  return files;
}

/// Returns the advice for a program that includes headers without a file of kernels. The compiler
/// may find them elsewhere, so this is only said if it fails.
std::string adviceOn(const std::vector<std::string> &missing, const std::string &program) {
  if (missing.empty())
    return {};
  const std::string &name = missing.front();
  return "; '" + program + "' includes \"" + name + ".hpp\", but there is neither that file nor " +
         name +
         ".pumice, .mlir, .ttir, .spv, .cl or .py next to it; name the kernels' file by "
         "--kernels " +
         name + "=FILE";
}

Result<int> compileAndRun(const Arguments &arguments) {
  const std::string &program = arguments.positional().front();
  std::string device = arguments.value("--device");
  PUMICE_TRY(std::vector<std::string> words, findCompiler(arguments));
  std::string compiler = words[0];
  PUMICE_TRY(Library library, findLibrary());
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> source, readSource(program));
  PUMICE_TRY(KernelFiles files, kernelFiles(arguments, program, source->getBuffer()));
  ScratchFolder scratch;
  PUMICE_RETURN_IF_ERROR(scratch.make());
  if (!device.empty())
    setenv("PUMICE_DEVICE", device.c_str(), 1);
  for (const auto &[name, file] : files.found)
    PUMICE_RETURN_IF_ERROR(exportKernels(file, name, device, scratch));

  std::string level = arguments.value("-O", "2");
  words.insert(words.end(), {"-std=c++17", "-O" + level, "-Wall", "-I" + library.includes,
                             "-I" + scratch.str(), program});
  std::error_code error;
  for (fs::directory_iterator it(scratch.str(), error), end; it != end && !error;
       it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(".cpp"))
      words.push_back(it->path());
  words.insert(words.end(),
               {"-o", scratch / "program", library.file, "-Wl,-rpath," + library.folder});
  PUMICE_TRY(int compiled, execute(words));
  if (compiled)
    return failure("'" + compiler + "' could not compile '" + program + "' (status " +
                   std::to_string(compiled) + ")" + adviceOn(files.missing, program));
  if (!fs::exists(scratch / "program"))
    return failure("'" + compiler + "' reported success, but wrote no program; name another one");
  words = {scratch / "program"};
  words.insert(words.end(), arguments.positional().begin() + 1, arguments.positional().end());
  return execute(words);
}

} // namespace

bool tools::isCppSource(const std::string &file) {
  llvm::StringRef ending = path::extension(file);
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

Result<int> tools::runCpp(const Arguments &arguments) {
  for (const char *other : {"--entry", "--library", "--separate-memory", "--stats", "--index-bits",
                            "--addressing", "--repeat", "--profile", "--trace", "--check", "--dump",
                            "--print-bytes", "--no-validate", "--skip-unsupported"})
    if (arguments.has(other))
      return wrongUse(std::string(other) +
                      " is not for programs in C++; they call the C API for it");
  std::string level = arguments.value("-O", "2");
  if (level.size() != 1 || level[0] < '0' || level[0] > '3')
    return wrongUse("-O must be a level from 0 to 3, got '" + level + "'");
  Result<int> status = compileAndRun(arguments);
  if (status.isOk())
    return status;
  std::fprintf(stderr, "pumice run: error: %s\n", status.status().message().c_str());
  return 2;
}
