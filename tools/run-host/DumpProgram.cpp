//===- DumpProgram.cpp - every stage of a program as files ------------------===//
#include "tools/run-host/DumpProgram.h"

#include "tools/run/Files.h"
#include "tools/run/SpirvTools.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace pumice;
using namespace pumice::run;

Status DumpProgram::text(const std::string &name, llvm::StringRef contents) {
  if (!wanted())
    return Status::ok();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Status(StatusCode::InvalidArgument,
                  "cannot make the folder '" + folder + "': " + error.message());
  return writeFile(inFolder(folder, name),
                   {reinterpret_cast<const uint8_t *>(contents.data()), contents.size()});
}

Status DumpProgram::module(const std::string &name, mlir::ModuleOp module) {
  if (!wanted())
    return Status::ok();
  std::string contents;
  llvm::raw_string_ostream(contents) << module;
  return text(name, contents);
}

/// Returns a file's name for an entry point: "kernels.add" for "kernels::add".
static std::string fileName(std::string name) {
  for (size_t at; (at = name.find("::")) != std::string::npos;)
    name.replace(at, 2, ".");
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '.' && c != '-' && c != '_')
      c = '_';
  return name;
}

Status DumpProgram::code(const std::string &name, std::span<const uint8_t> spirv) {
  PUMICE_RETURN_IF_ERROR(
      text(name + ".spv", {reinterpret_cast<const char *>(spirv.data()), spirv.size()}));
  Result<std::string> assembly = disassemble(spirv);
  // The disassembler may be too old for the module. The .spv file holds the module in any case.
  return text(name + ".spvasm",
              assembly.isOk() ? *assembly : "; " + assembly.status().message() + "\n");
}

Status DumpProgram::kernels(const std::vector<host::Kernel> &kernels) {
  if (!wanted())
    return Status::ok();
  FileNames names, executables;
  std::map<const executable::Executable *, std::string> written; // the names of written ones
  for (const host::Kernel &kernel : kernels) {
    if (kernel.spirv) {
      PUMICE_RETURN_IF_ERROR(code(names.take(fileName(kernel.symbol)), *kernel.spirv));
      continue;
    }
    auto [entry, isNew] = written.try_emplace(kernel.executable.get());
    std::string &origin = entry->second;
    if (isNew) {
      origin = executables.take(llvm::sys::path::stem(kernel.origin).str());
      PUMICE_TRY(std::vector<uint8_t> bytes, executable::write(*kernel.executable));
      PUMICE_RETURN_IF_ERROR(
          text(origin + ".pumice", {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
    }
    for (const executable::Variant &variant : kernel.executable->variants)
      for (const executable::Interface &interface : variant.interfaces)
        if (interface.entryPoint == kernel.entryPoint &&
            variant.kind == executable::VariantKind::VulkanSpirv)
          PUMICE_RETURN_IF_ERROR(
              code(names.take(origin + "." + fileName(interface.entryPoint)), variant.code));
  }
  return Status::ok();
}
