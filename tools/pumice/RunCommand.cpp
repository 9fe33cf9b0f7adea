//===- RunCommand.cpp - pumice run ------------------------------------------===//
// The kind of input decides what runs. Each kind has its own function.
//===-------------------------------------------------------------------------===//
#include "compiler/Registration.h"
#include "compiler/driver/CompileOpenCl.h"
#include "compiler/opencl/Source.h"
#include "compiler/shader/KernelsToLlvm.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/source/SourceFile.h"
#include "compiler/target/Triples.h"
#include "runtime/hal/Choose.h"
#include "support/DiskCache.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"
#include "tools/pumice/RunCpp.h"
#include "tools/pumice/Targets.h"
#include "tools/run-host/DumpNative.h"
#include "tools/run-host/RunProgram.h"
#include "tools/run/RunLaunch.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "run",
    "PROGRAM.mlir | PROGRAM.cpp [ARGUMENT...] | [KERNEL.spv|KERNEL.pumice|KERNEL.cl] --launch FILE",
    "Run a program with host code and kernels, or kernels as a launch file says, on a device",
    "A program is MLIR: host code that launches kernels, which are in the same file or in those "
    "of\n"
    "--kernels. Pumice calls its 'main', and exits with the value that it returns.\n\n"
    "A program may also be C++, which a C++ compiler of this machine compiles. It includes "
    "NAME.hpp\n"
    "for the kernels of NAME.pumice, .mlir, .ttir, .spv, .cl or .py next to it: 'pumice export' "
    "makes\n"
    "that header.\n\n"
    "A launch file lists buffers, their contents and bindings, the work to run, and the expected\n"
    "results. Its dispatches run KERNEL unless they name another file. KERNEL may also be OpenCL "
    "C\n"
    "or LLVM IR (.ll, .bc), which is compiled first. The exit status is 0 if all results are as\n"
    "expected, and 1 if not.\n\n"
    "In all cases the exit status is 2 if the run failed. docs/run.md describes them;\n"
    "launch.schema.json is for editors. '-' is standard input.\n"
    "HOW is one of auto, physical, descriptors.\n\n"
    "examples:\n"
    "  pumice run program.mlir\n"
    "  pumice run program.cpp --device cpu\n"
    "  pumice run host.mlir --kernels device.mlir --kernels more.spv --device vulkan:1\n"
    "  glslangValidator -V saxpy.comp -o saxpy.spv\n"
    "  pumice run saxpy.spv --launch saxpy.json --profile --dump out",
    {{"--launch", "FILE", "the launch file"},
     {"--device", "ID", "as 'pumice devices --help' says; else PUMICE_DEVICE, else the best"},
     {"--kernels", "FILE",
      "programs: kernels from this .mlir, .spv or .pumice file, which launches may call by "
      "@FILE::@module::@kernel; NAME=FILE gives it another name",
      true},
     {"--compiler", "PROGRAM", "programs in C++: the compiler; else CXX, else clang++, g++ or c++"},
     {"--entry", "NAME", "programs: call this function instead of 'main'"},
     {"--library", "FILE", "programs: a shared library whose functions host code calls", true},
     {"--separate-memory", "",
      "programs: use separate memory as on a discrete GPU, even if host and device share memory"},
     {"--stats", "", "programs: print which memory was copied, and which was used in place"},
     {"-O", "LEVEL", "programs: how much host code is optimised, 0 to 3; the default is 2"},
     {"--index-bits", "N", "programs: width of index values in kernels: 32 (the default) or 64"},
     {"--addressing", "HOW", "programs: auto (the default), physical or descriptors"},
     {"--repeat", "N", "launch files: run everything N times, and print the time of one run"},
     {"--profile", "", "print a table of kernels and their times, and write a Chrome trace"},
     {"--trace", "FILE", "where --profile writes the trace; the default is 'pumice-trace.json'"},
     {"--check", "",
      "on the CPU device: end a launch that leaves its buffers, and name the line; "
      "docs/checking.md describes the limits"},
     {"--dump", "DIR", "write every stage into DIR: source, code, launches, results"},
     {"--print-bytes", "N",
      "size of the buffer for what one launch prints: 4M, for example; the default is 1M"},
     {"--no-validate", "", "launch files: do not validate SPIR-V with spirv-val before running it"},
     {"--skip-unsupported", "", "launch files: skip what the device cannot do instead of failing"}},
    0,
    64};

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

Result<std::optional<uint32_t>> readPrintBytes(const Arguments &arguments) {
  if (!arguments.has("--print-bytes"))
    return std::optional<uint32_t>();
  std::string text = arguments.value("--print-bytes");
  std::optional<uint64_t> bytes = parseByteSize(text);
  if (!bytes || *bytes < 8 || *bytes > UINT32_MAX)
    return invalid(
        "--print-bytes must be a number of bytes from 8 to below 4G, or one with K, M or G "
        "after it, got '" +
        text + "'");
  return std::optional(static_cast<uint32_t>(*bytes));
}

/// Prepares --check, which places guard pages next to buffers. Only the CPU device has them.
Status prepareCheck(const Arguments &arguments, std::string &device) {
  if (!arguments.has("--check"))
    return Status::ok();
  if (device.empty())
    device = "cpu";
  if (device != "cpu" && !device.starts_with("cpu:"))
    return invalid("--check works only on the CPU device, but --device is '" + device +
                   "': give cpu, or leave it out");
  if (!std::getenv("PUMICE_CPU_GUARDS"))
    setenv("PUMICE_CPU_GUARDS", "end", 0);
  return Status::ok();
}

Result<run::ProgramOptions> readProgramOptions(const Arguments &arguments) {
  run::ProgramOptions options;
  if (arguments.positional().empty())
    return invalid("nothing to run: name a program, or give --launch FILE");
  options.input = arguments.positional().front();
  for (const char *ending : {".spv", ".pumice"})
    if (options.input.ends_with(ending))
      return invalid("'" + options.input +
                     "' holds kernels; --launch FILE says what they are run on, and a program runs "
                     "them by --kernels");
  for (const char *other : {"--repeat", "--no-validate", "--skip-unsupported"})
    if (arguments.has(other))
      return invalid(std::string(other) + " is for launch files (--launch)");
  options.kernels = arguments.values("--kernels");
  options.libraries = arguments.values("--library");
  options.entry = arguments.value("--entry", "main");
  options.device = arguments.value("--device");
  options.dumpFolder = arguments.value("--dump");
  options.traceFile = arguments.value("--trace");
  options.profile = arguments.has("--profile") || arguments.has("--trace");
  options.stats = arguments.has("--stats");
  // Memory that is used in place belongs to the program, and has no guard pages.
  options.separateMemory = arguments.has("--separate-memory") || arguments.has("--check");
  PUMICE_RETURN_IF_ERROR(prepareCheck(arguments, options.device));
  PUMICE_TRY(options.printBytes, readPrintBytes(arguments));
  std::string level = arguments.value("-O", "2");
  if (level.size() != 1 || level[0] < '0' || level[0] > '3')
    return invalid("-O must be a level from 0 to 3, got '" + level + "'");
  options.optimization = static_cast<unsigned>(level[0] - '0');
  std::string bits = arguments.value("--index-bits", "32");
  if (bits != "32" && bits != "64")
    return invalid("--index-bits must be 32 or 64, got '" + bits + "'");
  options.kernel.indexBits = bits == "64" ? 64 : 32;
  std::string addressing = arguments.value("--addressing", "auto");
  if (addressing == "physical")
    options.kernel.addressing = Addressing::Physical;
  else if (addressing == "descriptors")
    options.kernel.addressing = Addressing::Descriptors;
  else if (addressing != "auto")
    return invalid("unknown addressing '" + addressing + "'; choose auto, physical or descriptors");
  return options;
}

Result<run::RunOptions> readOptions(const Arguments &arguments) {
  run::RunOptions options;
  if (!arguments.positional().empty())
    options.input = arguments.positional().front();
  options.launchFile = arguments.value("--launch");
  options.device = arguments.value("--device");
  PUMICE_RETURN_IF_ERROR(prepareCheck(arguments, options.device));
  options.dumpFolder = arguments.value("--dump");
  options.traceFile = arguments.value("--trace");
  options.profile = arguments.has("--profile") || arguments.has("--trace");
  options.validate = !arguments.has("--no-validate");
  PUMICE_TRY(options.printBytes, readPrintBytes(arguments));
  options.skipUnsupported = arguments.has("--skip-unsupported");
  if (arguments.has("--repeat")) {
    std::string text = arguments.value("--repeat");
    uint32_t count = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0)
      return Status(StatusCode::InvalidArgument,
                    "--repeat must be a number of 1 or more, got '" + text + "'");
    options.repeat = count;
  }
  for (const char *other : {"--kernels", "--entry", "--library", "--separate-memory", "--stats",
                            "-O", "--index-bits", "--addressing"})
    if (arguments.has(other))
      return invalid(std::string(other) + " is for programs; a launch file says what it needs");
  return options;
}

} // namespace

namespace {

/// A module that is compiled from OpenCL C or LLVM IR, in a folder that disappears with this
/// object.
class CompiledSource {
public:
  CompiledSource() = default;
  CompiledSource(const CompiledSource &) = delete;
  CompiledSource &operator=(const CompiledSource &) = delete;
  ~CompiledSource() {
    if (!folder.empty())
      llvm::sys::fs::remove_directories(folder);
  }

  /// Replaces `input` by a compiled file if it is such a source, or a module for OpenCL that is to
  /// run on a device of Vulkan. Devices of Vulkan get an executable for their own target. The
  /// others get a module for the named target that has most extensions; what a module needs is
  /// checked when it runs.
  Status compile(std::string &input, const std::string &device) {
    if (input.empty() || input.ends_with(".pumice"))
      return Status::ok();
    bool isModule = input.ends_with(".spv");
    if (isModule && !llvm::sys::fs::exists(input)) // the launch reports it
      return Status::ok();
    PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> source, readSource(input));
    std::span code(reinterpret_cast<const uint8_t *>(source->getBufferStart()),
                   source->getBufferSize());
    if (isModule ? !shader::isOpenClModule(code) : !opencl::isSource(source->getBuffer(), input))
      return Status::ok();
    PUMICE_TRY(std::optional<target::TargetEnv> vulkan, vulkanTargetOf(device));
    if (isModule && !vulkan)
      return Status::ok();
    std::vector<uint8_t> bytes;
    if (vulkan) {
      PUMICE_TRY(std::string llvm, isModule ? shader::kernelsToLlvm(code, input)
                                            : opencl::sourceToLlvm(source->getBuffer(), input));
      PUMICE_TRY(bytes, compileForVulkan(llvm, input, *vulkan));
    } else {
      PUMICE_TRY(target::TargetEnv target, target::lookupTriple("intel-cpu"));
      target.spirvMinor = 2; // the newest version for which OpenCL has rules of its own
      PUMICE_TRY(bytes, opencl::sourceToSpirv(source->getBuffer(), input, target,
                                              isOpenCl(device) ? opencl::LeftCalls::Permit
                                                               : opencl::LeftCalls::Reject));
    }
    return write(input, vulkan ? ".pumice" : ".spv", bytes);
  }

private:
  static bool isOpenCl(llvm::StringRef device) {
    const char *preferred = std::getenv("PUMICE_DEVICE");
    return (device.empty() && preferred ? preferred : device).starts_with("opencl");
  }

  /// Returns the target of the device that a launch will run on, if it is one of Vulkan or Metal,
  /// for which kernels are compiled as for Vulkan.
  static Result<std::optional<target::TargetEnv>> vulkanTargetOf(std::string device) {
    if (const char *preferred = std::getenv("PUMICE_DEVICE"); preferred && device.empty())
      device = preferred;
    for (const char *other : {"cpu", "opencl"}) // these need no list of devices
      if (device == other || device.starts_with(std::string(other) + ":"))
        return std::optional<target::TargetEnv>();
    std::vector<hal::DeviceInfo> devices = listDevices().devices;
    Result<size_t> index = hal::findDevice(devices, device);
    bool takesShaders =
        index.isOk() && (devices[*index].driver == "vulkan" || devices[*index].driver == "metal");
    if (!takesShaders) // the launch reports what is missing
      return std::optional<target::TargetEnv>();
    PUMICE_TRY(target::TargetEnv target, targetOfDevice(devices[*index].id));
    return std::optional(std::move(target));
  }

  static Result<std::vector<uint8_t>>
  compileForVulkan(llvm::StringRef llvm, const std::string &name, const target::TargetEnv &target) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.printOpOnDiagnostic(false);
    llvm::SourceMgr sources;
    DiagnosticPrinter diagnostics(sources, &context, llvm::errs());
    mlir::FailureOr<executable::Executable> compiled =
        compileOpenCl(&context, llvm, name, {target}, CompileOptions());
    if (mlir::failed(compiled))
      return invalid("compilation failed");
    return executable::write(*compiled);
  }

  Status write(std::string &input, const char *ending, const std::vector<uint8_t> &bytes) {
    if (std::error_code failure = llvm::sys::fs::createUniqueDirectory("pumice", folder))
      return Status(StatusCode::ResourceExhausted,
                    "cannot make a temporary folder: " + failure.message());
    std::string path = (folder + "/" + llvm::sys::path::stem(input) + ending).str();
    std::error_code failure;
    llvm::raw_fd_ostream out(path, failure);
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    out.close();
    if (failure || out.has_error())
      return Status(StatusCode::ResourceExhausted,
                    "cannot write '" + path + "': " + out.error().message());
    input = path;
    return Status::ok();
  }

  llvm::SmallString<128> folder;
};

} // namespace

int tools::runCommand(int argc, char **argv) {
  auto arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    std::fputs(helpText(command).c_str(), stdout);
    return 0;
  }
  bool isCpp = !arguments->positional().empty() && isCppSource(arguments->positional().front());
  if (isCpp && !arguments->has("--launch")) {
    Result<int> status = runCpp(*arguments);
    return status.isOk() ? *status : usageError(command, status.status());
  }
  if (arguments->has("--compiler"))
    return usageError(command, invalid("--compiler is for programs in C++ (.cpp)"));
  if (arguments->positional().size() > 1)
    return usageError(command, invalid("unexpected argument '" + arguments->positional()[1] +
                                       "'; only programs in C++ take arguments"));
  if (!arguments->has("--launch")) {
    auto program = readProgramOptions(*arguments);
    return program.isOk() ? run::runProgram(*program) : usageError(command, program.status());
  }
  auto options = readOptions(*arguments);
  if (!options.isOk())
    return usageError(command, options.status());
  CompiledSource source;
  std::string given = options->input;
  if (Status compiled = source.compile(options->input, options->device); !compiled.isOk()) {
    std::fprintf(stderr, "pumice run: error: %s\n", compiled.message().c_str());
    return 2;
  }
  if (options->input != given)
    options->inputSource = given;
  run::DumpNative native(options->dumpFolder);
  options->opened = [&](hal::Device &device) { native.watch(device); };
  int status = run::runLaunch(*options);
  if (native.status().isOk())
    return status;
  std::fprintf(stderr, "pumice run: error: %s\n", native.status().message().c_str());
  return 2;
}
