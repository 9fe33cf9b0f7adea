//===- Program.h - host code, and the kernels that it launches --------------===//
// A program is one MLIR file with host code. Its kernels are gpu.modules, bodies of gpu.launch and
// spirv.modules in it, or they come from other files. Each launch is matched with its kernel before
// the program is verified, so nothing needs to be declared twice.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Compile.h"
#include "executable/SpirvReflection.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace llvm {
class SourceMgr;
}

namespace pumice::host {

/// A file of kernels: MLIR, .pumice or .spv. The contents decide which one it is.
struct KernelFile {
  std::string path;
  std::string name;     // the name that may qualify it in launches: @name::@module::@kernel
  bool isNamed = false; // the caller gave the name; otherwise it comes from the path
};

/// Parses "NAME=FILE" or "FILE". The name of the latter is the file's name without folder and
/// extension.
KernelFile parseKernelFile(std::string_view text);

/// One kernel that the program launches, as code for the target.
struct Kernel {
  std::string symbol; // the name in its first launch: "@kernels::@add"
  std::string origin; // the file that it comes from
  // For kernels from a gpu.module or a .pumice file.
  std::shared_ptr<const executable::Executable> executable;
  std::string entryPoint;
  // For kernels from a spirv.module or a .spv file. The kernel is one of its entry points.
  std::shared_ptr<const std::vector<uint8_t>> spirv;
  std::shared_ptr<const executable::SpirvModule> reflection;

  /// Return the entry point in `executable`, or in `reflection`.
  const executable::EntryPoint *packaged() const;
  const executable::SpirvEntryPoint *bare() const;
};

class Program {
public:
  /// Parses the program, matches launches with kernels, verifies, and outlines. `sources` holds the
  /// program as its main buffer. Reports invalid IR at its location, and returns InvalidArgument.
  static Result<Program> load(mlir::MLIRContext *context, llvm::SourceMgr &sources,
                              const std::string &name, const std::vector<KernelFile> &files);

  /// Returns the host code. Its launches carry the numbers of their kernels.
  mlir::ModuleOp host() const { return *hostModule; }
  /// Returns the modules to compile, with the names of their files. Each file that has such kernels
  /// has one module.
  std::vector<std::pair<std::string, mlir::ModuleOp>> sourceModules() const;

  /// Compiles the kernels for one target. They are in the order of their numbers.
  Result<std::vector<Kernel>> compileKernels(const target::TargetEnv &target,
                                             const CompileOptions &options);

private:
  /// A file that kernels come from. Each dialect of its MLIR kernels has a separate origin.
  struct Origin {
    std::string name, path;
    mlir::OwningOpRef<mlir::ModuleOp> gpu, spirv;
    std::shared_ptr<const executable::Executable> executable;
    std::shared_ptr<const std::vector<uint8_t>> binary;
    std::shared_ptr<const executable::SpirvModule> reflection;
  };
  struct Candidate {
    size_t origin = 0;
    // The enclosing modules: "outer::kernels". It is empty if the file does not name them.
    std::string module;
    std::string name;
    bool isSpirv = false; // text of the spirv dialect
  };
  struct Launched {
    Candidate candidate;
    std::string symbol;
  };

  Status addFile(mlir::MLIRContext *context, const KernelFile &file);
  void addCandidates(size_t origin, mlir::ModuleOp module);
  mlir::LogicalResult resolveLaunches();
  int fit(const Candidate &candidate, llvm::ArrayRef<llvm::StringRef> path) const;
  std::vector<const Candidate *> matches(llvm::ArrayRef<llvm::StringRef> path) const;
  std::string waysOut(llvm::ArrayRef<const Candidate *> found) const;
  mlir::FailureOr<const Candidate *> resolve(mlir::Operation *launch, mlir::SymbolRefAttr symbol);
  size_t numberOf(const Candidate &candidate, mlir::SymbolRefAttr symbol);
  mlir::LogicalResult outline();
  void takeKernelsOut();
  mlir::FailureOr<Kernel> compileSpirv(const Launched &launched, const target::TargetEnv &target);
  std::vector<llvm::StringRef> pathOf(const Candidate &candidate) const;

  mlir::OwningOpRef<mlir::ModuleOp> hostModule;
  std::vector<Origin> origins; // the first is the program itself
  std::vector<Candidate> candidates;
  std::vector<Launched> launched;
};

} // namespace pumice::host
