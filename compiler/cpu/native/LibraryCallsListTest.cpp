//===- LibraryCallsListTest.cpp - the list of functions that LLVM may call --===//
// Checks library calls in two ways. First, it compiles each operation that kernels use, in each
// type and width, for each processor. Our own library must define every symbol that this code
// leaves undefined. Second, it looks up each name in LLVM's list of runtime functions. Each one
// must be in our library, in every process, or on a list of functions that no code calls. The list
// gives the reason for each. If a new version of LLVM adds a function, this test fails.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/LibraryCalls.h"

#include "compiler/Registration.h"
#include "compiler/cpu/native/EmitNative.h"
#include "compiler/target/TargetEnv.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Support/Regex.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>
#include <set>

using namespace pumice;
using namespace pumice::cpu;

namespace {

/// A kernel that loads each value from its scratch memory and stores each result there.
class Kernel {
public:
  explicit Kernel(unsigned width) : width(width) {}

  std::string vectorOf(const std::string &element) const {
    return width == 1 ? element : "vector<" + std::to_string(width) + "x" + element + ">";
  }
  std::string load(const std::string &type) {
    std::string name = next();
    body += "  " + name + " = llvm.load " + place() + " : !llvm.ptr -> " + type + "\n";
    return name;
  }
  /// Adds an operation. `text` is the operation without its result.
  void store(const std::string &text, const std::string &type) {
    std::string name = next();
    body += "  " + name + " = " + text + "\n";
    body += "  llvm.store " + name + ", " + place() + " : " + type + ", !llvm.ptr\n";
  }
  std::string placeOf() { return place(); }
  std::string text() const {
    return R"(
llvm.func @k(%launch: !llvm.ptr, %shared: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64, %end: i64)
    -> i32 attributes {lane.kernel, lane.subgroup_size = 4 : i32,
                       lane.workgroup_size = array<i32: 1, 1, 1>} {
)" + places +
           body + "  %zero = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %zero : i32\n}\n";
  }

private:
  std::string next() { return "%v" + std::to_string(count++); }
  /// Returns a new address each time, far enough from the last one for any vector.
  std::string place() {
    std::string name = next();
    places += "  " + name + " = llvm.getelementptr %scratch[" + std::to_string(512 * count) +
              "] : (!llvm.ptr) -> !llvm.ptr, i8\n";
    return name;
  }

  unsigned width, count = 0;
  std::string places, body;
};

void addUnary(Kernel &kernel, const std::string &name, const std::string &type) {
  std::string vector = kernel.vectorOf(type);
  kernel.store("llvm.call_intrinsic \"llvm." + name + "\"(" + kernel.load(vector) + ") : (" +
                   vector + ") -> " + vector,
               vector);
}
void addBinary(Kernel &kernel, const std::string &name, const std::string &type) {
  std::string vector = kernel.vectorOf(type), x = kernel.load(vector), y = kernel.load(vector);
  kernel.store("llvm.call_intrinsic \"llvm." + name + "\"(" + x + ", " + y + ") : (" + vector +
                   ", " + vector + ") -> " + vector,
               vector);
}
void addPlain(Kernel &kernel, const std::string &name, const std::string &type) {
  std::string vector = kernel.vectorOf(type), x = kernel.load(vector), y = kernel.load(vector);
  kernel.store("llvm." + name + " " + x + ", " + y + " : " + vector, vector);
}
void addConversion(Kernel &kernel, const std::string &name, const std::string &from,
                   const std::string &to) {
  std::string x = kernel.load(kernel.vectorOf(from)), result = kernel.vectorOf(to);
  kernel.store("llvm." + name + " " + x + " : " + kernel.vectorOf(from) + " to " + result, result);
}

struct Float {
  const char *name;
  unsigned bits;
};
constexpr Float floats[] = {{"bf16", 16}, {"f16", 16}, {"f32", 32}, {"f64", 64}};
constexpr const char *integers[] = {"i8", "i16", "i32", "i64"};

/// Returns a kernel of float operations. bf16 and f16 are computed in f32, except for the fused
/// operation of f16.
std::string floatKernel(const Float &type, unsigned width) {
  Kernel kernel(width);
  std::string vector = kernel.vectorOf(type.name);
  for (const char *name : {"fadd", "fsub", "fmul", "fdiv"})
    addPlain(kernel, name, type.name);
  for (const char *name :
       {"fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"})
    addUnary(kernel, name, type.name);
  for (const char *name : {"maxnum", "minnum", "maximum", "minimum", "copysign"})
    addBinary(kernel, name, type.name);
  for (const char *name : {"fma", "fmuladd"}) {
    std::string x = kernel.load(vector), y = kernel.load(vector), z = kernel.load(vector);
    std::string types = vector + ", " + vector + ", " + vector;
    kernel.store("llvm.call_intrinsic \"llvm." + std::string(name) + "\"(" + x + ", " + y + ", " +
                     z + ") : (" + types + ") -> " + vector,
                 vector);
  }
  for (const Float &other : floats)
    if (other.bits != type.bits)
      addConversion(kernel, other.bits > type.bits ? "fpext" : "fptrunc", type.name, other.name);
  for (const char *integer : integers) {
    for (const char *name : {"fptosi", "fptoui"})
      addConversion(kernel, name, type.name, integer);
    for (const char *name : {"sitofp", "uitofp"})
      addConversion(kernel, name, integer, type.name);
  }
  if (width == 1)
    for (const char *name : {"fadd", "fmin", "fmax"})
      kernel.store("llvm.atomicrmw " + std::string(name) + " " + kernel.placeOf() + ", " +
                       kernel.load(vector) + " monotonic : !llvm.ptr, " + vector,
                   vector);
  return kernel.text();
}

std::string integerKernel(const char *type, unsigned width) {
  Kernel kernel(width);
  for (const char *name : {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr",
                           "ashr", "and", "or", "xor"})
    addPlain(kernel, name, type);
  for (const char *name : {"ctpop", "bitreverse"})
    addUnary(kernel, name, type);
  for (const char *name : {"smax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"})
    addBinary(kernel, name, type);
  std::string vector = kernel.vectorOf(type);
  if (width == 1)
    for (const char *name :
         {"add", "sub", "_and", "_or", "_xor", "xchg", "max", "min", "umax", "umin"})
      kernel.store("llvm.atomicrmw " + std::string(name) + " " + kernel.placeOf() + ", " +
                       kernel.load(vector) + " seq_cst : !llvm.ptr, " + vector,
                   vector);
  return kernel.text();
}

/// Returns the symbols that linked code needs from the process that loads it.
std::vector<std::string> leftOpen(const std::string &text, const NativeCpu &cpu) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return {};
  auto code = emitNative(*module, cpu);
  EXPECT_TRUE(code.isOk()) << code.status().message();
  return code.isOk()
             ? undefinedSymbols({reinterpret_cast<const char *>(code->data()), code->size()})
             : std::vector<std::string>();
}

class CallsOf : public ::testing::TestWithParam<std::string_view> {};

} // namespace

TEST_P(CallsOf, AreResolved) {
  NativeCpu cpu = *shippedCpu(GetParam());
  for (unsigned width : {1u, 4u, 16u}) {
    auto check = [&](const char *type, const std::string &kernel) {
      for (const std::string &symbol : leftOpen(kernel, cpu))
        EXPECT_TRUE(everyProcessHas(symbol)) << symbol << ": " << width << " x " << type;
    };
    for (const Float &type : floats)
      check(type.name, floatKernel(type, width));
    for (const char *type : integers)
      check(type, integerKernel(type, width));
  }
}
INSTANTIATE_TEST_SUITE_P(Processors, CallsOf, ::testing::ValuesIn(target::processors),
                         [](const auto &name) {
                           std::string text(name.param);
                           std::erase(text, '-');
                           return text;
                         });

namespace {

/// Lists functions that our code never calls. Each entry is a regular expression for whole names,
/// and the reason.
constexpr std::pair<const char *, const char *> neverCalled[] = {
    {"__aarch64_.*", "atomics out of line are a feature of the processor that is not asked for"},
    {"__arm_.*", "SME is not asked for"},
    {"__(atomic|sync)_.*", "atomics of up to 8 bytes are instructions"},
    {"__llvm_.*|_Unwind_.*|__cxa_.*|__safestack_.*|__stack_chk_.*|__clear_cache|__mem.*_chk",
     "kernels are compiled without exceptions, guards, and what C asks for"},
    {"__.*[tx]f.*|.*f128|[a-z0-9_]+l", "no kernel has floats of 80 or 128 bits"},
    {"__(fix|float)(uns|un)?[hsd]?f?ti[hsd]?f?", "no kernel makes floats of 128-bit integers"},
    {"__(u?div|u?mod|mul|ashl|ashr|lshr|clz|popcount)(q|h|s|d)i[234]|__neg[sd]i2|__mulosi4|__"
     "mulqi3",
     "integers of up to 64 bits have instructions"},
    {"__(u?div|u?mod|mul|ashl|ashr|lshr|clz|popcount)ti[234]",
     "no kernel divides 128-bit integers; what else it does with them are instructions"},
    {"__(add|sub|mul|div|eq|ne|lt|le|gt|ge|unord)[sd]f[23]", "f32 and f64 have instructions"},
    {"__(extendsfdf2|truncdfsf2|fix(uns)?[sd]f[sd]i|float(un)?[sd]i[sd]f)",
     "conversions of f32 and f64 are instructions, or written out"},
    {"__(extendbfsf2|extendhfdf2|fix(uns)?hf[sd]i|float(un)?[sd]i[hb]f)",
     "LLVM converts by way of f32, with functions that are ours"},
    {".*_finite|__powi[sd]f2", "names for -ffast-math, and powers by integers: written out"},
    {"(a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|log|log2|log10|pow|cbrt|tgamma|fmod|remainder|"
     "remquo|ldexp|frexp|modf|scalbl?n|fdim|nan|nexttoward)f?",
     "our passes write functions out before LLVM sees them"},
    {"(sqrt|floor|ceil|trunc|rint|nearbyint|round|roundeven|copysign|l?l?round|l?l?rint)f?",
     "instructions of x86-64-v2, or written out"},
    {"(fmaximum|fminimum)(_num)?f?|fmax|fmin", "written out; f64 has instructions"},
    {"malloc|calloc|free|fe[gs]et(env|mode)", "kernels allocate nothing and set no mode"}};

} // namespace

TEST(LibraryCallsList, HasEveryNameThatLlvmKnows) {
  std::set<std::string> names;
  for (const char *triple : {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    llvm::RTLIB::RuntimeLibcallsInfo info{llvm::Triple(triple)};
    for (llvm::RTLIB::LibcallImpl call : llvm::RTLIB::libcall_impls())
      if (info.isAvailable(call))
        names.insert(llvm::RTLIB::RuntimeLibcallsInfo::getLibcallImplName(call).str());
  }
  EXPECT_GT(names.size(), 500u);
  llvm::LLVMContext context;
  for (const std::string &name : names) {
    bool ours = everyProcessHas(name) || libraryCalls(context, {name});
    bool never = llvm::any_of(neverCalled, [&](const auto &row) {
      return llvm::Regex("^(" + std::string(row.first) + ")$").match(name);
    });
    EXPECT_TRUE(ours || never) << name << " is new: may code call it?";
    EXPECT_FALSE(ours && never) << name << " is resolved, and on the list of what is never called";
  }
}
