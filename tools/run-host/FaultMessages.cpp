//===- FaultMessages.cpp - describes a fault in a host program --------------===//
// A fault's handler may only call functions that are async-signal-safe: no memory, no locks, no
// stdio.
//===-------------------------------------------------------------------------===//
#include "tools/run-host/FaultMessages.h"

#include "tools/run-host/HostSymbols.h"
#include "tools/run-host/ProgramCode.h"
#include "tools/run-host/ReservedRanges.h"

#include <csignal>
#include <cstring>
#include <iterator>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

using namespace pumice;
using namespace pumice::run;

namespace {

constexpr int endedByError = 2;

struct Caught {
  int signal;
  const char *name;
};
constexpr Caught caught[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}};
struct sigaction before[std::size(caught)];

alignas(16) char stack[16384]; // the program's own stack may be exhausted
pthread_t programThread;

void write(const char *text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return; // the message cannot be written
}

void writeNumber(uintptr_t number, unsigned base) {
  char digits[24], *at = std::end(digits);
  *--at = '\0';
  do
    *--at = "0123456789abcdef"[number % base];
  while (number /= base);
  write(at);
}

/// The address of the code, and the end of its stack. Zeros on processors for which this is not
/// implemented.
struct Registers {
  uintptr_t instruction = 0, stack = 0;
};
Registers registersOf(void *context) {
#if defined(__linux__) && defined(__x86_64__)
  const auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
  return {uintptr_t(machine.gregs[REG_RIP]), uintptr_t(machine.gregs[REG_RSP])};
#elif defined(__linux__) && defined(__aarch64__)
  const auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
  return {uintptr_t(machine.pc), uintptr_t(machine.sp)};
#else
  (void)context;
  return {};
#endif
}

/// Reports memory that the host must not access.
void tellRange(const RangePlaces &places) {
  write(places.freed ? "pumice run: error: host code reached memory that was freed"
                     : "pumice run: error: host code reached memory that only the device sees");
  if (places.freed) {
    write(" by the ");
    write(places.freedBy);
    write(" at ");
    write(places.freed);
  }
  if (places.allocated) {
    write(", allocated at ");
    write(places.allocated);
  }
  write(places.freed ? "\n"
                     : "; copy it with gpu.memcpy, or allocate it with 'gpu.alloc host_shared'\n");
}

void tellWhat(const siginfo_t &info, const ProgramCode &code, uintptr_t stackEnd) {
  if (info.si_signo == SIGFPE)
    return write("an integer was divided by zero, or its quotient does not fit\n");
  if (info.si_signo == SIGILL)
    return write(
        "it reached an invalid instruction, which llvm.trap and llvm.unreachable produce\n");
#ifdef SI_KERNEL // on x86: no page can have the address, and the system does not report it
  if (info.si_code == SI_KERNEL)
    return write("it reached an address that no memory can have\n");
#endif
  auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  constexpr uintptr_t frame = 1 << 20; // a function's variables may be as large
  if (address < stackEnd + 4096 && stackEnd < address + frame)
    return write("its stack has run out\n");
  write("it reached the address 0x");
  writeNumber(address, 16);
  write(code.isConstant(address)      ? ", of a constant, which cannot be written\n"
        : info.si_code == SEGV_MAPERR ? ", where no memory is\n"
                                      : ", which is not its to read or write\n");
}

void tellSignal(int signal) {
  for (const Caught &one : caught)
    if (one.signal == signal)
      write(one.name);
  write(" (signal ");
  writeNumber(uintptr_t(signal), 10);
  write(")");
}

/// Returns whether the program caused the fault: its own code, a function that it called, or an
/// operation on invalid memory. Faults on a thread of the device are only reported.
bool tellProgram(const siginfo_t &info, const Registers &at) {
  const ProgramCode *code = ProgramCode::current();
  if (!code || !RunningProgram::current)
    return false;
  if (!pthread_equal(pthread_self(), programThread)) {
    write("pumice run: error: ");
    tellSignal(info.si_signo);
    write(" in a thread of the device, as where a kernel leaves its memory: ");
    tellWhat(info, *code, at.stack);
    return false;
  }
  if (const char *place = RunningProgram::current->performs) {
    std::fflush(stdout);
    write("pumice run: error: ");
    write(place);
    write(": ");
    tellSignal(info.si_signo);
    write(": ");
    tellWhat(info, *code, at.stack);
    return true;
  }
  bool isOwn = code->isCode(at.instruction);
  // The fault interrupted compiled code, and no function of the C library. So stdio is consistent,
  // and the program's output is not lost.
  if (isOwn)
    std::fflush(stdout);
  write("pumice run: error: ");
  tellSignal(info.si_signo);
  write(isOwn ? " in the program's own code" : " in a function that the program's own code called");
  if (const char *function = isOwn ? code->functionAt(at.instruction) : nullptr) {
    write(", in @");
    write(function);
  }
  write(": ");
  tellWhat(info, *code, at.stack);
  return true;
}

void onFault(int signal, siginfo_t *info, void *context) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  RangePlaces places;
  if (signal == SIGSEGV && findRange(address, places)) {
    tellRange(places);
    _exit(endedByError);
  }
  if (tellProgram(*info, registersOf(context)))
    _exit(endedByError);
  for (size_t i = 0; i < std::size(caught); ++i) // lets the fault occur again
    if (caught[i].signal == signal)
      sigaction(signal, &before[i], nullptr);
}

} // namespace

FaultMessages::FaultMessages() {
  programThread = pthread_self();
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < std::size(caught); ++i)
    sigaction(caught[i].signal, &action, &before[i]);
}

FaultMessages::~FaultMessages() {
  for (size_t i = 0; i < std::size(caught); ++i)
    sigaction(caught[i].signal, &before[i], nullptr);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}
