//===- OpenClC.cpp - OpenCL C to LLVM IR by clang ---------------------------===//
#include "compiler/opencl/OpenClC.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace pumice;

namespace {

Result<std::string> findClang() {
  if (const char *named = std::getenv("PUMICE_CLANG"); named && *named) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(named);
    if (found && llvm::sys::fs::can_execute(*found)) // a path is returned as it is
      return *found;
    return Status(StatusCode::NotFound,
                  "PUMICE_CLANG names '" + std::string(named) + "', which is not a program");
  }
  for (const char *name : {"clang-22", "clang"})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return Status(StatusCode::NotFound,
                "OpenCL C needs clang, and there is none in PATH: install clang-22, or name one in "
                "PUMICE_CLANG");
}

/// A file that is deleted at the end.
class Scratch {
public:
  explicit Scratch(llvm::StringRef ending) {
    failure = llvm::sys::fs::createTemporaryFile("pumice", ending, path);
  }
  ~Scratch() {
    if (!failure)
      llvm::sys::fs::remove(path);
  }
  llvm::SmallString<128> path;
  std::error_code failure;
};

std::string contentsOf(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace

bool opencl::looksLikeOpenClC(llvm::StringRef name) { return name.ends_with(".cl"); }

/// Returns a name as a string literal of OpenCL C.
static std::string quoted(llvm::StringRef name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + "\"";
}

/// Runs clang on a file. Returns its bitcode, or what it said. Warnings go to stderr.
static Result<std::string> runClang(llvm::StringRef clang, const Scratch &input,
                                    llvm::StringRef includes, bool hasGenericPointers) {
  Scratch output("bc"), messages("txt");
  for (const Scratch *file : {&output, &messages})
    if (file->failure)
      return Status(StatusCode::ResourceExhausted,
                    "cannot make a temporary file: " + file->failure.message());
  llvm::SmallVector<llvm::StringRef> words = {clang,
                                              "--target=spirv64",
                                              "-x",
                                              "cl",
                                              "-cl-std=CL3.0",
                                              "-Xclang",
                                              "-finclude-default-header",
                                              "-O2",
                                              "-fno-jump-tables",   // tables in private memory
                                              "-gline-tables-only", // errors name lines
                                              "-emit-llvm",
                                              "-c",
                                              includes,
                                              input.path,
                                              "-o",
                                              output.path};
  if (!hasGenericPointers)
    words.append({"-Xclang", "-cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,"
                             "-__opencl_c_device_enqueue"});
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), messages.path.str(),
                                                messages.path.str()};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(clang, words, std::nullopt, redirects, 0, 0, &problem);
  std::string said = contentsOf(messages.path);
  if (status != 0)
    return Status(StatusCode::InvalidArgument,
                  said.empty() ? clang.str() + ": " + (problem.empty() ? "failed" : problem)
                               : llvm::StringRef(said).trim().str());
  llvm::errs() << said;
  std::string made = contentsOf(output.path);
  if (made.empty())
    return Status(StatusCode::InvalidArgument,
                  clang.str() + " wrote no LLVM IR; PUMICE_CLANG or PATH must lead to clang");
  return made;
}

Result<std::string> opencl::openClToLlvm(llvm::StringRef source, llvm::StringRef name) {
  PUMICE_TRY(std::string clang, findClang());
  Scratch input("cl");
  if (input.failure)
    return Status(StatusCode::ResourceExhausted,
                  "cannot make a temporary file: " + input.failure.message());
  {
    std::error_code failure;
    llvm::raw_fd_ostream out(input.path, failure);
    // Messages then have the name and the lines of the source itself.
    out << "#line 1 " << quoted(name) << "\n" << source;
    out.close();
    if (failure || out.has_error())
      return Status(StatusCode::ResourceExhausted,
                    "cannot write a temporary file: " + out.error().message());
  }
  llvm::StringRef folder = llvm::sys::path::parent_path(name);
  std::string includes = "-I" + (folder.empty() ? std::string(".") : folder.str());
  // With generic pointers, functions such as vload4 take them, and many devices have none.
  Result<std::string> made = runClang(clang, input, includes, /*hasGenericPointers=*/false);
  return made.isOk() ? std::move(made)
                     : runClang(clang, input, includes, /*hasGenericPointers=*/true);
}
