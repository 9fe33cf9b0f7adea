//===- TritonTexts.cpp - the modules of tests/triton/ttir, for tests --------===//
#include "compiler/import/triton/testing/TritonTexts.h"

#include "compiler/Registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace mlir;
using namespace pumice::triton;

std::ostream &pumice::triton::operator<<(std::ostream &out, const TextFile &file) {
  return out << file.name;
}

static std::vector<std::string> modulesOf(StringRef text) {
  std::vector<std::string> modules;
  SmallVector<StringRef> parts;
  text.split(parts, "// -----");
  for (StringRef part : parts)
    modules.push_back(part.trim().str() + "\n");
  return modules;
}

std::vector<TextFile> pumice::triton::textFiles() {
  std::vector<TextFile> files;
  std::filesystem::path folder = PUMICE_SOURCE_DIR "/tests/triton/ttir";
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".ttir" || path.parent_path().filename() == "refused")
      continue;
    TextFile file{.name = path.lexically_relative(folder).replace_extension().string()};
    file.isNewer = path.parent_path().filename() == "newer";
    file.hasLocations = StringRef(file.name).ends_with(".locations");
    std::replace_if(
        file.name.begin(), file.name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    file.texts = modulesOf(text);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const TextFile &a, const TextFile &b) { return a.name < b.name; });
  return files;
}

std::string pumice::triton::printed(ModuleOp module, PrintForm form) {
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix().enableDebugInfo(form.locations, /*prettyForm=*/false);
  if (form.generic)
    flags.printGenericOpForm();
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, flags);
  return StringRef(text).rtrim().str() + "\n";
}

static const DialectRegistry &dialects() {
  static const DialectRegistry *registry = [] {
    auto *made = new DialectRegistry;
    pumice::registerDialects(*made);
    return made;
  }();
  return *registry;
}

static std::string placeOf(Location location) {
  std::string place = "?";
  location->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line)
      return WalkResult::advance();
    place = (line.getFilename().getValue() + ":" + Twine(line.getLine()) + ":" +
             Twine(line.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

TextImporter::TextImporter() : context(dialects(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    said += placeOf(diagnostic.getLocation()) + ": error: " + diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      said += "  " + placeOf(note.getLocation()) + ": note: " + note.str() + "\n";
    return success();
  });
}

FailureOr<OwningOpRef<ModuleOp>> TextImporter::import(StringRef text) {
  said.clear();
  return importTriton(&context, text, "kernel.ttir");
}
