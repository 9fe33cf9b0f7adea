//===- Faults.cpp - signals that native code raises -------------------------===//
// The handler runs on the thread that faulted. It interrupts only code of ours that holds no locks
// and makes no calls, so it may do what any function may. Its stack may be small, if the program
// gave the thread its own signal stack. So the handler lets another thread ask for the memory of
// arguments.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/cpu/Faults.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__linux__)
#include <csetjmp>
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#endif

namespace pumice::cpu_driver {

#if defined(__linux__)

namespace {

/// The point to which a thread returns after a fault in native code.
struct Frame {
  sigjmp_buf back;
  Slack *slack;
  Fault *fault;
  // The instruction at which `notePlaces` found the thread, or 0 if it did not ask the thread.
  std::atomic<uint64_t> place = 0;
  // The page for which zeros were last provided, and how many times in a row.
  uint64_t lastPage = 0;
  unsigned times = 0;
};

/// Another launch may unmap a page of zeros that this launch still reads, so the page is provided
/// again. If a page faults more often than this, it is unreadable for another reason.
constexpr unsigned mostTimes = 16;

thread_local Frame *current = nullptr;
/// True while the previous handler runs on this thread.
thread_local bool chaining = false;

constexpr int watched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];
std::mutex installing;

/// A thread that runs cancellable native code.
struct Cancellable {
  const uint32_t *cancel;
  pthread_t thread;
  Frame *frame;
};

struct Running {
  std::mutex mutex;
  std::vector<Cancellable> threads;
};

Running &running() {
  static auto *one = new Running; // never destroyed; threads may run until the process ends
  return *one;
}

/// Registers the calling thread while it runs cancellable code.
class Registered {
public:
  Registered(const uint32_t *cancel, Frame &frame) : frame(cancel ? &frame : nullptr) {
    if (!cancel) [[likely]]
      return;
    std::lock_guard lock(running().mutex);
    running().threads.push_back({cancel, pthread_self(), &frame});
  }
  ~Registered() {
    if (!frame) [[likely]]
      return;
    std::lock_guard lock(running().mutex);
    std::erase_if(running().threads, [this](const Cancellable &one) { return one.frame == frame; });
  }
  Registered(const Registered &) = delete;
  Registered &operator=(const Registered &) = delete;

private:
  Frame *frame;
};

/// A signal with this address asks the thread for its current instruction.
constexpr char placeQuestion = 0;

bool isPlaceQuestion(const siginfo_t &info) {
  return info.si_code == SI_QUEUE && info.si_pid == getpid() &&
         info.si_value.sival_ptr == &placeQuestion;
}

uint64_t pageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t instructionOf(const ucontext_t &context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

Fault::Kind kindOf(int signal, const ucontext_t &context) {
  if (signal == SIGFPE)
    return Fault::Kind::Division;
  if (signal == SIGILL)
    return Fault::Kind::Instruction;
#if defined(__x86_64__)
  constexpr uint64_t pageFault = 14, writes = 2; // the trap number; a bit of the error code
  if (context.uc_mcontext.gregs[REG_TRAPNO] == pageFault)
    return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_ERR]) & writes ? Fault::Kind::Write
                                                                              : Fault::Kind::Read;
#else
  (void)context;
#endif
  return Fault::Kind::Access;
}

/// Passes the signal to the previous handler.
void chain(int signal, siginfo_t *info, void *context) {
  const struct sigaction &old = before[signal];
  bool isFunction =
      (old.sa_flags & SA_SIGINFO) != 0 || (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN);
  if (!isFunction || chaining) {
    // The instruction runs again, and then the system acts as if there were no handler.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (info->si_code <= 0) // sent by a program, so it does not recur
      raise(signal);
    return;
  }
  chaining = true;
  if (old.sa_flags & SA_SIGINFO)
    old.sa_sigaction(signal, info, context);
  else
    old.sa_handler(signal);
  chaining = false;
}

void handle(int signal, siginfo_t *info, void *given) {
  Frame *frame = current;
  const auto &context = *static_cast<const ucontext_t *>(given);
  if (isPlaceQuestion(*info)) {
    if (frame)
      frame->place.store(instructionOf(context), std::memory_order_relaxed);
    return;
  }
  if (!frame || info->si_code <= 0) // 0 or less: sent by a program
    return chain(signal, info, given);
  Fault fault;
  fault.kind = kindOf(signal, context);
  fault.instruction = instructionOf(context);
  fault.hasAddress = (signal == SIGSEGV && info->si_code != SI_KERNEL) || signal == SIGBUS;
  fault.address = fault.hasAddress ? reinterpret_cast<uint64_t>(info->si_addr) : 0;
  bool isStray = signal == SIGSEGV && info->si_code == SEGV_MAPERR &&
                 fault.kind != Fault::Kind::Write && fault.hasAddress;
  if (isStray) {
    uint64_t page = fault.address / pageBytes();
    frame->times = frame->lastPage == page ? frame->times + 1 : 0;
    frame->lastPage = page;
    if (frame->times < mostTimes && frame->slack->provide(fault.address))
      return;
  }
  *frame->fault = fault;
  siglongjmp(frame->back, 1);
}

bool isOff() {
  const char *said = std::getenv("PUMICE_CPU_FAULTS");
  return said && std::strcmp(said, "off") == 0;
}

} // namespace

void watchFaults() {
  if (isOff())
    return;
  std::lock_guard lock(installing);
  for (int signal : watched) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) != 0 ||
        ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle))
      continue;
    before[signal] = now;
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    // The handler does not block signals, so leaving it by a jump leaves nothing to restore.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

NativeOutcome runGuarded(executable::NativeKernelFunction run,
                         const executable::NativeLaunch &launch, void *workgroupMemory,
                         void *scratch, uint64_t begin, uint64_t end, Slack &slack, Fault &fault) {
  Frame frame;
  frame.slack = &slack;
  frame.fault = &fault;
  Frame *outer = current; // set if a print callback launches another kernel
  Registered registered(launch.cancel, frame);
  if (sigsetjmp(frame.back, 0)) {
    current = outer;
    return NativeOutcome::Faulted;
  }
  current = &frame;
  uint32_t cancelled = executable::runNative(run, launch, workgroupMemory, scratch, begin, end);
  current = outer;
  if (!cancelled)
    return NativeOutcome::Done;
  fault.instruction = frame.place.load(std::memory_order_relaxed);
  return NativeOutcome::Cancelled;
}

void notePlaces(const uint32_t *cancel) {
  constexpr int patience = 50;
  constexpr std::chrono::microseconds rest{100};
  for (int round = 0; round < patience; ++round) {
    bool all = true;
    {
      std::lock_guard lock(running().mutex);
      struct sigaction now = {};
      // If another handler was installed, it would mistake the signal for a fault.
      if (sigaction(SIGSEGV, nullptr, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
          now.sa_sigaction != handle)
        return;
      for (const Cancellable &one : running().threads) {
        if (one.cancel != cancel || one.frame->place.load(std::memory_order_relaxed) != 0)
          continue;
        all = false;
        sigval question = {};
        question.sival_ptr = const_cast<char *>(&placeQuestion);
        if (round == 0 && pthread_sigqueue(one.thread, SIGSEGV, question) != 0)
          return;
      }
    }
    if (all)
      return;
    std::this_thread::sleep_for(rest);
  }
}

Slack::~Slack() {
  for (uint64_t page : pages)
    munmap(reinterpret_cast<void *>(page), pageBytes());
}

bool Slack::provide(uint64_t address) {
  std::lock_guard lock(mutex);
  if (!asked && ask)
    std::thread([this] { ranges = ask(); }).join();
  asked = true;
  bool isNear = false;
  for (const Range &range : ranges)
    isNear |= address + reach >= range.begin && address < range.end + reach;
  if (!isNear)
    return false;
  uint64_t page = address & ~(pageBytes() - 1);
  void *made = mmap(reinterpret_cast<void *>(page), pageBytes(), PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (made == MAP_FAILED)
    return errno == EEXIST; // another thread has just provided the page
  // An old Linux kernel does not know the flag, and may choose another address.
  if (reinterpret_cast<uint64_t>(made) != page) {
    munmap(made, pageBytes());
    return false;
  }
  pages.push_back(page);
  return true;
}

#else

void watchFaults() {}

void notePlaces(const uint32_t *) {}

NativeOutcome runGuarded(executable::NativeKernelFunction run,
                         const executable::NativeLaunch &launch, void *workgroupMemory,
                         void *scratch, uint64_t begin, uint64_t end, Slack &, Fault &) {
  return executable::runNative(run, launch, workgroupMemory, scratch, begin, end)
             ? NativeOutcome::Cancelled
             : NativeOutcome::Done;
}

Slack::~Slack() = default;

bool Slack::provide(uint64_t) { return false; }

#endif

} // namespace pumice::cpu_driver
