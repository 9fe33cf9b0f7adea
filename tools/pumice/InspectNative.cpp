//===- InspectNative.cpp - pumice inspect: native code as text --------------===//
// Uses LLVM's object reader and disassemblers, so any machine can show code for any processor.
// Loads and runs nothing, and accepts any bytes.
//===-------------------------------------------------------------------------===//
#include "tools/pumice/InspectNative.h"

#include "compiler/cpu/native/EmitNative.h"
#include "executable/NativeCode.h"

#include "llvm-c/Disassembler.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <cstring>

using namespace pumice;
namespace object = llvm::object;

namespace {

struct Symbol {
  std::string name;
  uint64_t address = 0, bytes = 0;
  bool function = false;
};

struct CloseDisassembler {
  void operator()(void *context) const { LLVMDisasmDispose(context); }
};

class NativeText {
public:
  explicit NativeText(const object::ObjectFile &file) : file(file) {}

  std::string text() {
    if (auto *elf = llvm::dyn_cast<object::ELFObjectFileBase>(&file))
      readSymbols(*elf);
    else
      readInfoAndCode();
    out << (file.isELF()     ? "; ELF"
            : file.isMachO() ? "; Mach-O"
                             : "; PE")
        << " for " << file.makeTriple().getArchName() << "\n";
    kernelInfo();
    for (const Symbol &symbol : symbols)
      out << llvm::formatv("; {0,6} bytes at {1:x6}  {2}{3}\n", symbol.bytes, symbol.address,
                           symbol.name, symbol.function ? "()" : "");
    for (const Symbol &symbol : symbols)
      if (symbol.function)
        disassemble(symbol);
    return result;
  }

private:
  void readSymbols(const object::ELFObjectFileBase &elf);
  void readInfoAndCode();
  uint64_t infoAddress() const;
  llvm::StringRef bytesOf(const Symbol &symbol) const;
  void kernelInfo();
  void disassemble(const Symbol &symbol);

  const object::ObjectFile &file;
  std::vector<Symbol> symbols; // sorted by address
  std::string result;
  llvm::raw_string_ostream out{result};
};

void NativeText::readSymbols(const object::ELFObjectFileBase &elf) {
  for (const object::ELFSymbolRef symbol : elf.symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    uint8_t type = symbol.getELFType();
    bool wanted = type == llvm::ELF::STT_FUNC || type == llvm::ELF::STT_OBJECT;
    if (name && address && wanted && symbol.getSize())
      symbols.push_back({name->str(), *address, symbol.getSize(), type == llvm::ELF::STT_FUNC});
    llvm::consumeError(name.takeError());
    llvm::consumeError(address.takeError());
  }
  llvm::sort(symbols, [](const Symbol &a, const Symbol &b) { return a.address < b.address; });
}

/// Returns the address of the NativeKernelInfo in a library for Windows or macOS, or 0. DLLs have
/// no symbols other than their exports.
uint64_t NativeText::infoAddress() const {
  if (auto *dll = llvm::dyn_cast<object::COFFObjectFile>(&file)) {
    for (const object::ExportDirectoryEntryRef &exported : dll->export_directories()) {
      llvm::StringRef name;
      uint32_t address = 0;
      bool found = !llvm::errorToBool(exported.getSymbolName(name)) &&
                   name == executable::nativeInfoSymbol &&
                   !llvm::errorToBool(exported.getExportRVA(address));
      if (found)
        return dll->getImageBase() + address;
    }
    return 0;
  }
  for (const object::SymbolRef &symbol : file.symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    bool found = name && address && *name == std::string("_") + executable::nativeInfoSymbol;
    uint64_t value = found ? *address : 0;
    llvm::consumeError(name.takeError());
    llvm::consumeError(address.takeError());
    if (found)
      return value;
  }
  return 0;
}

/// Finds the kernel's description, and the code from its function to the end of the section. These
/// formats do not have the sizes of symbols.
void NativeText::readInfoAndCode() {
  executable::NativeKernelInfo info;
  Symbol own{executable::nativeInfoSymbol, infoAddress(), sizeof info, false};
  llvm::StringRef bytes = own.address ? bytesOf(own) : "";
  if (bytes.size() < sizeof info)
    return;
  std::memcpy(static_cast<void *>(&info), bytes.data(), sizeof info);
  symbols.push_back(own);
  auto start = reinterpret_cast<uint64_t>(info.run);
  for (const object::SectionRef &section : file.sections())
    if (start >= section.getAddress() && start - section.getAddress() < section.getSize())
      symbols.push_back({"run", start, section.getAddress() + section.getSize() - start, true});
}

/// Returns the bytes of a symbol, or nothing if no section holds all of them.
llvm::StringRef NativeText::bytesOf(const Symbol &symbol) const {
  for (const object::SectionRef &section : file.sections()) {
    if (section.isBSS() || symbol.address < section.getAddress())
      continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    uint64_t offset = symbol.address - section.getAddress();
    if (contents && offset <= contents->size() && symbol.bytes <= contents->size() - offset)
      return contents->substr(offset, symbol.bytes);
    llvm::consumeError(contents.takeError());
  }
  return {};
}

/// Prints the content of NativeKernelInfo, except for its addresses, which a loader fills in.
void NativeText::kernelInfo() {
  auto found = llvm::find_if(
      symbols, [](const Symbol &symbol) { return symbol.name == executable::nativeInfoSymbol; });
  executable::NativeKernelInfo info;
  llvm::StringRef bytes = found == symbols.end() ? "" : bytesOf(*found);
  if (bytes.size() < sizeof info) {
    out << "; no " << executable::nativeInfoSymbol << ": it is not a kernel\n";
    return;
  }
  std::memcpy(static_cast<void *>(&info), bytes.data(), sizeof info);
  out << "; version " << info.version << ", subgroups of " << info.subgroupSize
      << ", workgroups of " << info.workgroupSize[0] << " x " << info.workgroupSize[1] << " x "
      << info.workgroupSize[2] << "\n; " << info.workgroupMemoryBytes
      << " bytes of workgroup memory, " << info.scratchBytes << " of scratch memory\n";
}

void NativeText::disassemble(const Symbol &symbol) {
  // Every instruction that LLVM knows for the architecture is shown, whatever the processor.
  std::unique_ptr<void, CloseDisassembler> context(LLVMCreateDisasmCPUFeatures(
      file.makeTriple().str().c_str(), "", file.makeTriple().isAArch64() ? "+all" : "", nullptr, 0,
      nullptr, nullptr));
  out << "\n" << symbol.name << ":\n";
  if (!context) {
    out << "; LLVM has no disassembler for it\n";
    return;
  }
  std::string bytes = bytesOf(symbol).str(); // the interface takes a pointer to mutable bytes
  for (size_t at = 0; at < bytes.size();) {
    char line[256] = {};
    size_t length =
        LLVMDisasmInstruction(context.get(), reinterpret_cast<uint8_t *>(bytes.data()) + at,
                              bytes.size() - at, symbol.address + at, line, sizeof line);
    if (length == 0) {
      out << llvm::formatv("{0,6:x-}  ; no instruction\n", symbol.address + at);
      return;
    }
    out << llvm::formatv("{0,6:x-}{1}\n", symbol.address + at, line);
    at += length;
  }
}

} // namespace

std::string tools::nativeCodeText(const std::vector<uint8_t> &code) {
  cpu::prepareTargets();
  LLVMInitializeX86Disassembler();
  LLVMInitializeAArch64Disassembler();
  llvm::StringRef bytes(reinterpret_cast<const char *>(code.data()), code.size());
  llvm::Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "native code"));
  if (!file)
    return "; no ELF, Mach-O or PE file: " + llvm::toString(file.takeError()) + "\n";
  if (!(*file)->isELF() && !(*file)->isMachO() && !(*file)->isCOFF())
    return "; no ELF, Mach-O or PE file\n";
  return NativeText(**file).text();
}
