//===- Program.cpp - host code, and the kernels that it launches ------------===//
#include "compiler/host/Program.h"

#include "compiler/host/HostSites.h"
#include "compiler/lower/Passes.h"
#include "compiler/package/ImportSpirv.h"
#include "compiler/source/FlattenModules.h"
#include "compiler/source/ParseText.h"
#include "compiler/source/SourceFile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <numeric>

using namespace mlir;
using namespace pumice;
using namespace pumice::host;

/// Returns an error whose reason MLIR has already printed, with the place in the source.
static Status diagnosed() {
  return Status(StatusCode::InvalidArgument, "the program is not well formed");
}

/// Marks a gpu.module that declares a kernel from another file, so that its launches verify.
static constexpr llvm::StringLiteral declarationAttrName = "pumice.declaration";

KernelFile host::parseKernelFile(std::string_view text) {
  size_t equals = text.find('=');
  if (equals != std::string_view::npos && text.find('/') > equals)
    return {std::string(text.substr(equals + 1)), std::string(text.substr(0, equals)), true};
  size_t slash = text.rfind('/');
  std::string_view base = slash == std::string_view::npos ? text : text.substr(slash + 1);
  return {std::string(text), std::string(base.substr(0, base.rfind('.')))};
}

//===-------------------------------------------------------------------------===//
// Files
//===-------------------------------------------------------------------------===//

/// Checks the names of files. A name that the user gave must be unique. Names that come from paths
/// may be equal. They matter only if a launch names a kernel that several of these files contain.
/// The error then advises the user to give a file another name.
static Status checkNames(const std::vector<KernelFile> &files) {
  for (const KernelFile &file : files)
    for (const KernelFile &other : files)
      if (&other != &file && file.isNamed && other.name == file.name)
        return Status(StatusCode::InvalidArgument, "--kernels: two files are called '" + file.name +
                                                       "', '" + file.path + "' and '" + other.path +
                                                       "'; give one another name: NAME=FILE");
  return Status::ok();
}

/// Moves the kernels of `from` into separate modules. Declarations remain.
static void takeOut(ModuleOp from, OwningOpRef<ModuleOp> &gpu, OwningOpRef<ModuleOp> &spirv) {
  gpu = ModuleOp::create(from.getLoc());
  spirv = ModuleOp::create(from.getLoc());
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    if (isa<gpu::GPUModuleOp>(op) && !op.hasAttr(declarationAttrName))
      op.moveBefore(gpu->getBody(), gpu->getBody()->end());
    else if (isa<mlir::spirv::ModuleOp>(op))
      op.moveBefore(spirv->getBody(), spirv->getBody()->end());
  }
}

/// Removes everything except modules of kernels and the modules around them.
static void dropHostCode(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto inner = dyn_cast<ModuleOp>(op);
    if (inner && inner->getNumRegions() == 1 && inner->getRegion(0).hasOneBlock()) {
      dropHostCode(inner);
    } else if (!inner && !isa<gpu::GPUModuleOp, mlir::spirv::ModuleOp>(op)) {
      op.dropAllUses();
      op.erase();
    }
  }
}

Status Program::addFile(MLIRContext *context, const KernelFile &file) {
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(file.path));
  StringRef text = buffer->getBuffer();
  if (text.trim().empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + file.path +
                      "' is empty; it must hold kernels: MLIR text, SPIR-V, or an executable");
  std::span bytes(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  size_t index = origins.size();
  Origin origin;
  origin.name = file.name;
  origin.path = file.path;
  if (text.size() >= 12 && text.substr(8, 4) == "PUMX") {
    Result<executable::Executable> contents = executable::read(bytes);
    if (!contents.isOk())
      return Status(contents.status()).at(file.path);
    for (const executable::EntryPoint &entry : contents->entryPoints) {
      auto [module, name] = StringRef(entry.name).rsplit("::");
      bool qualified = !name.empty();
      candidates.push_back(
          {index, qualified ? module.str() : "", qualified ? name.str() : entry.name});
    }
    origin.executable = std::make_shared<executable::Executable>(std::move(*contents));
  } else if (package::looksLikeSpirv(text)) {
    PUMICE_TRY(executable::SpirvModule module,
               executable::reflectSpirv(bytes, executable::FieldPath::input(file.path)));
    for (const executable::SpirvEntryPoint &entry : module.entryPoints)
      candidates.push_back({index, "", entry.name});
    origin.binary = std::make_shared<std::vector<uint8_t>>(bytes.begin(), bytes.end());
    origin.reflection = std::make_shared<executable::SpirvModule>(std::move(module));
  } else if (text.starts_with("ML\xefR")) { // MLIR's bytecode reader crashes on damaged files
    return Status(StatusCode::Unsupported,
                  "'" + file.path + "' is MLIR bytecode; give its text, which mlir-opt prints");
  } else {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    // The file may be a program. Its launches can be verified only after they are resolved.
    ParserConfig unverified(context, /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> module = parseText(sources, unverified);
    if (!module)
      return diagnosed();
    dropHostCode(*module);
    if (failed(verify(*module)) || failed(flattenModules(*module)))
      return diagnosed();
    addCandidates(index, *module);
    takeOut(*module, origin.gpu, origin.spirv);
  }
  origins.push_back(std::move(origin));
  return Status::ok();
}

/// Adds the entry points of a module in MLIR's text. The module may be unverified.
void Program::addCandidates(size_t origin, ModuleOp module) {
  auto add = [&](StringRef module, StringRef name, bool isSpirv) {
    candidates.push_back({origin, module.str(), name.str(), isSpirv});
  };
  for (Operation &op : *module.getBody()) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name || op.getNumRegions() != 1 || op.getRegion(0).empty())
      continue;
    for (Operation &inner : op.getRegion(0).front()) {
      auto symbol = inner.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (isa<gpu::GPUModuleOp>(op) && symbol &&
          inner.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        add(name, symbol, false);
      if (!isa<mlir::spirv::ModuleOp>(op))
        continue;
      if (auto entry = dyn_cast<mlir::spirv::EntryPointOp>(inner); entry && entry.getFnAttr())
        add(name, entry.getFn(), true);
      else if (symbol && inner.hasAttr(mlir::spirv::getEntryPointABIAttrName()))
        add(name, symbol, true); // finishing the module will make it an entry point
    }
  }
}

//===-------------------------------------------------------------------------===//
// Launches
//===-------------------------------------------------------------------------===//

/// Returns the file, the enclosing modules, and the kernel. This path selects the kernel without
/// ambiguity, unless several files have the same name.
std::vector<StringRef> Program::pathOf(const Candidate &candidate) const {
  std::vector<StringRef> path{origins[candidate.origin].name};
  for (StringRef rest = candidate.module; !rest.empty();) {
    auto [module, inner] = rest.split("::");
    path.push_back(module);
    rest = inner;
  }
  path.push_back(candidate.name);
  return path;
}

/// Returns a path as text: "@file::@module::@kernel".
static std::string symbolText(ArrayRef<StringRef> path) { return "@" + llvm::join(path, "::@"); }

/// Returns how well `candidate` matches `path`. The result is 3 if the candidate is in the program
/// itself, and 2 if it is in a file that names the kernel's module. It is 1 if it is in a file that
/// does not name the module, and 0 if it does not match.
int Program::fit(const Candidate &candidate, ArrayRef<StringRef> path) const {
  if (path.back() != candidate.name)
    return 0;
  const std::string &file = origins[candidate.origin].name;
  int exact = candidate.origin == 0 ? 3 : 2;
  if (path.size() == 1)
    return 1;
  ArrayRef<StringRef> modules = path.drop_back();
  if (candidate.module.empty()) {
    if (modules.front() == file && modules.size() <= 2)
      return exact;
    return modules.size() == 1 ? 1 : 0;
  }
  if (llvm::join(modules, "::") == candidate.module)
    return exact;
  return modules.front() == file && llvm::join(modules.drop_front(), "::") == candidate.module
             ? exact
             : 0;
}

/// Returns all candidates that match best.
std::vector<const Program::Candidate *> Program::matches(ArrayRef<StringRef> path) const {
  std::vector<const Candidate *> found;
  int best = 1;
  for (const Candidate &candidate : candidates) {
    int fits = fit(candidate, path);
    if (fits > best) {
      found.clear();
      best = fits;
    }
    if (fits == best)
      found.push_back(&candidate);
  }
  return found;
}

/// Returns advice on how a launch can select each of `found`. A candidate is selected by its whole
/// name, or by another name for its file if the whole name is ambiguous.
std::string Program::waysOut(ArrayRef<const Candidate *> found) const {
  std::string names, renaming;
  for (const Candidate *candidate : found) {
    std::vector<StringRef> path = pathOf(*candidate);
    if (matches(path).size() == 1) {
      names += (names.empty() ? "" : ", ") + symbolText(path);
      continue;
    }
    path.front() = "NAME";
    renaming = "give a file another name: with --kernels NAME=" + origins[candidate->origin].path +
               " launch " + symbolText(path);
  }
  if (names.empty() || renaming.empty())
    return names.empty() ? renaming : "launch one of " + names;
  return "launch one of " + names + ", or " + renaming;
}

FailureOr<const Program::Candidate *> Program::resolve(Operation *launch, SymbolRefAttr symbol) {
  SmallVector<StringRef> path{symbol.getRootReference().getValue()};
  for (FlatSymbolRefAttr nested : symbol.getNestedReferences())
    path.push_back(nested.getValue());
  std::vector<const Candidate *> found = matches(path);
  if (found.size() == 1)
    return found.front();
  if (!found.empty()) {
    launch->emitError() << "several kernels are called " << symbol << "; " << waysOut(found);
    return failure();
  }
  std::string names;
  for (const Candidate &candidate : candidates)
    names += (names.empty() ? "" : ", ") + symbolText(pathOf(candidate));
  launch->emitError() << "no kernel " << symbol << " in the program or in a file of --kernels; "
                      << (names.empty() ? "there is none at all" : "there are: " + names);
  return failure();
}

size_t Program::numberOf(const Candidate &candidate, SymbolRefAttr symbol) {
  for (size_t i = 0; i < launched.size(); ++i)
    if (launched[i].candidate.origin == candidate.origin &&
        launched[i].candidate.module == candidate.module &&
        launched[i].candidate.name == candidate.name)
      return i;
  std::string text;
  llvm::raw_string_ostream(text) << symbol;
  launched.push_back({candidate, text});
  return launched.size() - 1;
}

/// Declares the kernel of a launch that comes from another file. Upstream verifies the launch
/// against this declaration.
static SymbolRefAttr declare(gpu::LaunchFuncOp launch, SymbolTable &symbols, StringRef name) {
  auto host = cast<ModuleOp>(symbols.getOp());
  OpBuilder builder = OpBuilder::atBlockEnd(host.getBody());
  auto module = gpu::GPUModuleOp::create(builder, launch.getLoc(), "elsewhere");
  module->setAttr(declarationAttrName, builder.getUnitAttr());
  symbols.insert(module);
  builder.setInsertionPointToStart(module.getBody());
  auto type = builder.getFunctionType(launch.getKernelOperands().getTypes(), {});
  auto kernel = gpu::GPUFuncOp::create(builder, launch.getLoc(), name, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(builder, launch.getLoc());
  return SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
}

/// Checks the operands of an operation that has not been verified.
static bool hasSaneOperands(gpu::LaunchFuncOp launch) {
  ArrayRef<int32_t> segments = launch.getProperties().operandSegmentSizes;
  return llvm::all_of(segments, [](int32_t size) { return size >= 0; }) &&
         std::accumulate(segments.begin(), segments.end(), int64_t(0)) ==
             int64_t(launch->getNumOperands());
}

LogicalResult Program::resolveLaunches() {
  SymbolTable symbols(*hostModule);
  Builder builder(hostModule->getContext());
  WalkResult result = hostModule->walk([&](gpu::LaunchFuncOp launch) {
    SymbolRefAttr symbol = launch.getKernelAttr();
    if (!symbol || !hasSaneOperands(launch) || launch->hasAttr(kernelAttrName))
      return WalkResult::advance();
    FailureOr<const Candidate *> candidate = resolve(launch, symbol);
    if (failed(candidate))
      return WalkResult::interrupt();
    size_t number = numberOf(**candidate, symbol);
    launch->setAttr(kernelAttrName, builder.getI64IntegerAttr(number));
    if ((*candidate)->origin != 0 || (*candidate)->isSpirv)
      launch.setKernelAttr(declare(launch, symbols, (*candidate)->name));
    else
      launch.setKernelAttr(
          SymbolRefAttr::get(builder.getStringAttr((*candidate)->module),
                             {FlatSymbolRefAttr::get(launch.getContext(), (*candidate)->name)}));
    return WalkResult::advance();
  });
  if (!result.wasInterrupted())
    (*hostModule)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  return failure(result.wasInterrupted());
}

LogicalResult Program::outline() {
  PassManager pm(hostModule->getContext());
  // This pass reports a gpu.launch inside a kernel. Outlining would move it out of the kernel.
  pm.nest<gpu::GPUModuleOp>().addPass(lower::createCheckOperations());
  pm.addPass(createGpuKernelOutliningPass());
  return pm.run(*hostModule);
}

//===-------------------------------------------------------------------------===//
// Loading
//===-------------------------------------------------------------------------===//

/// Moves kernels out of the host code. Removes kernels that are never launched, since the device
/// need not support code that does not run.
void Program::takeKernelsOut() {
  // Launches of the program's own kernels then need declarations, too.
  SymbolTable symbols(*hostModule);
  hostModule->walk([&](gpu::LaunchFuncOp launch) {
    auto module = symbols.lookup(launch.getKernelModuleName());
    if (!module->hasAttr(declarationAttrName))
      launch.setKernelAttr(declare(launch, symbols, launch.getKernelName()));
  });
  takeOut(*hostModule, origins[0].gpu, origins[0].spirv);
  for (auto [index, origin] : llvm::enumerate(origins)) {
    auto isLaunched = [&, index = index](StringRef module, StringRef kernel) {
      return llvm::any_of(launched, [&](const Launched &one) {
        return one.candidate.origin == index && one.candidate.module == module &&
               one.candidate.name == kernel;
      });
    };
    if (!origin.gpu)
      continue;
    for (auto module : llvm::make_early_inc_range(origin.gpu->getOps<gpu::GPUModuleOp>())) {
      for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
        if (op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) &&
            !isLaunched(module.getName(), SymbolTable::getSymbolName(&op)))
          op.erase();
      if (llvm::none_of(*module.getBody(), [](Operation &op) {
            return op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName());
          }))
        module.erase();
    }
  }
}

Result<Program> Program::load(MLIRContext *context, llvm::SourceMgr &sources,
                              const std::string &name, const std::vector<KernelFile> &files) {
  Program program;
  StringRef text = sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  if (text.starts_with("ML\xefR"))
    return Status(StatusCode::Unsupported,
                  "'" + name + "' is MLIR bytecode; give its text, which mlir-opt prints");
  // Launches of kernels from other files can be verified only after they are resolved.
  ParserConfig unverified(context, /*verifyAfterParse=*/false);
  program.hostModule = parseText(sources, unverified);
  if (!program.hostModule)
    return diagnosed();
  Origin &own = program.origins.emplace_back();
  own.name = parseKernelFile(name).name;
  own.path = name;
  if (failed(flattenModules(*program.hostModule)))
    return diagnosed();
  program.addCandidates(0, *program.hostModule);
  PUMICE_RETURN_IF_ERROR(checkNames(files));
  for (const KernelFile &file : files)
    PUMICE_RETURN_IF_ERROR(program.addFile(context, file));
  if (failed(program.resolveLaunches()) || failed(verify(*program.hostModule)) ||
      failed(program.outline()))
    return diagnosed();
  // Bodies of gpu.launch have become kernels.
  llvm::erase_if(program.candidates, [](const Candidate &one) { return one.origin == 0; });
  program.addCandidates(0, *program.hostModule);
  if (failed(program.resolveLaunches()))
    return diagnosed();
  program.takeKernelsOut();
  return program;
}

std::vector<std::pair<std::string, ModuleOp>> Program::sourceModules() const {
  std::vector<std::pair<std::string, ModuleOp>> result;
  for (const Origin &origin : origins)
    for (const OwningOpRef<ModuleOp> *held : {&origin.gpu, &origin.spirv})
      if (ModuleOp module = held->get(); module && !module.getBody()->empty())
        result.emplace_back(origin.name, module);
  return result;
}
