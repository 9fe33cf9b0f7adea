//===- CompileSpirvFuzzer.cpp - compiles any words, or reports an error -----===//
// Runs the reader and the whole lowering for CPUs, in the same way as the CPU device.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/CompileNative.h"

#include <cstdlib>
#include <cstring>

using namespace pumice;

/// Limits the size of the code, because one word may request more instructions than any real kernel
/// has.
static constexpr size_t mostBytes = 16384;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > mostBytes)
    return -1;
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
  cpu::NativeRequest request;
  request.words = words;
  request.workgroupSize = {8, 1, 1};
  request.emit.form = cpu::NativeForm::LlvmIr;
  std::string diagnostics;
  Result<std::vector<uint8_t>> made = cpu::compileNative(request, diagnostics);
  if (!made.isOk() && diagnostics.empty() && made.status().message().empty())
    std::abort();
  return 0;
}
