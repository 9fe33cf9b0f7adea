//===- FaultTest.cpp - accesses that the hardware refuses -------------------===//
#include "runtime/drivers/cpu/Faults.h"
#include "runtime/drivers/cpu/TestKernels.h"

#include <csetjmp>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
using hal::Buffer;
using hal::BufferRange;
using hal::Kernel;
using hal::Queue;

namespace {

struct Stray {
  uint64_t address = 0;
  uint32_t group = 0;
  enum What : uint32_t { Read, Write, Divide, Instruction } what = Read;
};

/// Mapped pages in the middle of unmapped memory. They are far from the places that the system
/// chooses. Next to those, the heap of a new thread could reserve memory for itself.
class Pages {
public:
  explicit Pages(size_t count) : bytes(count * size()) {
    void *mapped = mmap(begin(), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    EXPECT_EQ(mapped, begin());
  }
  ~Pages() { munmap(begin(), bytes); }
  static size_t size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
  static uint64_t address() { return uint64_t{1} << 45; }
  static std::byte *begin() { return reinterpret_cast<std::byte *>(address()); }

  const size_t bytes;
};

class CpuFault : public ::testing::Test {
protected:
  CpuFault() {
    Source source("Stray", {{0, 0, false}}, sizeof(Stray));
    source.pointers = {{.name = "x", .number = 0, .place = 0}};
    Result<Ref<Kernel>> made = device->createKernel(source);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    kernel = *made;
  }
  void SetUp() override {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer handles signals itself, and jumps out of handlers crash in it";
#endif
#endif
  }

  Status run(const Stray &stray, uint32_t groups = 1,
             const hal::ArgumentMemoryQuery *memory = nullptr) {
    results = device->allocate(groups * 4).value();
    const BufferRange bindings[] = {{results.get()}};
    const hal::BufferUse uses[] = {{results.get()}};
    hal::Dispatch work;
    work.kernel = kernel.get();
    work.groups = {groups, 1, 1};
    work.bindings = bindings;
    work.uses = uses;
    work.pushConstants = std::as_bytes(std::span(&stray, 1));
    work.memory = memory;
    EXPECT_TRUE(queue->dispatch(work).isOk());
    return queue->finish();
  }

  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel;
  Ref<Buffer> results;
};

bool says(const Status &status, std::string_view text) {
  return status.message().find(text) != std::string::npos;
}

} // namespace

#if defined(__linux__)

TEST_F(CpuFault, ARefusedReadFailsItsLaunchAlone) {
  Status status = run({.address = 64}); // nothing is mapped there
  EXPECT_EQ(status.code(), StatusCode::InvalidAccess) << status.toString();
  // A debug build also names the kernel's source line between these two parts.
  EXPECT_TRUE(says(status, "kernel 'Stray': ")) << status.toString();
  EXPECT_TRUE(says(status, "program (0, 0, 0): invalid")) << status.toString();
  EXPECT_TRUE(says(status, "0x40")) << status.toString();
  Pages pages(1);
  EXPECT_TRUE(run({.address = pages.address()}).isOk());
}

TEST_F(CpuFault, NamesTheProgramOnAnyThread) {
  for (uint32_t group : {0u, 1u, 777u, 4095u}) {
    Status status = run({.address = 64, .group = group, .what = Stray::Write}, 4096);
    EXPECT_EQ(status.code(), StatusCode::InvalidAccess);
    EXPECT_TRUE(says(status, "program (" + std::to_string(group) + ", 0, 0)")) << status.toString();
  }
}

TEST_F(CpuFault, NamesTheNearestArgument) {
  Pages pages(3);
  hal::ArgumentMemoryQuery memory = [&] {
    return std::vector<hal::ArgumentMemory>{{pages.address(), pages.bytes, 0}};
  };
  uint64_t bytes = pages.bytes;
  Status behind = run({.address = pages.address() + bytes + 100, .what = Stray::Write}, 1, &memory);
#if defined(__x86_64__)
  EXPECT_TRUE(says(behind, "invalid write")) << behind.toString();
#endif
  EXPECT_TRUE(
      says(behind, "100 bytes past the end of its storage of " + std::to_string(bytes) + " bytes"))
      << behind.toString();
  Status before = run({.address = pages.address() - 4096, .what = Stray::Write}, 1, &memory);
  EXPECT_TRUE(says(before, "4096 bytes before its storage of " + std::to_string(bytes) + " bytes"))
      << before.toString();
}

TEST_F(CpuFault, NamesTheNearestBuffer) {
  Pages pages(1);
  Ref<Buffer> lent = device->importHost(pages.begin(), pages.bytes).value();
  Status status = run({.address = pages.address() + pages.bytes, .what = Stray::Write});
  EXPECT_TRUE(says(status, "'x' + 0: 0 bytes past the end of its storage of")) << status.toString();
}

TEST_F(CpuFault, NamesNoArgumentOfAKernelsOwnChecks) {
  Source source("Stray", {{0, 0, false}}, sizeof(Stray));
  source.pointers = {{.name = "pumice.history.x", .number = 0, .place = 0}};
  kernel = device->createKernel(source).value();
  Pages pages(1);
  Ref<Buffer> lent = device->importHost(pages.begin(), pages.bytes).value();
  Status status = run({.address = pages.address() + pages.bytes, .what = Stray::Write});
  EXPECT_EQ(status.code(), StatusCode::InvalidAccess);
  EXPECT_FALSE(says(status, "pumice.")) << status.toString();
}

TEST_F(CpuFault, ReadsCloseToAnArgumentGetZeros) {
  Pages pages(1);
  hal::ArgumentMemoryQuery memory = [&] {
    return std::vector<hal::ArgumentMemory>{{pages.address(), pages.bytes, 0}};
  };
  for (int64_t away : {int64_t{4}, int64_t{4096}, int64_t{Slack::reach} - 8}) {
    ASSERT_TRUE(run({.address = pages.address() + pages.bytes + away}, 1, &memory).isOk());
    EXPECT_EQ(wordsOf<uint32_t>(*results)[0], 0u);
    ASSERT_TRUE(run({.address = pages.address() - away}, 1, &memory).isOk());
    EXPECT_EQ(wordsOf<uint32_t>(*results)[0], 0u);
  }
  // An access is an error if it is too far from the memory that the launch names, or if the launch
  // names none.
  EXPECT_FALSE(
      run({.address = pages.address() + pages.bytes + Slack::reach + 4096}, 1, &memory).isOk());
  EXPECT_FALSE(run({.address = pages.address() + pages.bytes + 4}).isOk());
}

TEST_F(CpuFault, NoPageStaysBehind) {
  Pages pages(1);
  hal::ArgumentMemoryQuery memory = [&] {
    return std::vector<hal::ArgumentMemory>{{pages.address(), pages.bytes, 0}};
  };
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run({.address = pages.address() + pages.bytes}, 1, &memory).isOk());
    unsigned char present = 0;
    EXPECT_EQ(mincore(pages.begin() + pages.bytes, Pages::size(), &present), -1);
  }
}

TEST_F(CpuFault, ReadsOfSeveralThreadsShareThePages) {
  Pages pages(1);
  hal::ArgumentMemoryQuery memory = [&] {
    return std::vector<hal::ArgumentMemory>{{pages.address(), pages.bytes, 0}};
  };
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Ref<Queue> own = device->createQueue().value();
      Ref<Buffer> result = device->allocate(4).value();
      for (int i = 0; i < 200; ++i) {
        Stray stray{.address = pages.address() + pages.bytes};
        const BufferRange bindings[] = {{result.get()}};
        const hal::BufferUse uses[] = {{result.get()}};
        hal::Dispatch work;
        work.kernel = kernel.get();
        work.bindings = bindings;
        work.uses = uses;
        work.pushConstants = std::as_bytes(std::span(&stray, 1));
        work.memory = &memory;
        failed += !own->dispatch(work).isOk() || !own->finish().isOk();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(CpuFault, WritesToReadOnlyMemoryAreReported) {
  Pages pages(1);
  ASSERT_EQ(mprotect(pages.begin(), pages.bytes, PROT_READ), 0);
  hal::ArgumentMemoryQuery memory = [&] {
    return std::vector<hal::ArgumentMemory>{{pages.address(), pages.bytes, 0}};
  };
  Status status = run({.address = pages.address() + 12, .what = Stray::Write}, 1, &memory);
  EXPECT_TRUE(says(status, "inside its storage of")) << status.toString();
}

TEST_F(CpuFault, LaterWorkOfTheQueueDoesNotRun) {
  Ref<Buffer> mark = device->allocate(4).value();
  wordsOf<uint32_t>(*mark)[0] = 5;
  Stray stray{.address = 64};
  results = device->allocate(4).value();
  const BufferRange bindings[] = {{results.get()}};
  ASSERT_TRUE(
      launch(*queue, *kernel, {1, 1, 1}, bindings, std::as_bytes(std::span(&stray, 1))).isOk());
  ASSERT_TRUE(queue->fill({mark.get()}, 6).isOk());
  EXPECT_EQ(queue->finish().code(), StatusCode::InvalidAccess);
  EXPECT_EQ(wordsOf<uint32_t>(*mark)[0], 5u);
  ASSERT_TRUE(queue->fill({mark.get()}, 7).isOk());
  EXPECT_TRUE(queue->finish().isOk());
  EXPECT_EQ(wordsOf<uint32_t>(*mark)[0], 7u);
}

#if defined(__x86_64__)

TEST_F(CpuFault, AddressesThatNoMemoryHas) {
  Status status = run({.address = uint64_t{0x1234} << 48});
  EXPECT_EQ(status.code(), StatusCode::InvalidAccess) << status.toString();
}

TEST_F(CpuFault, DivisionsAndInstructions) {
  Status division = run({.what = Stray::Divide});
  EXPECT_TRUE(says(division, "integer division")) << division.toString();
  Status instruction = run({.what = Stray::Instruction});
  EXPECT_TRUE(says(instruction, "lacks")) << instruction.toString();
  Pages pages(1);
  EXPECT_TRUE(run({.address = pages.address()}).isOk());
}

#endif

namespace {
sigjmp_buf elsewhere;
void goElsewhere(int) { siglongjmp(elsewhere, 1); }
} // namespace

TEST_F(CpuFault, FaultsOfOtherCodeReachItsHandler) {
  // The signal handler that was installed before ours gets the faults of other code.
  struct sigaction theirs = {}, old = {};
  theirs.sa_handler = goElsewhere;
  theirs.sa_flags = SA_NODEFER;
  ASSERT_EQ(sigaction(SIGSEGV, &theirs, &old), 0);
  watchFaults();
  volatile bool returned = false;
  if (!sigsetjmp(elsewhere, 1))
    *reinterpret_cast<volatile int *>(uintptr_t{64}) = 1;
  else
    returned = true;
  EXPECT_TRUE(returned);
  EXPECT_EQ(run({.address = 64}).code(), StatusCode::InvalidAccess);
  sigaction(SIGSEGV, &old, nullptr);
  watchFaults();
}

TEST_F(CpuFault, WithoutAHandlerBeforeOursTheProcessEnds) {
  auto fault = [] {
    signal(SIGSEGV, SIG_DFL);
    watchFaults();
    *reinterpret_cast<volatile int *>(uintptr_t{64}) = 1;
  };
  EXPECT_EXIT(fault(), ::testing::KilledBySignal(SIGSEGV), "");
}

#endif
