//===- OperationsTest.cpp - the table of operations holds true --------------===//
// Operations.def against the dialects as registered, and against samples of each operation: what it
// calls native or emulated compiles, and what the compiler emits is valid; what it calls rejected
// is rejected in the table's words.
//===-------------------------------------------------------------------------===//
#include "compiler/source/Operations.h"
#include "compiler/Registration.h"
#include "compiler/driver/Compile.h"
#include "compiler/target/Tables.h"
#include "compiler/target/Triples.h"
#include "executable/OpenclNeeds.h"
#include "tests/operations/Samples.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace pumice;
using namespace pumice::operations;

namespace {

class OperationsTest : public testing::Test {
protected:
  OperationsTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry registry() {
    DialectRegistry dialects;
    registerDialects(dialects);
    return dialects;
  }

  MLIRContext context;
};

/// Collects the errors that are reported while the object lives.
struct Errors {
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            list.emplace_back(diagnostic.getLocation(), diagnostic.str());
          return success();
        }) {}

  std::string text() const {
    std::string all;
    for (const auto &[location, message] : list)
      all += message + "\n";
    return all;
  }

  std::vector<std::pair<Location, std::string>> list;
  ScopedDiagnosticHandler handler;
};

/// One way to compile every sample, and the folder that its modules are written to.
struct Way {
  const char *name;
  const char *target; // "": the target of each sample
  Addressing addressing;
  bool viaLlvm = false;
};

void PrintTo(const Way &way, std::ostream *out) { *out << way.name; }

class SamplesTest : public OperationsTest, public testing::WithParamInterface<Way> {};

} // namespace

static std::vector<Sample> allSamples() {
  return readAllSamples(PUMICE_SOURCE_DIR "/tests/operations");
}

static Operation *firstOperation(ModuleOp module, StringRef name) {
  Operation *found = nullptr;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getStringRef() != name)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static std::string locationText(Location location) {
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

/// Returns the expected error text of the sample, or "" if it compiles.
static std::string expectedError(const Sample &sample) {
  if (!sample.error.empty())
    return sample.error;
  const OperationInfo *info = findOperation(sample.operation);
  if (info && info->state == pumice::OperationState::Rejected)
    return ("'" + info->name + "' cannot be compiled: " + info->note).str();
  if (info && info->state == pumice::OperationState::Host)
    return ("'" + info->name + "' is not allowed in a kernel: it is " + info->note).str();
  return "";
}

/// Returns whether `message` names the missing device features by Vulkan's or OpenCL's names.
static bool namesRequirement(StringRef message) {
  auto names = [&](const auto &table) {
    return llvm::any_of(table, [&](const auto &line) { return message.contains(line.name); });
  };
  return names(target::allFeatures()) || names(target::allLimits()) ||
         names(target::allExtensions()) || names(target::allSubgroupOperations()) ||
         llvm::any_of(executable::allOpencl(), [&](const executable::OpenclInfo &info) {
           return !info.name.empty() && message.contains(info.name);
         });
}

/// Validates the folder's modules for the target. Returns "" if all are valid.
static std::string invalidModules(const std::filesystem::path &folder, StringRef target) {
  std::vector<std::string> words{PUMICE_SOURCE_DIR "/.venv/bin/python",
                                 PUMICE_SOURCE_DIR "/tools/validate-spirv.py", "--quiet",
                                 "--target", target.str()};
  for (const auto &file : std::filesystem::directory_iterator(folder))
    words.push_back(file.path());
  std::string log = folder.string() + ".log", problem;
  std::vector<StringRef> arguments(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {"", StringRef(log), StringRef(log)};
  int status =
      llvm::sys::ExecuteAndWait(words[0], arguments, std::nullopt, redirects, 0, 0, &problem);
  if (status == 0)
    return "";
  std::ifstream stream(log);
  return problem + std::string(std::istreambuf_iterator<char>(stream), {});
}

static std::string fileName(const Sample &sample, size_t number) {
  std::string name = std::to_string(number) + "-" + sample.name + ".spv";
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-')
      c = '_';
  return name;
}

TEST_F(OperationsTest, TheTableListsAllRegisteredOperations) {
  llvm::StringSet<> listed, registered;
  for (const OperationInfo &info : allOperations()) {
    EXPECT_TRUE(listed.insert(info.name).second) << info.name.str() << " occurs twice";
    EXPECT_FALSE(info.note.empty()) << info.name.str();
  }
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    registered.insert(name.getStringRef());
    if (!llvm::is_contained(kernelDialects(), name.getDialectNamespace()))
      continue;
    EXPECT_TRUE(listed.contains(name.getStringRef()))
        << name.getStringRef().str() << " is missing in compiler/source/Operations.def";
  }
  for (const OperationInfo &info : allOperations())
    EXPECT_TRUE(registered.contains(info.name)) << info.name.str() << " is no operation";
}

TEST_F(OperationsTest, EveryOperationHasASample) {
  llvm::StringSet<> shown;
  for (const Sample &sample : allSamples()) {
    EXPECT_FALSE(StringRef(sample.error).starts_with("broken")) << sample.name << sample.error;
    EXPECT_TRUE(findOperation(sample.operation)) << sample.name << " in " << sample.file;
    shown.insert(sample.operation);
  }
  for (const OperationInfo &info : allOperations())
    if (info.state != pumice::OperationState::Structure)
      EXPECT_TRUE(shown.contains(info.name)) << info.name.str() << " has no sample";
}

TEST_F(OperationsTest, SamplesHoldTheirOperation) {
  for (const Sample &sample : allSamples()) {
    Errors errors(&context);
    auto module = parseSourceString<ModuleOp>(sample.code, &context, sample.file);
    ASSERT_TRUE(module) << sample.name << " in " << sample.file << ": " << errors.text();
    EXPECT_TRUE(firstOperation(*module, sample.operation)) << sample.name;
  }
}

/// Expects exactly one error, whose location is the operation.
static void expectRejection(const Sample &sample, ModuleOp module, const Errors &errors) {
  ASSERT_FALSE(errors.list.empty()) << sample.name << " compiles";
  const auto &[location, message] = errors.list.front();
  EXPECT_NE(message.find(expectedError(sample)), std::string::npos)
      << sample.name << "\n  said:     " << message << "\n  expected: " << expectedError(sample);
  EXPECT_EQ(locationText(location),
            locationText(firstOperation(module, sample.operation)->getLoc()))
      << sample.name << ": " << message;
  EXPECT_EQ(errors.list.size(), 1u) << sample.name << ": " << errors.text();
}

TEST_P(SamplesTest, Compile) {
  const Way &way = GetParam();
  std::filesystem::path folder = std::filesystem::path(PUMICE_BUILD_DIR) / "operations" / way.name;
  std::filesystem::remove_all(folder);
  CompileOptions options;
  options.kernel.addressing = way.addressing;
  options.viaLlvm = way.viaLlvm;
  llvm::StringSet<> targets;
  size_t number = 0;
  llvm::StringSet<> seen;
  const char *corpus = std::getenv("PUMICE_CORPUS");
  const bool takesAll = !way.viaLlvm || (corpus && StringRef(corpus) == "all");
  for (const Sample &sample : allSamples()) {
    // LLVM's backend needs a process for each module, so only one sample of each operation is run.
    if (!seen.insert(sample.operation).second && !takesAll)
      continue;
    llvm::PrettyStackTraceString trace(sample.name.c_str());
    std::string targetName = *way.target ? way.target : sample.target;
    Result<target::TargetEnv> target = target::lookupTriple(targetName);
    ASSERT_TRUE(target.isOk()) << sample.name << ": " << target.status().message();
    Errors errors(&context);
    auto module = parseSourceString<ModuleOp>(sample.code, &context, sample.file);
    ASSERT_TRUE(module) << sample.name << ": " << errors.text();
    FailureOr<executable::Executable> compiled = compile(*module, {*target}, options);
    if (!expectedError(sample).empty()) {
      expectRejection(sample, *module, errors);
      continue;
    }
    if (failed(compiled)) {
      EXPECT_TRUE(*way.target) << sample.name << ": " << errors.text();
      EXPECT_TRUE(namesRequirement(errors.text())) << sample.name << ": " << errors.text();
      continue;
    }
    EXPECT_TRUE(errors.list.empty()) << sample.name << ": " << errors.text();
    std::filesystem::create_directories(folder / targetName);
    targets.insert(targetName);
    for (const executable::Variant &variant : compiled->variants)
      std::ofstream(folder / targetName / fileName(sample, ++number), std::ios::binary)
          .write(reinterpret_cast<const char *>(variant.code.data()), variant.code.size());
  }
  for (StringRef target : targets.keys())
    EXPECT_EQ(invalidModules(folder / target.str(), target), "");
}

INSTANTIATE_TEST_SUITE_P(Operations, SamplesTest,
                         testing::Values(Way{"physical", "", Addressing::Physical},
                                         Way{"descriptors", "", Addressing::Descriptors},
                                         Way{"vulkan11", "vulkan1.1", Addressing::Automatic},
                                         Way{"mali", "mali-g78", Addressing::Automatic},
                                         // Narrow types in buffers, but no arithmetic on them.
                                         Way{"videocore", "videocore7", Addressing::Physical},
                                         Way{"opencl", "opencl-3.0", Addressing::Automatic},
                                         Way{"openclfull", "intel-pvc", Addressing::Automatic},
                                         Way{"openclviallvm", "intel-pvc", Addressing::Automatic,
                                             /*viaLlvm=*/true}),
                         [](const auto &info) { return std::string(info.param.name); });
