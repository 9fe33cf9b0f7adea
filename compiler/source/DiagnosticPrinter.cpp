//===- DiagnosticPrinter.cpp - prints diagnostics with their source lines ---===//
#include "compiler/source/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace pumice;

static llvm::SourceMgr::DiagKind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return llvm::SourceMgr::DK_Note;
  case DiagnosticSeverity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case DiagnosticSeverity::Error:
    return llvm::SourceMgr::DK_Error;
  case DiagnosticSeverity::Remark:
    return llvm::SourceMgr::DK_Remark;
  }
  llvm_unreachable("every severity has a kind");
}

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources, MLIRContext *context,
                                     llvm::raw_ostream &out)
    : SourceMgrDiagnosticHandler(sources, context, out) {
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!place || place.getLine() != 0)
    return emitDiagnostic(diagnostic);
  llvm::SMDiagnostic(place.getFilename().getValue(), kindOf(diagnostic.getSeverity()),
                     diagnostic.str())
      .print(nullptr, os);
  for (Diagnostic &note : diagnostic.getNotes())
    emitDiagnostic(note.getLocation(), note.str(), note.getSeverity());
}
