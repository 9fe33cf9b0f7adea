//===- BenchCompile.cpp - times the compiler --------------------------------===//
// Times the compiler from a gpu.module to the bytes of an executable, in one warm process, with and
// without parsing its text. For comparison, it times upstream's own GPU-to-SPIR-V pipeline on the
// same kernel, as far as this pipeline gets. Then it times `pumice compile` and `mlir-opt` as
// processes. Every result is read back and validated.
//===-------------------------------------------------------------------------===//
#include "bench/Report.h"
#include "bench/Spirv.h"
#include "compiler/Registration.h"
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/driver/Compile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace pumice;
using namespace pumice::bench;

namespace {

constexpr const char *usage =
    "usage: bench-compile [options]\n\n"
    "Times the compiler. Compares a warm process, from a gpu.module to an executable, with\n"
    "upstream's own pipeline, and 'pumice compile' as a process with mlir-opt.\n\n"
    "options:\n"
    "  --json FILE  write the results there\n"
    "  --rounds N   how often each runs (101)\n"
    "  --root DIR   the tree with the kernels (.)\n"
    "  --help       print this text\n";

struct Options {
  std::string json, root = ".";
  int rounds = 101;
};

struct Case {
  const char *name, *file, *upstream, *target;
  std::optional<double> limit;
};

const Case cases[] = {
    {"saxpy", "bench/kernels/saxpy.mlir", "bench/kernels/saxpy.upstream.mlir", "rdna3", 5},
    {"matmul", "bench/kernels/matmul.mlir", "bench/kernels/matmul.upstream.mlir", "rdna3", 20},
    {"softmax", "examples/softmax.mlir", nullptr, "rdna3", {}},
    {"emulated matrices", "bench/kernels/matrices.mlir", nullptr, "lavapipe22", {}},
};

[[noreturn]] void die(const std::string &message) {
  llvm::errs() << "bench-compile: error: " << message << "\n";
  std::exit(1);
}

Options parse(llvm::ArrayRef<const char *> words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    auto value = [&]() -> llvm::StringRef {
      if (i + 1 >= words.size())
        die(word.str() + " needs a value");
      return words[++i];
    };
    if (word == "--help") {
      llvm::outs() << usage;
      std::exit(0);
    } else if (word == "--json") {
      options.json = value().str();
    } else if (word == "--root") {
      options.root = value().str();
    } else if (word == "--rounds") {
      llvm::StringRef text = value();
      if (text.getAsInteger(10, options.rounds) || options.rounds < 1)
        die("--rounds must be at least 1, not " + text.str());
    } else {
      die("there is no option '" + word.str() + "'; --help lists them");
    }
  }
  return options;
}

std::string pathOf(llvm::StringRef root, llvm::StringRef file) {
  llvm::SmallString<128> path(root);
  llvm::sys::path::append(path, file);
  return path.str().str();
}

std::string textOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    die("cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Returns an empty text if `bytes` are an executable with valid modules, or else the error.
std::string whyWrong(const std::vector<uint8_t> &bytes) {
  Result<executable::Executable> read = executable::read(bytes);
  if (!read.isOk())
    return read.status().message();
  if (read->variants.empty())
    return "the executable is empty";
  for (const executable::Variant &variant : read->variants) {
    std::vector<uint32_t> words(variant.code.size() / 4);
    std::memcpy(words.data(), variant.code.data(), words.size() * 4);
    if (std::string why = whyInvalid(words); !why.empty())
      return why;
  }
  return "";
}

std::vector<uint8_t> compileBytes(mlir::ModuleOp module, const target::TargetEnv &target) {
  mlir::FailureOr<executable::Executable> compiled = compile(module, {target}, {});
  if (mlir::failed(compiled))
    return {};
  Result<std::vector<uint8_t>> bytes = executable::write(*compiled);
  return bytes.isOk() ? std::move(*bytes) : std::vector<uint8_t>();
}

/// Measures one kernel, with and without parsing.
void measure(mlir::MLIRContext &context, const Case &c, const Options &options,
             std::vector<Measurement> &results) {
  std::string text = textOf(pathOf(options.root, c.file));
  std::string peerText = c.upstream ? textOf(pathOf(options.root, c.upstream)) : "";
  auto parse = [&](const std::string &source) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module)
      die(std::string(c.name) + ": its kernel does not parse");
    return module;
  };
  Result<target::TargetEnv> target = vk::resolveTarget(&context, c.target);
  if (!target.isOk())
    die(target.status().message());
  auto module = parse(text);
  std::vector<uint8_t> bytes;
  std::vector<std::function<void()>> runs = {
      [&] { bytes = compileBytes(*module, *target); },
      [&] { bytes = compileBytes(*parse(text), *target); },
  };
  mlir::OwningOpRef<mlir::ModuleOp> peerModule;
  std::vector<uint32_t> words;
  if (c.upstream) {
    peerModule = parse(peerText);
    runs.push_back([&] { words = compileUpstream(*peerModule); });
    runs.push_back([&] { words = compileUpstream(*parse(peerText)); });
  }
  std::vector<double> times = medians(runs, options.rounds);

  Measurement m{.kernel = c.name, .device = c.target, .limit = c.limit};
  m.note = whyWrong(bytes);
  m.correct = m.note.empty();
  if (c.upstream) {
    if (std::string why = words.empty() ? "it fails" : whyInvalid(words); !why.empty())
      m.note += "upstream's result is wrong: " + why;
  } else {
    m.note += std::string(m.note.empty() ? "" : "; ") +
              "upstream's pipeline does not convert this kernel";
  }
  for (int parsed : {0, 1}) {
    m.size = parsed ? "text to bytes" : "module to bytes";
    m.milliseconds = times[parsed];
    if (c.upstream)
      m.peers["upstream"] = times[2 + parsed];
    results.push_back(m);
    m.note.clear();
  }
}

/// Measures `pumice compile` as a process, from fork to exit, and mlir-opt with upstream's
/// pipeline.
Measurement measureProcess(const Case &c, const Options &options, const std::string &pumice) {
  llvm::SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("bench-compile", "pumice", output))
    die("cannot make a temporary file");
  std::string input = pathOf(options.root, c.file), error;
  std::vector<llvm::StringRef> words{pumice, "compile", input, "--target", c.target, "-o", output};
  auto spawn = [&](const std::vector<llvm::StringRef> &arguments) {
    if (llvm::sys::ExecuteAndWait(arguments[0], arguments, std::nullopt,
                                  {std::nullopt, llvm::StringRef(""), std::nullopt}, 0, 0, &error))
      die(arguments[0].str() + " failed: " + error);
  };
  std::vector<std::function<void()>> runs = {[&] { spawn(words); }};
  auto mlirOpt = llvm::sys::findProgramByName("mlir-opt", {"/usr/lib/llvm-22/bin"});
  std::string peerInput = c.upstream ? pathOf(options.root, c.upstream) : "";
  std::vector<llvm::StringRef> peerWords;
  if (mlirOpt && c.upstream) {
    peerWords = {*mlirOpt, peerInput,
                 "-pass-pipeline=builtin.module(gpu-kernel-outlining,convert-gpu-to-spirv,"
                 "spirv.module(spirv-lower-abi-attrs,spirv-update-vce))"};
    runs.push_back([&] { spawn(peerWords); });
  }
  std::vector<double> times = medians(runs, std::max(1, options.rounds / 4));
  Measurement m{.kernel = c.name,
                .size = "pumice compile, a process",
                .device = c.target,
                .milliseconds = times[0],
                .limit = 150};
  if (times.size() > 1)
    m.peers["mlir-opt"] = times[1];
  auto written = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (written) {
    auto begin = reinterpret_cast<const uint8_t *>((*written)->getBufferStart());
    m.note = whyWrong({begin, begin + (*written)->getBufferSize()});
  } else {
    m.note = "wrote no file";
  }
  m.correct = m.note.empty();
  llvm::sys::fs::remove(output);
  return m;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(llvm::ArrayRef<const char *>(argv + 1, argc - 1));
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<Measurement> results;
  for (const Case &c : cases)
    measure(context, c, options, results);

  std::string self = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  llvm::SmallString<128> pumice(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(pumice, "pumice");
  for (const Case &c : {cases[0], cases[1], cases[2]})
    results.push_back(measureProcess(c, options, pumice.str().str()));

  llvm::outs() << tableOf(results);
  if (!options.json.empty()) {
    std::error_code error;
    llvm::raw_fd_ostream out(options.json, error);
    if (error)
      die("cannot write '" + options.json + "': " + error.message());
    out << jsonOf(results);
  }
  // Limits hold only on a quiet machine, so only wrong results fail.
  return llvm::all_of(results, [](const Measurement &m) { return m.correct; }) ? 0 : 1;
}
