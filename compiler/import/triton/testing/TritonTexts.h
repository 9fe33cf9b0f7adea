//===- TritonTexts.h - the modules of tests/triton/ttir, for tests ----------===//
#pragma once

#include "compiler/import/triton/ImportTriton.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace pumice::triton {

struct TextFile {
  std::string name; // letters and digits only, as GoogleTest requires
  bool hasLocations = false;
  bool isNewer = false;           // made by a version of Triton after 3.6.0
  std::vector<std::string> texts; // one for each module, including line ends
};

std::ostream &operator<<(std::ostream &out, const TextFile &file);

/// Returns all files, sorted by name, except for those that must be rejected.
std::vector<TextFile> textFiles();

struct PrintForm {
  bool locations = false;
  bool generic = false;
};

/// Prints the module with a line end after each line, as in the files.
std::string printed(mlir::ModuleOp module, PrintForm form);

/// Holds a context, and the messages of the last import.
class TextImporter {
public:
  TextImporter();

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> import(llvm::StringRef text);

  /// Returns one line for each message: "kernel.py:3:5: error: …". Notes are indented.
  const std::string &errors() const { return said; }
  void clear() { said.clear(); }

private:
  mlir::MLIRContext context;
  std::string said;
};

} // namespace pumice::triton
