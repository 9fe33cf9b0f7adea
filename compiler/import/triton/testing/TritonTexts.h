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
  bool isNewer = false;           // from later versions of Triton, printed in the form of 3.6.0
  std::vector<std::string> texts; // one for each module, including line ends
};

std::ostream &operator<<(std::ostream &out, const TextFile &file);

/// Returns all files by name, except for those that must be rejected.
std::vector<TextFile> textFiles();

struct PrintForm {
  bool locations = false;
  bool generic = false;
};

/// Prints the module. Each line has its end, as in the files.
std::string printed(mlir::ModuleOp module, PrintForm form);

/// A context, and the messages of the last import.
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
