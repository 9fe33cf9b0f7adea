//===- Failures.cpp - keeps assertions of kernels that failed ---------------===//
#include "python/torch_shim/device/Failures.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace pumice::vk {
namespace {

/// The byte on both sides of an assertion's text (docs/printf.md).
constexpr char mark = '\x1e';
/// An error names at most this many assertions. A kernel may fail for each of its elements.
constexpr size_t mostNamed = 5;

struct Failures {
  std::mutex mutex;
  std::vector<std::string> named;
  size_t count = 0;
  std::atomic<bool> any = false;
};
Failures &failures() {
  static auto *one = new Failures;
  return *one;
}

} // namespace

void keepFailure(std::string text) {
  Failures &all = failures();
  std::lock_guard lock(all.mutex);
  if (++all.count <= mostNamed)
    all.named.push_back(std::move(text));
  all.any.store(true, std::memory_order_release);
}

void takeOutput(void *name, const char *text, size_t bytes) {
  std::string_view rest(text, bytes);
  std::string other;
  while (!rest.empty()) {
    size_t begin = rest.find(mark);
    size_t end = begin == rest.npos ? rest.npos : rest.find(mark, begin + 1);
    other += rest.substr(0, end == rest.npos ? rest.npos : begin);
    if (end == rest.npos)
      break;
    std::string_view failed = rest.substr(begin + 1, end - begin - 1);
    // It begins with the file and the line of generated code, which say nothing to users.
    constexpr std::string_view words = "assertion failed: ";
    if (size_t start = failed.find(words); start != failed.npos)
      failed.remove_prefix(start + words.size());
    keepFailure(*static_cast<const std::string *>(name) + ": " + std::string(failed));
    rest.remove_prefix(std::min(rest.size(), end + 2)); // and a newline
  }
  // Plans' kernels print assertions only, so output that was lost is more of them.
  if (!other.starts_with("[gpu.printf: output was lost"))
    std::fwrite(other.data(), 1, other.size(), stdout);
}

void raiseFailures() {
  Failures &all = failures();
  if (!all.any.load(std::memory_order_acquire)) [[likely]]
    return;
  std::string message = "a kernel of vk failed an assertion, so its results are undefined:";
  {
    std::lock_guard lock(all.mutex);
    if (!all.any)
      return;
    for (const std::string &one : all.named)
      message += "\n  " + one;
    if (all.count > all.named.size())
      message += "\n  and " + std::to_string(all.count - all.named.size()) + " more";
    all.named.clear();
    all.count = 0;
    all.any = false;
  }
  TORCH_CHECK(false, message);
}

} // namespace pumice::vk
