//===- ImportTriton.cpp - a Triton kernel's text as a module ----------------===//
#include "compiler/import/triton/ImportTriton.h"

#include "compiler/dialect/triton/Barrier.h"
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/CheckKernels.h"
#include "compiler/import/triton/ForeignNames.h"
#include "compiler/import/triton/PythonLines.h"
#include "compiler/import/triton/ValueNames.h"
#include "compiler/source/SourceText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;

void triton::registerTritonDialect(DialectRegistry &registry) {
  registry.insert<TritonDialect, TritonGpuDialect>();
}

namespace {

/// Imports one module of text.
class Import {
public:
  Import(MLIRContext *context, StringRef text, StringRef name)
      : context(context), text(text), name(name) {}

  FailureOr<OwningOpRef<ModuleOp>> run();

private:
  LogicalResult checkText();
  OwningOpRef<ModuleOp> parse();
  /// Reports an error at the Python line, if that is known, and adds a note with the position in
  /// the text.
  LogicalResult fail(size_t line, size_t column, const Twine &message);
  void repeat(Diagnostic &diagnostic);

  MLIRContext *context;
  StringRef text, name;
};

/// Returns the error for an unsupported operation or attribute, including what to do instead.
std::string explain(StringRef name) {
  constexpr StringLiteral laterStages[] = {"ttg",  "ttng",   "nvgpu", "nvws", "nvvm",
                                           "amdg", "amdgpu", "rocdl", "gluon"};
  StringRef wayOut = "docs/triton-ir.md lists what a kernel may hold";
  if (llvm::is_contained(laterStages, name.ltrim("#!").split('.').first))
    wayOut = "it belongs to one kind of GPU and to stages after TTIR; give Pumice the TTIR of a "
             "kernel in plain triton.language";
  else if (name == "tt.make_tensor_ptr" || name == "tt.advance")
    wayOut = "block pointers must be removed by Triton's pass rewrite_tensor_pointer: run it first";
  return ("unsupported '" + name + "': " + wayOut).str();
}

LogicalResult Import::fail(size_t line, size_t column, const Twine &message) {
  Location place = FileLineColLoc::get(context, name, static_cast<unsigned>(line),
                                       static_cast<unsigned>(column));
  std::optional<Location> python = findPythonLine(context, text, line);
  InFlightDiagnostic error = emitError(python.value_or(place)) << message;
  if (python)
    error.attachNote(place) << "in the kernel's TTIR";
  return error;
}

LogicalResult Import::checkText() {
  if (text.starts_with("ML\xefR"))
    return emitError(FileLineColLoc::get(context, name, 1, 1))
           << "the source is MLIR bytecode; give the text that str() of a Triton module gives";
  if (auto problem = findTextProblem(text))
    return fail(problem->line, problem->column, problem->what);
  if (auto foreign = findForeignName(text))
    return fail(foreign->line, foreign->column, explain(foreign->name));
  return success();
}

/// Reports an error of the parser or the verifier again, in our form. Errors of the parser have
/// positions in the text, and errors of the verifier have the locations of operations.
void Import::repeat(Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (place && place.getFilename() == name) {
    std::string message = diagnostic.str();
    StringRef operation = message;
    bool unknown = operation.consume_front("custom op '") && operation.contains("' is unknown");
    (void)fail(place.getLine(), place.getColumn(),
               unknown ? explain(operation.split('\'').first) : message);
    return;
  }
  InFlightDiagnostic error = emitError(diagnostic.getLocation()) << diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    error.attachNote(note.getLocation()) << note.str();
}

OwningOpRef<ModuleOp> Import::parse() {
  // The text is copied, because MLIR's parser requires a terminating zero.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  AsmParserState state;
  Block parsed;
  std::vector<Diagnostic> errors;
  LogicalResult read = failure();
  {
    ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(std::move(diagnostic));
      return success();
    });
    read = parseAsmSourceFile(sources, &parsed, ParserConfig(context), &state);
  }
  for (Diagnostic &error : errors)
    repeat(error);
  if (failed(read))
    return {};
  if (!llvm::hasSingleElement(parsed) || !isa<ModuleOp>(parsed.front())) {
    emitError(FileLineColLoc::get(context, name, 1, 1))
        << "is not a Triton kernel: expected the text of one module";
    return {};
  }
  auto module = cast<ModuleOp>(parsed.front());
  module->remove();
  keepValueNames(module, state, name);
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> Import::run() {
  if (failed(checkText()))
    return failure();
  OwningOpRef<ModuleOp> module = parse();
  if (!module || failed(checkKernels(*module)))
    return failure();
  return module;
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> triton::importTriton(MLIRContext *context, StringRef text,
                                                      StringRef sourceName) {
  return Import(context, text, sourceName).run();
}

bool triton::looksLikeTriton(StringRef text) { return text.contains("tt.func "); }

bool triton::holdsTriton(ModuleOp module) { return !module.getOps<FuncOp>().empty(); }
