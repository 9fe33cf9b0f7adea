//===- PlatformThreads.cpp - threads and processors, as systems differ ------===//
#include "support/PlatformThreads.h"

#include "support/CgroupQuota.h"
#include "support/Platform.h"

#include <algorithm>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace pumice {

Thread::~Thread() = default;

#ifdef _WIN32

namespace {

DWORD WINAPI runBody(void *argument) {
  std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()> *>(argument));
  (*body)();
  return 0;
}

} // namespace

std::unique_ptr<Thread> Thread::start(const char *, std::function<void()> body) {
  auto kept = std::make_unique<std::function<void()>>(std::move(body));
  HANDLE made = CreateThread(nullptr, threadStackBytes, runBody, kept.get(),
                             STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (!made)
    return nullptr;
  (void)kept.release(); // now it belongs to the thread
  std::unique_ptr<Thread> thread(new Thread);
  thread->handle = reinterpret_cast<uint64_t>(made);
  return thread;
}

void Thread::join() {
  WaitForSingleObject(reinterpret_cast<HANDLE>(handle), INFINITE);
  detach();
}

void Thread::detach() { CloseHandle(reinterpret_cast<HANDLE>(handle)); }

std::vector<unsigned> allowedProcessors() {
  DWORD_PTR process = 0, system = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &system))
    return {};
  std::vector<unsigned> allowed;
  for (unsigned i = 0; i < 8 * sizeof process; ++i)
    if (process >> i & 1)
      allowed.push_back(i);
  return allowed;
}

void pinThisThread(unsigned processor) {
  if (processor < 8 * sizeof(DWORD_PTR))
    SetThreadAffinityMask(GetCurrentThread(), DWORD_PTR{1} << processor);
}

uint64_t mainMemoryBytes() {
  MEMORYSTATUSEX status;
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

void adviseLargePages(void *, uint64_t) {}

void aroundForks(void (*)(), void (*)(), void (*)()) {}

static unsigned onlineProcessors() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwNumberOfProcessors;
}

#else

namespace {

struct Start {
  std::function<void()> body;
  std::string name;
};

void *runBody(void *argument) {
  std::unique_ptr<Start> start(static_cast<Start *>(argument));
#ifdef __APPLE__
  pthread_setname_np(start->name.c_str());
#else
  pthread_setname_np(pthread_self(), start->name.c_str());
#endif
  start->body();
  return nullptr;
}

pthread_t threadOf(uint64_t handle) {
#ifdef __APPLE__
  return reinterpret_cast<pthread_t>(handle);
#else
  return static_cast<pthread_t>(handle);
#endif
}

} // namespace

std::unique_ptr<Thread> Thread::start(const char *name, std::function<void()> body) {
  auto start = std::make_unique<Start>(Start{std::move(body), name});
  pthread_t made;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return nullptr;
  (void)pthread_attr_setstacksize(&attributes, threadStackBytes);
  int error = pthread_create(&made, &attributes, runBody, start.get());
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return nullptr;
  (void)start.release(); // now it belongs to the thread
  std::unique_ptr<Thread> thread(new Thread);
#ifdef __APPLE__
  thread->handle = reinterpret_cast<uint64_t>(made);
#else
  thread->handle = static_cast<uint64_t>(made);
#endif
  return thread;
}

void Thread::join() { pthread_join(threadOf(handle), nullptr); }

void Thread::detach() { pthread_detach(threadOf(handle)); }

#ifdef __linux__

std::vector<unsigned> allowedProcessors() {
  // The kernel's processor mask may be longer than glibc's type.
  for (unsigned most = 1024; most <= 1u << 16; most *= 4) {
    cpu_set_t *set = CPU_ALLOC(most);
    size_t bytes = CPU_ALLOC_SIZE(most);
    std::vector<unsigned> allowed;
    bool known = set && sched_getaffinity(0, bytes, set) == 0;
    for (unsigned i = 0; known && i < most; ++i)
      if (CPU_ISSET_S(i, bytes, set))
        allowed.push_back(i);
    CPU_FREE(set);
    if (known)
      return allowed;
  }
  return {};
}

void pinThisThread(unsigned processor) {
  if (processor >= CPU_SETSIZE)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

#else

std::vector<unsigned> allowedProcessors() { return {}; }

void pinThisThread(unsigned) {}

#endif

uint64_t mainMemoryBytes() {
#ifdef _SC_PHYS_PAGES
  long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<uint64_t>(pages) * pageBytes() : 0;
#else
  return 0;
#endif
}

void adviseLargePages(void *memory, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

void aroundForks(void (*before)(), void (*inParent)(), void (*inChild)()) {
  pthread_atfork(before, inParent, inChild);
}

static unsigned onlineProcessors() {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

#endif

unsigned processorCount() {
  auto allowed = static_cast<unsigned>(allowedProcessors().size());
  return std::max(allowed ? allowed : onlineProcessors(), 1u);
}

double processorQuota() {
#ifdef __linux__
  return cgroupQuota([](const std::string &path) {
    Result<std::string> text = readFile(path);
    return text.isOk() ? *text : std::string();
  });
#else
  return 0;
#endif
}

} // namespace pumice
