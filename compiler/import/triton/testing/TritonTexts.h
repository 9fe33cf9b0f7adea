//===- TritonTexts.h - the modules of tests/triton/ttir, for tests ----------===//
#pragma once

#include "compiler/import/triton/ImportTriton.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace pumice::triton {

struct TextFile {
  std::string name; // letters and digits, as GoogleTest wants it
  bool hasLocations = false;
  bool isNewer = false; // of later versions of Triton, whose text prints in the form of 3.6.0
  std::vector<std::string> texts; // one for each module, ends of lines included
};

std::ostream &operator<<(std::ostream &out, const TextFile &file);

/// All of them, by name, but those that are there to be refused.
std::vector<TextFile> textFiles();

struct PrintForm {
  bool locations = false;
  bool generic = false;
};

/// Ends with its line, as the files' modules do.
std::string printed(mlir::ModuleOp module, PrintForm form);

/// A context, and what the last import said.
class TextImporter {
public:
  TextImporter();

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> import(llvm::StringRef text);

  /// A line each: "kernel.py:3:5: error: …", notes indented.
  const std::string &errors() const { return said; }
  void clear() { said.clear(); }

private:
  mlir::MLIRContext context;
  std::string said;
};

} // namespace pumice::triton
