//===- TritonTexts.h - the modules of tests/triton/ttir, for tests ----------===//
#pragma once

#include "compiler/import/triton/ImportTriton.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace pumice::triton {

struct TextFile {
  std::string name; // letters and digits, as GoogleTest requires
  bool hasLocations = false;
  bool isNewer = false;           // made by a later version of Triton than 3.6.0
  std::vector<std::string> texts; // one text per module, with line ends
};

std::ostream &operator<<(std::ostream &out, const TextFile &file);

/// Returns all files that must be accepted, sorted by name.
std::vector<TextFile> textFiles();

struct PrintForm {
  bool locations = false;
  bool generic = false;
};

/// Prints the module with a line end after each line, as in the files.
std::string printed(mlir::ModuleOp module, PrintForm form);

/// A context for imports. It keeps the messages of the last import.
class TextImporter {
public:
  TextImporter();

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> import(llvm::StringRef text);

  /// Returns one line per message, such as "kernel.py:3:5: error: …". Notes are indented.
  const std::string &errors() const { return said; }
  void clear() { said.clear(); }

private:
  mlir::MLIRContext context;
  std::string said;
};

} // namespace pumice::triton
