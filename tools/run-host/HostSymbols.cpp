//===- HostSymbols.cpp - the functions that compiled host code may call -----===//
#include "tools/run-host/HostSymbols.h"

#include "support/EnglishText.h"

#include <chrono>
#include <cstring>
#include <utility>

using namespace pumice;
using namespace pumice::run;

RunningProgram *RunningProgram::current = nullptr;

void RunningProgram::end(Status status) {
  failure = std::move(status);
  std::longjmp(start, 1);
}

Result<int64_t> run::runGuarded(HostRuntime &runtime, int64_t (*call)(void *entry), void *entry) {
  RunningProgram program;
  program.runtime = &runtime;
  RunningProgram::current = &program;
  int64_t result = 0;
  // Between here and an `end`, only compiled code and the functions of this file are on the stack.
  // They hold no resources when they call `end`.
  if (setjmp(program.start) == 0)
    result = call(entry);
  RunningProgram::current = nullptr;
  if (!program.failure.isOk())
    return std::move(program.failure);
  return result;
}

namespace {

/// The last error, or null. It is kept outside the frames that `end` leaves.
Status lastFailure;

[[noreturn]] void endProgram() {
  // Work in flight may write to the program's stack, so queues are dropped while the stack exists.
  RunningProgram::current->runtime->dropQueues();
  RunningProgram::current->end(std::move(lastFailure));
}

void *tryPerform(int64_t site, void **operands, void **tokens, int64_t count) {
  RunningProgram &program = *RunningProgram::current;
  program.performs = program.runtime->placeOf(static_cast<size_t>(site));
  Result<void *> token =
      program.runtime->perform(static_cast<size_t>(site), operands, tokens, count);
  program.performs = nullptr;
  if (token.isOk())
    return *token;
  lastFailure = token.status();
  return nullptr;
}

void *perform(int64_t site, void **operands, void **tokens, int64_t count) {
  lastFailure = Status::ok();
  void *token = tryPerform(site, operands, tokens, count);
  if (!lastFailure.isOk())
    endProgram();
  return token;
}

/// The place of the next memref.alloc or memref.dealloc; null: unknown.
const char *nextPlace = nullptr;

void setPlace(int64_t site, const int64_t *sizes) {
  const HostRuntime &runtime = *RunningProgram::current->runtime;
  nextPlace = runtime.placeOf(static_cast<size_t>(site));
  lastFailure = runtime.checkSizes(static_cast<size_t>(site), sizes);
  if (!lastFailure.isOk())
    endProgram();
}

void *alignedAlloc(uint64_t alignment, uint64_t bytes) {
  const char *place = std::exchange(nextPlace, nullptr);
  void *memory = RunningProgram::current->runtime->memory().allocateHost(bytes, alignment, place);
  if (memory)
    return memory;
  lastFailure = Status(StatusCode::ResourceExhausted,
                       "no memory for a memref.alloc of " + counted(bytes, "byte"));
  if (place)
    lastFailure = Status(lastFailure).at(place);
  endProgram();
}

void *alloc(uint64_t bytes) { return alignedAlloc(1, bytes); }

void tryFree(std::byte *pointer) {
  HostRuntime &runtime = *RunningProgram::current->runtime;
  Region *region = runtime.memory().find(pointer);
  const char *place = std::exchange(nextPlace, nullptr);
  bool used = region && region->buffer; // work in flight may use it
  lastFailure = used ? runtime.finish() : runtime.settle(pointer, region ? region->bytes : 1);
  if (lastFailure.isOk()) // otherwise it is freed with the rest, when no work runs any more
    lastFailure = runtime.memory().freeHost(pointer, place);
  if (!lastFailure.isOk() && place)
    lastFailure = Status(lastFailure).at(place);
}

void freeMemory(std::byte *pointer) {
  if (!pointer)
    return;
  tryFree(pointer);
  if (!lastFailure.isOk())
    endProgram();
}

/// Copies unranked memrefs that are not contiguous (memref.copy).
void memrefCopy(int64_t elementBytes, const void *from, const void *to) {
  auto bytes = static_cast<uint64_t>(elementBytes);
  Memref source = Memref::unranked(from, bytes), target = Memref::unranked(to, bytes);
  forEachRun(target, source, [&](int64_t atTarget, int64_t atSource, uint64_t elements) {
    std::memmove(target.aligned + atTarget * elementBytes, source.aligned + atSource * elementBytes,
                 elements * bytes);
  });
}

int64_t nanoTime() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

double seconds() { return static_cast<double>(nanoTime()) / 1e9; }

template <typename F> void add(HostSymbols &symbols, std::string name, F *function) {
  symbols.emplace_back(std::move(name), reinterpret_cast<void *>(function));
}

} // namespace

HostSymbols run::hostSymbols() {
  HostSymbols symbols;
  using host::Action;
  for (Action action : {Action::Launch, Action::Alloc, Action::Dealloc, Action::Copy, Action::Fill,
                        Action::Wait, Action::Register, Action::Unregister, Action::Fail})
    add(symbols, host::functionOf(action).str(), perform);
  add(symbols, host::functionOf(Action::Place).str(), setPlace);
  add(symbols, "_mlir_memref_to_llvm_alloc", alloc);
  add(symbols, "_mlir_memref_to_llvm_aligned_alloc", alignedAlloc);
  add(symbols, "_mlir_memref_to_llvm_free", freeMemory);
  add(symbols, "memrefCopy", memrefCopy);
  add(symbols, "nanoTime", nanoTime);
  add(symbols, "_mlir_ciface_nanoTime", nanoTime);
  add(symbols, "rtclock", seconds);
  addPrintSymbols(symbols);
  addVectorPrintSymbols(symbols);
  return symbols;
}
