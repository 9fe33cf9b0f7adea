//===- LibraryCalls.cpp - library functions for missing instructions --------===//
#include "compiler/cpu/native/LibraryCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

using namespace pumice;

/// These functions contain no operation that LLVM would turn into another library call. They round
/// to the nearest number, with ties to even.
static constexpr char functions[] = R"(
; The exponent moves from 15 to 127 by a multiplication, which is exact; what is infinite or no
; number keeps its bits, and is made quiet.
define hidden float @__extendhfsf2(half %value) {
  %h = bitcast half %value to i16
  %bits = zext i16 %h to i32
  %a = and i32 %bits, 32767
  %m = shl i32 %a, 13
  %f = bitcast i32 %m to float
  %scaled = fmul float %f, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %special = or i32 %m, 2139095040
  %isSpecial = icmp ugt i32 %a, 31743
  %isNan = icmp ugt i32 %a, 31744
  %quiet = or i32 %special, 4194304
  %s0 = select i1 %isNan, i32 %quiet, i32 %special
  %magnitude = select i1 %isSpecial, i32 %s0, i32 %finite
  %signBit = and i32 %bits, 32768
  %sign = shl i32 %signBit, 16
  %result = or i32 %magnitude, %sign
  %r = bitcast i32 %result to float
  ret float %r
}

; Below 2^-14 an addition rounds to multiples of 2^-24, above it one of integers to 11 bits.
define hidden half @__truncsfhf2(float %value) {
  %bits = bitcast float %value to i32
  %a = and i32 %bits, 2147483647
  %abs = bitcast i32 %a to float
  %moved = fadd float %abs, 5.0e-01
  %movedBits = bitcast float %moved to i32
  %small = sub i32 %movedBits, 1056964608
  %odd0 = lshr i32 %a, 13
  %odd = and i32 %odd0, 1
  %up = add i32 %a, 4095
  %rounded = add i32 %up, %odd
  %biased = sub i32 %rounded, 939524096
  %normal = lshr i32 %biased, 13
  %isSmall = icmp ult i32 %a, 947912704
  %finite = select i1 %isSmall, i32 %small, i32 %normal
  %isLarge = icmp ugt i32 %a, 1199566847
  %m0 = select i1 %isLarge, i32 31744, i32 %finite
  %payload = and i32 %odd0, 511
  %nan = or i32 %payload, 32256
  %isNan = icmp ugt i32 %a, 2139095040
  %magnitude = select i1 %isNan, i32 %nan, i32 %m0
  %high = lshr i32 %bits, 16
  %sign = and i32 %high, 32768
  %result = or i32 %magnitude, %sign
  %h = trunc i32 %result to i16
  %r = bitcast i16 %h to half
  ret half %r
}

; The same from 64 bits: by way of f32 it would be rounded twice.
define hidden half @__truncdfhf2(double %value) {
  %bits = bitcast double %value to i64
  %a = and i64 %bits, 9223372036854775807
  %abs = bitcast i64 %a to double
  %moved = fadd double %abs, 268435456.0
  %movedBits = bitcast double %moved to i64
  %small = sub i64 %movedBits, 4733283208366391296
  %odd0 = lshr i64 %a, 42
  %odd = and i64 %odd0, 1
  %up = add i64 %a, 2199023255551
  %rounded = add i64 %up, %odd
  %biased = sub i64 %rounded, 4539628424389459968
  %normal = lshr i64 %biased, 42
  %isSmall = icmp ult i64 %a, 4544132024016830464
  %finite = select i1 %isSmall, i64 %small, i64 %normal
  %isLarge = icmp ugt i64 %a, 4679237813814689791
  %m0 = select i1 %isLarge, i64 31744, i64 %finite
  %payload = and i64 %odd0, 511
  %nan = or i64 %payload, 32256
  %isNan = icmp ugt i64 %a, 9218868437227405312
  %magnitude = select i1 %isNan, i64 %nan, i64 %m0
  %high = lshr i64 %bits, 48
  %sign = and i64 %high, 32768
  %result = or i64 %magnitude, %sign
  %h = trunc i64 %result to i16
  %r = bitcast i16 %h to half
  ret half %r
}

; The upper half of an f32. An addition rounds it; what is no number is made quiet before its lower
; half goes.
define hidden bfloat @__truncsfbf2(float %value) {
  %bits = bitcast float %value to i32
  %odd0 = lshr i32 %bits, 16
  %odd = and i32 %odd0, 1
  %up = add i32 %bits, 32767
  %rounded = add i32 %up, %odd
  %quiet = or i32 %bits, 4194304
  %isNan = fcmp uno float %value, %value
  %kept = select i1 %isNan, i32 %quiet, i32 %rounded
  %high = lshr i32 %kept, 16
  %h = trunc i32 %high to i16
  %r = bitcast i16 %h to bfloat
  ret bfloat %r
}

; The same from 64 bits, by way of f32: that is rounded to odd, so that rounding it once more is
; right.
define hidden bfloat @__truncdfbf2(double %value) {
  %near = fptrunc double %value to float
  %bits = bitcast float %near to i32
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %value
  %lowest = and i32 %bits, 1
  %even = icmp eq i32 %lowest, 0
  %moves = and i1 %inexact, %even
  %valueBits = bitcast double %value to i64
  %backBits = bitcast double %back to i64
  %a = and i64 %valueBits, 9223372036854775807
  %b = and i64 %backBits, 9223372036854775807
  %outwards = icmp ult i64 %b, %a
  %step = select i1 %outwards, i32 1, i32 -1
  %next = add i32 %bits, %step
  %f = select i1 %moves, i32 %next, i32 %bits
  %odd0 = lshr i32 %f, 16
  %odd = and i32 %odd0, 1
  %up = add i32 %f, 32767
  %rounded = add i32 %up, %odd
  %quiet = or i32 %f, 4194304
  %isNan = fcmp uno double %value, %value
  %kept = select i1 %isNan, i32 %quiet, i32 %rounded
  %high = lshr i32 %kept, 16
  %h = trunc i32 %high to i16
  %r = bitcast i16 %h to bfloat
  ret bfloat %r
}

; In 64 bits the product is exact. The sum is rounded to odd, by its error, so that rounding it once
; more is right.
define hidden float @fmaf(float %x, float %y, float %z) {
  %a = fpext float %x to double
  %b = fpext float %y to double
  %c = fpext float %z to double
  %p = fmul double %a, %b
  %s = fadd double %p, %c
  %back = fsub double %s, %p
  %rest = fsub double %s, %back
  %e0 = fsub double %p, %rest
  %e1 = fsub double %c, %back
  %error = fadd double %e0, %e1
  %inexact = fcmp one double %error, 0.0
  %bits = bitcast double %s to i64
  %lowest = and i64 %bits, 1
  %even = icmp eq i64 %lowest, 0
  %moves = and i1 %inexact, %even
  %up = fcmp ogt double %error, 0.0
  %negative = icmp slt i64 %bits, 0
  %outwards = xor i1 %up, %negative
  %step = select i1 %outwards, i64 1, i64 -1
  %next = add i64 %bits, %step
  %odd = select i1 %moves, i64 %next, i64 %bits
  %t = bitcast i64 %odd to double
  %r = fptrunc double %t to float
  ret float %r
}

; If one operand is NaN, the result is the other one.
define hidden float @fmaxf(float %a, float %b) {
  %less = fcmp olt float %a, %b
  %isNan = fcmp uno float %a, %a
  %second = or i1 %less, %isNan
  %r = select i1 %second, float %b, float %a
  ret float %r
}
define hidden float @fminf(float %a, float %b) {
  %more = fcmp ogt float %a, %b
  %isNan = fcmp uno float %a, %a
  %second = or i1 %more, %isNan
  %r = select i1 %second, float %b, float %a
  ret float %r
}
)";

/// Touches each page between the stack pointer and the `rax` bytes below it, since Windows adds
/// pages to a stack one after the other. Changes no register.
static constexpr char touchStack[] = R"(
  .globl ___chkstk_ms
  .def ___chkstk_ms; .scl 2; .type 32; .endef
___chkstk_ms:
  pushq %rax
  pushq %rcx
  leaq 24(%rsp), %rcx
1:
  cmpq $4096, %rax
  jb 2f
  subq $4096, %rcx
  orb $0, (%rcx)
  subq $4096, %rax
  jmp 1b
2:
  subq %rax, %rcx
  orb $0, (%rcx)
  popq %rcx
  popq %rax
  retq
)";
static constexpr llvm::StringLiteral touchStackName = "___chkstk_ms";

/// The functions of the libraries that native code for Windows imports are named by the linker
/// (LinkObject.cpp).
static constexpr llvm::StringLiteral ofLinux[] = {"memcpy", "memmove", "memset", "fma",
                                                  "clock_gettime"},
                                     ofMacos[] = {"memcpy",          "memmove",
                                                  "memset",          "fma",
                                                  "clock_gettime",   "bzero",
                                                  "memset_pattern4", "memset_pattern8",
                                                  "memset_pattern16"},
                                     ofWindows[] = {"memcpy",
                                                    "memmove",
                                                    "memset",
                                                    "fma",
                                                    "QueryPerformanceCounter",
                                                    "QueryPerformanceFrequency"};

llvm::ArrayRef<llvm::StringLiteral> cpu::functionsOf(const llvm::Triple &system) {
  return system.isOSWindows()  ? llvm::ArrayRef(ofWindows)
         : system.isOSDarwin() ? llvm::ArrayRef(ofMacos)
                               : llvm::ArrayRef(ofLinux);
}

/// Adds the functions that a linked library for Windows imports.
static void addImports(const llvm::object::COFFObjectFile &file, std::vector<std::string> &names) {
  for (const llvm::object::ImportDirectoryEntryRef &library : file.import_directories())
    for (const llvm::object::ImportedSymbolRef &symbol : library.imported_symbols())
      if (llvm::StringRef name; !symbol.getSymbolName(name))
        names.push_back(name.str());
}

std::vector<std::string> cpu::undefinedSymbols(llvm::StringRef file) {
  std::vector<std::string> names;
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(file, "native code"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return names;
  }
  bool underscores = (*object)->isMachO();
  auto add = [&](const llvm::object::SymbolRef &symbol) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty()) {
      if (underscores)
        name->consume_front("_");
      names.push_back(name->str());
    }
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  };
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols())
    add(symbol);
  // Only these symbols may be undefined in a linked file.
  if (auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get()))
    for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
      add(symbol);
  if (auto *coff = llvm::dyn_cast<llvm::object::COFFObjectFile>(object->get()))
    addImports(*coff, names);
  // This is a part of the loader of macOS.
  std::erase(names, "dyld_stub_binder");
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

bool cpu::everyProcessHas(llvm::StringRef symbol) {
  return llvm::is_contained(ofLinux, symbol) || llvm::is_contained(ofMacos, symbol) ||
         llvm::is_contained(ofWindows, symbol);
}

std::unique_ptr<llvm::Module> cpu::libraryCalls(llvm::LLVMContext &context,
                                                const std::vector<std::string> &symbols) {
  // Most code needs none of the functions. Then nothing is parsed.
  if (llvm::all_of(symbols, [](const std::string &name) { return everyProcessHas(name); }))
    return nullptr;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(functions, problem, context);
  assert(module && "our own text");
  for (llvm::Function &function : llvm::make_early_inc_range(*module))
    if (!llvm::is_contained(symbols, function.getName()))
      function.eraseFromParent();
  bool touches = llvm::is_contained(symbols, touchStackName);
  if (touches)
    module->appendModuleInlineAsm(touchStack);
  return module->empty() && !touches ? nullptr : std::move(module);
}
