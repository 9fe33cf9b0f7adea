//===- pumice-opt.cpp - runs passes of Pumice and MLIR on a file ------------===//
// The file may also be a SPIR-V binary, which is read into flat functions first
// (docs/cpu-compiler.md).
//===-------------------------------------------------------------------------===//
#include "compiler/Registration.h"
#include "compiler/import/spirv/ReadSpirv.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/source/SourceFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cstring>

namespace {

struct SpirvOptions {
  llvm::cl::opt<std::string> entryPoint{
      "spirv-entry-point", llvm::cl::desc("the one entry point of a SPIR-V binary that is read")};
  llvm::cl::list<std::string> constants{
      "spirv-constant", llvm::cl::value_desc("SpecId=bits"),
      llvm::cl::desc("the value of a SPIR-V binary's specialization constant")};
};

bool isSpirv(llvm::StringRef bytes) {
  return bytes.starts_with(llvm::StringRef("\x03\x02\x23\x07", 4)) ||
         bytes.starts_with(llvm::StringRef("\x07\x23\x02\x03", 4));
}

/// Reads the binary and runs the passes on the module directly, not on its text. MLIR's parser
/// rejects some types that its own printer writes (vectors of 16).
mlir::LogicalResult run(const llvm::MemoryBuffer &file, const SpirvOptions &given,
                        const mlir::MlirOptMainConfig &config, mlir::DialectRegistry &registry,
                        llvm::raw_ostream &out) {
  pumice::spirv_import::ReadOptions options;
  options.sourceName = file.getBufferIdentifier();
  options.entryPoint = given.entryPoint;
  for (const std::string &constant : given.constants) {
    auto [id, bits] = llvm::StringRef(constant).split('=');
    uint32_t number = 0;
    uint64_t value = 0;
    if (id.getAsInteger(0, number) || bits.getAsInteger(0, value)) {
      llvm::WithColor::error() << "--spirv-constant=" << constant << " is not SpecId=bits\n";
      return mlir::failure();
    }
    options.specialization[number] = value;
  }
  std::vector<uint32_t> words(file.getBufferSize() / sizeof(uint32_t));
  std::memcpy(words.data(), file.getBufferStart(), words.size() * sizeof(uint32_t));
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  pumice::DiagnosticPrinter diagnostics(sources, &context, llvm::errs());
  auto module = pumice::spirv_import::readSpirv(&context, words, options);
  if (mlir::failed(module))
    return mlir::failure();
  mlir::PassManager passes(&context);
  if (mlir::failed(mlir::applyPassManagerCLOptions(passes)) ||
      mlir::failed(config.setupPassPipeline(passes)) || mlir::failed(passes.run(**module)))
    return mlir::failure();
  (*module)->print(out);
  out << "\n";
  return mlir::success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  pumice::registerDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  pumice::registerPasses();
  SpirvOptions spirvOptions;
  constexpr const char *about = "Pumice: passes from GPU kernels to SPIR-V and SIMD code\n";
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, about, registry);
  bool isInput = input == "-"; // not SPIR-V; MLIR's own main reads it
  pumice::Result<std::unique_ptr<llvm::MemoryBuffer>> file =
      isInput ? llvm::MemoryBuffer::getMemBuffer("") : pumice::readSource(input);
  if (!file.isOk()) {
    llvm::WithColor::error() << file.status().message() << "\n";
    return EXIT_FAILURE;
  }
  if (!isSpirv((*file)->getBuffer()))
    return mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry));
  std::error_code error;
  llvm::ToolOutputFile out(output, error, llvm::sys::fs::OF_None);
  if (error) {
    llvm::WithColor::error() << output << ": " << error.message() << "\n";
    return EXIT_FAILURE;
  }
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (mlir::failed(run(**file, spirvOptions, config, registry, out.os())))
    return EXIT_FAILURE;
  out.keep();
  return EXIT_SUCCESS;
}
