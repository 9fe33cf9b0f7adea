//===- AttachDebugLines.cpp - the source's lines as debug information -------===//
//   before: llvm.fadd … loc(callsite("f.comp":7:3 at "f.comp":12:5))
//   after:  llvm.fadd … loc(fused<#subprogram of the kernel>["f.comp":7:3])
// The code of inlined functions keeps its own lines, but gets no frames. Needs: the llvm dialect.
// If no operation has a line, nothing changes, and nothing becomes slower.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_ATTACHDEBUGLINES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;

/// Returns the innermost source location. Line 0 means that the reader found none.
static FileLineColLoc lineOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line || line.getLine() == 0)
      return WalkResult::advance();
    found = line;
    return WalkResult::interrupt();
  });
  return found;
}

static LLVM::DIFileAttr fileOf(StringAttr path) {
  StringRef text = path.getValue();
  return LLVM::DIFileAttr::get(path.getContext(), llvm::sys::path::filename(text),
                               llvm::sys::path::parent_path(text));
}

static LLVM::DISubprogramAttr describe(LLVM::LLVMFuncOp kernel, FileLineColLoc first) {
  MLIRContext *context = kernel.getContext();
  auto distinct = [&] { return DistinctAttr::create(UnitAttr::get(context)); };
  LLVM::DIFileAttr file = fileOf(first.getFilename());
  auto unit = LLVM::DICompileUnitAttr::get(
      distinct(), llvm::dwarf::DW_LANG_C99, file, StringAttr::get(context, "pumice"),
      /*isOptimized=*/true, LLVM::DIEmissionKind::LineTablesOnly);
  StringAttr name = kernel.getSymNameAttr();
  return LLVM::DISubprogramAttr::get(
      context, distinct(), unit, file, name, name, file, first.getLine(), first.getLine(),
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      LLVM::DISubroutineTypeAttr::get(context, {}), {}, {});
}

static void keepLines(LLVM::LLVMFuncOp kernel) {
  FileLineColLoc first;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    first = lineOf(op->getLoc());
    return first ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!first)
    return;
  LLVM::DISubprogramAttr subprogram = describe(kernel, first);
  kernel.getBody().walk([&](Operation *op) {
    FileLineColLoc line = lineOf(op->getLoc());
    LLVM::DIScopeAttr scope = subprogram;
    if (line && line.getFilename() != first.getFilename())
      scope = LLVM::DILexicalBlockFileAttr::get(subprogram, fileOf(line.getFilename()), 0);
    op->setLoc(line ? FusedLoc::get({line}, scope, op->getContext())
                    : Location(UnknownLoc::get(op->getContext())));
  });
  kernel->setLoc(FusedLoc::get({first}, subprogram, kernel.getContext()));
}

namespace {
struct AttachDebugLines final : pumice::cpu::impl::AttachDebugLinesBase<AttachDebugLines> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        keepLines(function);
  }
};
} // namespace
