//===- Fibres.cpp - stacks that run in turn on one thread -------------------===//
// On x86-64, a change of stacks saves the registers that functions must keep, which takes some
// nanoseconds. Elsewhere it is that of ucontext, which also calls the system.
//===-------------------------------------------------------------------------===//
#include "tests/metal/host/Fibres.h"

#include <sys/mman.h>
#include <ucontext.h>

namespace pumice::msl {
namespace {

constexpr size_t stackBytes = 256 * 1024, guardBytes = 4096;

thread_local Fibres *current = nullptr;

#ifdef __x86_64__
/// Saves the registers on the stack whose pointer goes to `*from`, and continues at the stack `to`.
[[gnu::naked, gnu::noinline]] void change(void ** /*from*/, void * /*to*/) {
  asm("pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
      "movq %rsp, (%rdi)\n"
      "movq %rsi, %rsp\n"
      "popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
      "ret");
}
#endif

} // namespace

struct Fibres::Fibre {
  char *stack = nullptr;
  bool done = false;
#ifdef __x86_64__
  void *pointer = nullptr;
#else
  ucontext_t context;
#endif
  ~Fibre() {
    if (stack)
      munmap(stack, stackBytes);
  }
};

Fibres::Fibres() = default;
Fibres::~Fibres() = default;

void Fibres::begin() {
  Fibres &fibres = *current;
  fibres.function(fibres.context, fibres.running);
  fibres.all[fibres.running]->done = true;
  fibres.leave();
  __builtin_trap(); // a fibre that is done is not entered
}

bool Fibres::start(unsigned count, Function called, void *with) {
  function = called;
  context = with;
  while (all.size() < count) {
    auto fibre = std::make_unique<Fibre>();
    void *memory = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    fibre->stack = static_cast<char *>(memory);
    mprotect(memory, guardBytes, PROT_NONE); // an overflow ends the process, and damages nothing
    all.push_back(std::move(fibre));
  }
  for (unsigned i = 0; i < count; ++i) {
    Fibre &fibre = *all[i];
    fibre.done = false;
#ifdef __x86_64__
    // What `change` pops: six registers and the address to continue at. The stack is aligned as
    // after a call.
    auto **top = reinterpret_cast<void **>(fibre.stack + stackBytes) - 1;
    *--top = reinterpret_cast<void *>(&Fibres::begin);
    for (int saved = 0; saved < 6; ++saved)
      *--top = nullptr;
    fibre.pointer = top;
#else
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack;
    fibre.context.uc_stack.ss_size = stackBytes;
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, &Fibres::begin, 0);
#endif
  }
  return true;
}

bool Fibres::isDone(unsigned fibre) const { return all[fibre]->done; }

void Fibres::enter(unsigned fibre) {
  running = fibre;
  current = this;
#ifdef __x86_64__
  change(&scheduler, all[fibre]->pointer);
#else
  ucontext_t here;
  scheduler = &here;
  swapcontext(&here, &all[fibre]->context);
#endif
}

void Fibres::leave() {
#ifdef __x86_64__
  change(&all[running]->pointer, scheduler);
#else
  swapcontext(&all[running]->context, static_cast<ucontext_t *>(scheduler));
#endif
}

} // namespace pumice::msl
