//===- NativeSubject.cpp - kernels written by hand --------------------------===//
#include "bench/cpu/Native.h"
#include "bench/cpu/Subject.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace pumice::bench {
namespace {

class NativeSubject final : public Subject {
public:
  std::string describe() const override {
    return "C++, " + std::string(nativeWidth()) + ", " + std::to_string(team.threads()) +
           (team.threads() == 1 ? " thread" : " threads");
  }

  Status makeBuffers(const Problem &problem) override {
    memory.clear();
    pointers.clear();
    for (const Bytes &bytes : problem.buffers) {
      constexpr size_t page = 2 << 20;
      size_t room = (bytes.size() + page - 1) / page * page;
      memory.emplace_back(static_cast<std::byte *>(std::aligned_alloc(page, room)));
      if (!memory.back())
        return Status(StatusCode::ResourceExhausted,
                      "there is no memory for " + std::to_string(room) + " bytes");
      // Large pages avoid misses of the TLB. It does no harm if the system ignores this request.
      madvise(memory.back().get(), room, MADV_HUGEPAGE);
      pointers.push_back(memory.back().get());
    }
    return reset(problem);
  }

  Status compile(const Problem &problem) override {
    kernel = nativeKernel(problem.name);
    return kernel ? Status::ok()
                  : Status(StatusCode::NotFound, "'" + problem.name + "' is not written by hand");
  }

  Status reset(const Problem &problem) override {
    for (size_t i = 0; i < pointers.size(); ++i)
      std::memcpy(pointers[i], problem.buffers[i].data(), problem.buffers[i].size());
    return Status::ok();
  }

  Status launch(const Problem &problem, const Launch &) override {
    kernel(problem, pointers, team);
    return Status::ok();
  }

  Status finish() override { return Status::ok(); }

  Result<Bytes> output(const Problem &problem) override {
    if (problem.buffers.empty())
      return Bytes();
    const std::byte *from = pointers[problem.output];
    return Bytes(from, from + problem.buffers[problem.output].size());
  }

  void wake() override { team.wake(); }
  void rest() override { team.rest(); }

private:
  struct Free {
    void operator()(std::byte *pointer) const { std::free(pointer); }
  };
  Team team;
  NativeKernel kernel = nullptr;
  std::vector<std::unique_ptr<std::byte, Free>> memory;
  std::vector<std::byte *> pointers;
};

} // namespace

Result<std::unique_ptr<Subject>> makeNativeSubject() {
  return std::unique_ptr<Subject>(new NativeSubject);
}

} // namespace pumice::bench
