//===- CompileCommand.cpp - pumice compile ----------------------------------===//
#include "compiler/Registration.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/CompileOpenCl.h"
#include "compiler/import/triton/ImportTriton.h"
#include "compiler/opencl/Source.h"
#include "compiler/package/ImportSpirv.h"
#include "compiler/shader/KernelsToLlvm.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/source/ParseText.h"
#include "compiler/source/SourceFile.h"
#include "compiler/spirv/Serialize.h"
#include "compiler/target/Triples.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/NativeEmission.h"
#include "tools/pumice/PassText.h"
#include "tools/pumice/Stats.h"
#include "tools/pumice/Targets.h"
#include "tools/run-host/ShowProgress.h"
#include "tools/run/SpirvTools.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <map>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "compile",
    "INPUT",
    "Compile GPU kernels, in MLIR, Triton's TTIR, SPIR-V, OpenCL C or LLVM IR, to an executable "
    "with a variant for each target",
    "A TARGET is a triple ('pumice target-env --list'), a #vk.target_env attribute, or a file.\n"
    "The file has the attribute, 'vulkaninfo -j' output, a Khronos profile, or 'pumice target-env\n"
    "--json' output. 'device' and 'device:ID' are targets for devices of this machine ('pumice\n"
    "devices').\n"
    "The target 'cpu' means every CPU with Linux: SPIR-V, and native code for x86-64-v2,\n"
    "x86-64-v3, x86-64-v4 and aarch64, which runs where the compiler is not installed. Each of\n"
    "these is a target too, and gives SPIR-V and its own native code. So are x86-64-v2-windows,\n"
    "x86-64-v3-windows, x86-64-v4-windows and aarch64-macos.\n"
    "OpenCL C (NAME.cl, which clang compiles) and LLVM IR for spirv64 (NAME.ll, or bitcode) are "
    "for\n"
    "all targets. Those of Vulkan need buffer addresses.\n"
    "\n"
    "KIND is one of executable, spirv, spirv-asm, mlir, passes, mlir-after=PASS, llvm-mlir, "
    "llvm-ir, asm, native.\n"
    "'mlir' is the spirv dialect, and 'passes' lists the passes that lead there. "
    "'mlir-after=PASS'\n"
    "writes the code after each run of one of them, and runs no pass after the last. 'llvm-mlir',\n"
    "'llvm-ir', 'asm' and 'native' need a SPIR-V module. They write code for the processor that\n"
    "--target names: host, or one of those above.\n"
    "HOW is one of auto, physical, descriptors.\n"
    "ROUTE is one of spirv, llvm.\n"
    "For an AMD target, --stats asks RADV's null device, which needs no GPU. For Triton's "
    "kernels,\n"
    "it also shows where the values of each load are kept.\n\n"
    "INPUT may be '-' for standard input, OUT '-' for standard output.\n\n"
    "examples:\n"
    "  pumice compile softmax.mlir -o softmax.pumice --target rdna3 --target h200\n"
    "  pumice compile softmax.mlir -o softmax.pumice --target cpu\n"
    "  pumice compile softmax.mlir --emit spirv-asm --target lavapipe --addressing descriptors\n"
    "  pumice compile softmax.mlir --emit mlir-after=pumice-flatten-memory --target rdna3\n"
    "  pumice compile kernel.ttir -o kernel.pumice --target cpu\n"
    "  pumice compile kernel.cl -o kernel.pumice --target opencl-3.0\n"
    "  pumice compile kernel.spv --emit asm --target x86-64-v3\n"
    "  pumice compile softmax.mlir --stats --target rdna3 --stats-driver rdna3 --stats-driver gcn4",
    {{"-o", "OUT",
      "output file; without it, text goes to standard output, and the rest to INPUT's "
      "name with another ending"},
     {"--target", "TARGET", "compile for TARGET", true},
     {"--vulkan-target-env", "ATTR", "one more target, as a #vk.target_env attribute"},
     {"--vulkan-target-triple", "TRIPLE",
      "one more target, by its triple; --vulkan-target-env overrides it"},
     {"--emit", "KIND", "what to write; the default is executable"},
     {"--kernel", "NAME", "this kernel only; not with --emit mlir, mlir-after and passes"},
     {"--robust", "",
      "with --emit llvm-mlir, llvm-ir, asm and native: accesses through descriptors stay inside "
      "the "
      "buffers that are bound"},
     {"--addressing", "HOW", "auto (the default), physical or descriptors"},
     {"--index-bits", "N", "width of index values: 32 (the default) or 64"},
     {"--via", "ROUTE",
      "for targets of OpenCL: spirv (MLIR's spirv dialect, the default) or llvm (LLVM IR and "
      "LLVM's "
      "SPIR-V backend; the only route of OpenCL C and LLVM IR)"},
     {"--native-matrices", "",
      "reject matrix operations that a target lacks, instead of emulating "
      "them"},
     {"--stats", "",
      "print the size of each kernel's SPIR-V, and the registers, spills, memory and code size "
      "that a driver reports"},
     {"--stats-driver", "NAME",
      "--stats from this driver: an AMD architecture ('rdna2') for RADV's null device, 'device' or "
      "'device:TEXT' for a GPU of this machine, or a driver's .json file",
      true},
     {"--stats-json", "FILE", "--stats as JSON"},
     {"--timing", "", "print the time of each pass to standard error"}},
    1,
    1};

/// The checked request of the command line.
struct Request {
  std::string input, output, emit, afterPass, kernel, via; // `via` is empty if it is not given
  std::vector<std::string> targets, statsDrivers;
  std::string statsJson;
  CompileOptions options;
  bool timing = false, stats = false, robust = false;
};

Result<Request> readRequest(const Arguments &arguments) {
  Request request;
  auto bad = [](std::string message) {
    return Status(StatusCode::InvalidArgument, std::move(message));
  };
  request.input = arguments.positional().front();
  request.output = arguments.value("-o");
  request.kernel = arguments.value("--kernel");
  request.timing = arguments.has("--timing");
  request.statsDrivers = arguments.values("--stats-driver");
  request.statsJson = arguments.value("--stats-json");
  request.stats =
      arguments.has("--stats") || (!request.statsDrivers.empty() && request.statsJson.empty());
  request.targets = arguments.values("--target");
  // Two old options name one variant. The text takes precedence, but an unknown triple is still an
  // error.
  if (arguments.has("--vulkan-target-triple"))
    PUMICE_RETURN_IF_ERROR(
        target::lookupTriple(arguments.value("--vulkan-target-triple")).status());
  if (arguments.has("--vulkan-target-env"))
    request.targets.push_back(arguments.value("--vulkan-target-env"));
  else if (arguments.has("--vulkan-target-triple"))
    request.targets.push_back(arguments.value("--vulkan-target-triple"));
  request.emit = arguments.value("--emit", "executable");
  request.robust = arguments.has("--robust");
  if (isNativeEmission(request.emit))
    return request;
  if (request.robust)
    return bad("--robust is for code of a CPU; SPIR-V leaves it to who runs it (launch files: "
               "\"robust\")");
  if (request.targets.empty())
    return bad("no target; add --target, for example --target rdna3 ('pumice target-env --list' "
               "names them)");

  if (request.emit.starts_with("mlir-after=")) {
    request.afterPass = request.emit.substr(request.emit.find('=') + 1);
    request.emit = "mlir-after";
  }
  const char *kinds[] = {"executable", "spirv", "spirv-asm", "mlir", "mlir-after", "passes"};
  if (std::find(std::begin(kinds), std::end(kinds), request.emit) == std::end(kinds))
    return bad("cannot emit '" + request.emit +
               "'; choose executable, spirv, spirv-asm, mlir, mlir-after=PASS, passes, llvm-mlir, "
               "llvm-ir, asm or native");
  bool text = request.emit.starts_with("mlir") || request.emit == "passes";
  if ((request.stats || !request.statsJson.empty()) && text)
    return bad("--stats describes compiled kernels; it cannot be combined with --emit " +
               request.emit);
  if (!request.kernel.empty() && text)
    return bad("--kernel chooses among compiled kernels; it cannot be combined with --emit " +
               request.emit);

  std::string addressing = arguments.value("--addressing", "auto");
  if (addressing == "physical")
    request.options.kernel.addressing = Addressing::Physical;
  else if (addressing == "descriptors")
    request.options.kernel.addressing = Addressing::Descriptors;
  else if (addressing != "auto")
    return bad("unknown addressing '" + addressing + "'; choose auto, physical or descriptors");

  request.via = arguments.value("--via");
  if (arguments.has("--via") && request.via != "spirv" && request.via != "llvm")
    return bad("unknown route '" + request.via + "'; --via takes spirv or llvm");
  request.options.viaLlvm = request.via == "llvm";

  std::string indexBits = arguments.value("--index-bits", "32");
  if (indexBits != "32" && indexBits != "64")
    return bad("--index-bits must be 32 or 64, got '" + indexBits + "'");
  request.options.kernel.indexBits = indexBits == "64" ? 64 : 32;
  request.options.kernel.requireNativeMatrices = arguments.has("--native-matrices");
  return request;
}

/// One compilation: the context, the parsed input and the targets.
struct Compilation {
  const Request &request;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticPrinter diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module; // null if the input is SPIR-V or `openCl`
  std::string openCl; // LLVM IR, if the input was OpenCL C, LLVM IR, or an OpenCL module for Vulkan
  std::vector<target::TargetEnv> targets;
  std::vector<KernelLoads> loads; // loads of Triton kernels, if statistics are requested

  Compilation(const Request &request, const mlir::DialectRegistry &registry)
      : request(request), context(registry, mlir::MLIRContext::Threading::DISABLED),
        diagnostics(sources, &context, llvm::errs()) {}

  Status load();
  Status checkRoute(llvm::StringRef text, bool isSource) const;
  Status loadOpenCl(const llvm::MemoryBuffer &source, std::string llvm);
  Status write(llvm::StringRef bytes, const std::string &path);
  mlir::FailureOr<executable::Executable> compileInput(const CompileOptions &options);
  Status report(const executable::Executable &compiled, const std::string &output);
  Status emitExecutable();
  Status emitModules();
  Status emitText();
  Status run();
};

/// Returns an error after MLIR has printed the reason, with the place in the source.
Status diagnosed() { return Status(StatusCode::InvalidArgument, "compilation failed"); }

/// Returns the bytes of a buffer.
std::span<const uint8_t> bytesOf(const llvm::MemoryBuffer &buffer) {
  return {reinterpret_cast<const uint8_t *>(buffer.getBufferStart()), buffer.getBufferSize()};
}

/// Loads the LLVM IR of a source in OpenCL. If only Vulkan's targets get code, its kernels are
/// a module like any other.
Status Compilation::loadOpenCl(const llvm::MemoryBuffer &source, std::string llvm) {
  std::string name = source.getBufferIdentifier().str();
  openCl = std::move(llvm);
  if (llvm::any_of(targets, takesOpenClModules)) {
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source.getBuffer(), name),
                               llvm::SMLoc());
    return Status::ok();
  }
  auto imported = importKernels(&context, openCl, name, request.kernel);
  if (mlir::failed(imported))
    return diagnosed();
  module = std::move(*imported);
  return Status::ok();
}

/// Rejects a route that the input cannot take: --via would have no effect.
Status Compilation::checkRoute(llvm::StringRef text, bool isSource) const {
  auto bad = [&](const std::string &reason) {
    return Status(StatusCode::InvalidArgument, "'" + request.input + "': " + reason);
  };
  if (request.via.empty())
    return Status::ok();
  if (package::looksLikeSpirv(text))
    return bad("--via chooses who writes the SPIR-V, and this input is SPIR-V already; leave --via "
               "out");
  bool isModule = isSource && llvm::any_of(targets, takesOpenClModules);
  if (request.via == "spirv" && isModule)
    return bad("OpenCL C and LLVM IR become modules for OpenCL by LLVM's SPIR-V backend only, not "
               "by --via spirv; leave --via out");
  if (request.via == "llvm" && !isModule &&
      llvm::none_of(targets, [](const auto &target) { return target.isOpenCl(); }))
    return bad("--via llvm is for targets of OpenCL, and there is none; add one, for example "
               "--target opencl-3.0, or leave --via out");
  return Status::ok();
}

Status Compilation::load() {
  context.printOpOnDiagnostic(false); // the source line is clearer
  for (const std::string &name : request.targets) {
    Result<target::TargetEnv> target = resolveTarget(&context, name);
    if (!target.isOk())
      return target.status();
    targets.push_back(*target);
  }
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(request.input));
  if (buffer->getBuffer().trim().empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + request.input +
                      "' is empty; it must hold kernels: MLIR text, SPIR-V, OpenCL C "
                      "or LLVM IR");
  // MLIR's reader of bytecode crashes on damaged files.
  if (buffer->getBuffer().starts_with("ML\xefR"))
    return Status(StatusCode::Unsupported, "'" + request.input +
                                               "' is MLIR bytecode; give its text, which mlir-opt "
                                               "prints");
  bool isSource = opencl::isSource(buffer->getBuffer(), request.input);
  PUMICE_RETURN_IF_ERROR(checkRoute(buffer->getBuffer(), isSource));
  if (isSource) {
    PUMICE_TRY(std::string llvm,
               opencl::sourceToLlvm(buffer->getBuffer(), buffer->getBufferIdentifier()));
    return loadOpenCl(*buffer, std::move(llvm));
  }
  bool spirv = package::looksLikeSpirv(buffer->getBuffer());
  if (spirv && !llvm::all_of(targets, takesOpenClModules) &&
      shader::isOpenClModule(bytesOf(*buffer))) {
    PUMICE_TRY(std::string llvm,
               shader::kernelsToLlvm(bytesOf(*buffer), buffer->getBufferIdentifier().str(),
                                     request.kernel));
    return loadOpenCl(*buffer, std::move(llvm));
  }
  std::string name = buffer->getBufferIdentifier().str();
  llvm::StringRef text = buffer->getBuffer(); // the buffer stays at its address
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (spirv)
    return Status::ok();
  if (triton::looksLikeTriton(text)) {
    auto imported = triton::importTriton(&context, text, name);
    if (mlir::failed(imported))
      return diagnosed();
    module = std::move(*imported);
    return Status::ok();
  }
  module = parseText(sources, mlir::ParserConfig(&context));
  return module ? Status::ok() : diagnosed();
}

Status Compilation::write(llvm::StringRef bytes, const std::string &path) {
  std::error_code error;
  llvm::ToolOutputFile file(path.empty() ? "-" : path, error, llvm::sys::fs::OF_None);
  std::string name = path.empty() || path == "-" ? "standard output" : "'" + path + "'";
  if (error)
    return Status(StatusCode::InvalidArgument, "cannot write " + name + ": " + error.message());
  file.os() << bytes;
  file.os().flush();
  if (std::error_code lost = file.os().error()) {
    file.os().clear_error();
    return Status(StatusCode::ResourceExhausted, "cannot write " + name + ": " + lost.message());
  }
  file.keep();
  return Status::ok();
}

std::string withEnding(const std::string &input, const char *ending) {
  size_t slash = input.rfind('/');
  std::string base = slash == std::string::npos ? input : input.substr(slash + 1);
  return (base == "-" ? "kernel" : base.substr(0, base.rfind('.'))) + ending;
}

/// Prints the requested statistics. They go to standard error if standard output is in use.
Status Compilation::report(const executable::Executable &compiled, const std::string &output) {
  if (!request.stats && request.statsJson.empty())
    return Status::ok();
  Result<Stats> stats = collectStats(compiled, request.statsDrivers);
  if (!stats.isOk())
    return stats.status();
  for (KernelLoads &kernel : loads)
    if (request.kernel.empty() || request.kernel == kernel.kernel)
      stats->loads.push_back(std::move(kernel));
  if (!request.statsJson.empty())
    PUMICE_RETURN_IF_ERROR(write(statsJson(*stats), request.statsJson));
  bool taken = output.empty() || output == "-" || request.statsJson == "-";
  if (request.stats)
    printStats(*stats, taken ? llvm::errs() : llvm::outs());
  return Status::ok();
}

mlir::FailureOr<executable::Executable> Compilation::compileInput(const CompileOptions &options) {
  if (module && (request.stats || !request.statsJson.empty())) {
    CompileOptions reporting = options;
    reporting.reportLoads = [this](llvm::StringRef kernel, const target::TargetEnv &target,
                                   const std::vector<lower::tiles::LoadPlace> &places) {
      loads.push_back({kernel.str(), target.name, places});
    };
    return compile(*module, targets, reporting);
  }
  if (module)
    return compile(*module, targets, options);
  const llvm::MemoryBuffer *input = sources.getMemoryBuffer(sources.getMainFileID());
  if (!openCl.empty())
    return compileOpenCl(&context, openCl, input->getBufferIdentifier(), targets, options,
                         package::looksLikeSpirv(input->getBuffer()) ? bytesOf(*input)
                                                                     : std::span<const uint8_t>());
  return package::importSpirv(&context, bytesOf(*input), input->getBufferIdentifier(), targets);
}

/// Leaves only the requested kernel in `compiled`.
Status chooseKernel(executable::Executable &compiled, const std::string &kernel) {
  if (kernel.empty())
    return Status::ok();
  auto holds = [](const executable::Variant &variant, const std::string &name) {
    return llvm::is_contained(
        llvm::map_range(variant.interfaces, std::mem_fn(&executable::Interface::entryPoint)), name);
  };
  if (llvm::none_of(compiled.variants, [&](const auto &one) { return holds(one, kernel); })) {
    std::string names;
    for (const executable::EntryPoint &entry : compiled.entryPoints)
      names += (names.empty() ? "" : ", ") + entry.name;
    return Status(StatusCode::NotFound,
                  "no kernel '" + kernel + "' in the input; there are: " + names);
  }
  std::erase_if(compiled.variants, [&](const auto &one) { return !holds(one, kernel); });
  // A module of several entry points stays whole.
  std::erase_if(compiled.entryPoints, [&](const executable::EntryPoint &entry) {
    return llvm::none_of(compiled.variants,
                         [&](const auto &one) { return holds(one, entry.name); });
  });
  return Status::ok();
}

Status Compilation::emitExecutable() {
  mlir::FailureOr<executable::Executable> compiled = compileInput(request.options);
  if (mlir::failed(compiled))
    return diagnosed();
  PUMICE_RETURN_IF_ERROR(chooseKernel(*compiled, request.kernel));
  Result<std::vector<uint8_t>> bytes = executable::write(*compiled);
  if (!bytes.isOk())
    return bytes.status();
  std::string path = request.output.empty() ? withEnding(request.input, ".pumice") : request.output;
  PUMICE_RETURN_IF_ERROR(
      write({reinterpret_cast<const char *>(bytes->data()), bytes->size()}, path));
  return report(*compiled, path);
}

/// Replaces "{target}" and "{kernel}" in the output's name. They distinguish several modules.
std::string moduleName(std::string pattern, const executable::Variant &variant) {
  auto replace = [&](const std::string &key, const std::string &value) {
    for (size_t at; (at = pattern.find(key)) != std::string::npos;)
      pattern.replace(at, key.size(), value);
  };
  replace("{target}", variant.target.empty() ? "unnamed" : variant.target);
  std::string kernel = variant.interfaces.front().entryPoint;
  for (size_t at; (at = kernel.find("::")) != std::string::npos;)
    kernel.replace(at, 2, ".");
  replace("{kernel}", kernel);
  return pattern;
}

Status severalInOne(const std::string &output, size_t count) {
  bool named =
      output.find("{kernel}") != std::string::npos && output.find("{target}") != std::string::npos;
  return Status(StatusCode::InvalidArgument,
                std::to_string(count) + " modules do not fit into one file; " +
                    (named ? "two targets have one name: name them apart by deviceName"
                           : "put {kernel} and {target} into the name after -o") +
                    ", or choose with --kernel");
}

Status Compilation::emitModules() {
  CompileOptions modules = request.options;
  modules.nativeCode = false;    // only modules are written
  if (!module && openCl.empty()) // targets of a CPU take OpenCL's modules because of their code
    for (target::TargetEnv &target : targets)
      target.nativeCode.clear();
  mlir::FailureOr<executable::Executable> compiled = compileInput(modules);
  if (mlir::failed(compiled))
    return diagnosed();
  PUMICE_RETURN_IF_ERROR(chooseKernel(*compiled, request.kernel));
  const std::vector<executable::Variant> &variants = compiled->variants;
  bool text = request.emit == "spirv-asm";
  std::string output = request.output;
  if (output.empty() && !text)
    output = withEnding(request.input, ".spv");
  std::map<std::string, std::string> files; // text modules with the same name are joined
  for (const executable::Variant &variant : variants) {
    std::string content(variant.code.begin(), variant.code.end());
    if (text) {
      Result<std::string> assembly = run::disassemble(variant.code);
      if (!assembly.isOk())
        return assembly.status();
      content = "; kernel " + variant.interfaces.front().entryPoint + ", target " + variant.target +
                "\n" + *assembly;
    }
    std::string &file = files[moduleName(output, variant)];
    if (!text && !file.empty())
      return severalInOne(output, variants.size());
    file += content;
  }
  for (const auto &[path, content] : files)
    PUMICE_RETURN_IF_ERROR(write(content, path));
  return report(*compiled, output);
}

/// Prints the module after all passes or after every run of one pass, or prints the names of the
/// passes.
Status Compilation::emitText() {
  if (!module)
    return Status(StatusCode::InvalidArgument,
                  "'" + request.input + (openCl.empty() ? "' is" : "' becomes") +
                      " SPIR-V, which cannot be an input of --emit " + request.emit +
                      "; choose executable, spirv-asm, llvm-mlir, llvm-ir, asm or native");
  // The targets' pipelines have the same passes, with different options.
  std::vector<std::string> passes = passesToSpirv(*module, targets.front(), request.options.kernel);
  if (request.emit == "passes")
    return write(llvm::join(passes, "\n") + "\n", request.output);
  if (request.emit == "mlir-after")
    PUMICE_RETURN_IF_ERROR(checkPass(request.afterPass, passes));
  std::string text;
  llvm::raw_string_ostream out(text);
  bool failed = false;
  for (const target::TargetEnv &target : targets) {
    if (request.emit == "mlir-after") {
      failed |= mlir::failed(
          printAfterPass(*module, target, request.options, request.afterPass, passes, out));
    } else if (auto lowered = lowerToSpirv(*module, target, request.options);
               mlir::succeeded(lowered)) {
      out << "// target " << target.name << "\n" << **lowered << "\n";
    } else {
      return diagnosed();
    }
  }
  // Also prints text if a later pass failed, since the user looks for the input of that pass.
  if (!failed || !text.empty())
    PUMICE_RETURN_IF_ERROR(write(text, request.output));
  return failed ? diagnosed() : Status::ok();
}

Status Compilation::run() {
  PUMICE_RETURN_IF_ERROR(load());
  if (request.emit == "executable")
    return emitExecutable();
  if (request.emit == "spirv" || request.emit == "spirv-asm")
    return emitModules();
  return emitText();
}

} // namespace

int tools::compileCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    llvm::outs() << helpText(command);
    return 0;
  }
  Result<Request> request = readRequest(*arguments);
  if (!request.isOk())
    return usageError(command, request.status());
  if (request->timing)
    request->options.configure = [](mlir::PassManager &pm) { pm.enableTiming(); };
  run::ShowProgress shown(request->input);
  if (isNativeEmission(request->emit)) {
    Status status = emitNativeCode({request->input, request->output, request->emit, request->kernel,
                                    request->targets, request->robust});
    return status.isOk() ? 0 : failed(command, status);
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  Compilation compilation(*request, registry);
  if (Status status = compilation.run(); !status.isOk())
    return failed(command, status);
  return 0;
}
