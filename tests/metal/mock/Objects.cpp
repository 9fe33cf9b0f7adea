//===- Objects.cpp - a small Objective-C runtime ----------------------------===//
#include "tests/metal/mock/Objects.h"

#include "tests/metal/mock/MockMetal.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

namespace pumice::mock_metal {
namespace {

std::atomic<int64_t> live;
std::mutex mutex; // of the counts and of the fault
std::map<std::string, uint32_t, std::less<>> counts;
std::string failing;
uint32_t failingOccurrence = 0;
uint64_t failingCode = 0;

thread_local std::vector<std::vector<Instance *>> pools;

/// Returns the message whose name, or the first part of it, is given.
std::string completed(const std::string &given) {
  for (const auto &[name, methods] : classes())
    for (const auto &[selector, function] : methods)
      if (selector == given || selector.starts_with(given + ":"))
        return selector;
  invalid("PUMICE_MOCK_METAL_FAIL: there is no message '" + given + "'");
  return {};
}

/// Reads PUMICE_MOCK_METAL_FAIL: a message, or its first part, and @ with a number.
void readEnvironment() {
  static const bool once = [] {
    const char *variable = std::getenv("PUMICE_MOCK_METAL_FAIL");
    std::string given = variable ? variable : "";
    if (size_t at = given.rfind('@'); !given.empty()) {
      uint32_t number = at == given.npos ? 1 : uint32_t(std::atoi(given.c_str() + at + 1));
      mockMetalFail(completed(given.substr(0, at)).c_str(), number, 11);
    }
    return true;
  }();
  (void)once;
}

/// Notes a message. Returns whether it is the one that must fail.
bool fails(const char *selector) {
  readEnvironment();
  std::lock_guard lock(mutex);
  uint32_t count = ++counts[selector];
  return failing == selector && count == failingOccurrence;
}

} // namespace

Instance::Instance(const char *className) : name(className) { ++live; }
Instance::~Instance() { --live; }
void Instance::release() {
  int left = --references;
  if (left < 0)
    invalid(std::string("an object of ") + name + " is released too often");
  if (left == 0)
    delete this;
}

Instance *autorelease(Instance *object) {
  if (pools.empty())
    invalid("an object is made without an autorelease pool");
  pools.back().push_back(object);
  return object;
}

std::map<std::string, Methods, std::less<>> &classes() {
  static std::map<std::string, Methods, std::less<>> all;
  return all;
}

void invalid(const std::string &what) {
  std::fprintf(stderr, "mock Metal: %s\n", what.c_str());
  std::abort();
}

uint64_t injected(const char *selector) {
  std::lock_guard lock(mutex);
  auto found = counts.find(selector);
  bool now = found != counts.end() && failing == selector && found->second == failingOccurrence;
  return now ? failingCode : 0;
}

int64_t liveObjects() { return live; }

extern "C" {

/// Stands for the function of a message that fails, or that null receives.
[[gnu::naked]] void mockMetalZero() { asm("xorl %eax, %eax; xorps %xmm0, %xmm0; ret"); }

void *mockMetalLookup(Instance *receiver, const char *selector) {
  if (!receiver)
    return reinterpret_cast<void *>(&mockMetalZero);
  // `release` and the fault of a command buffer's status never return zero by themselves.
  if (fails(selector) && std::strcmp(selector, "status") != 0 &&
      std::strcmp(selector, "release") != 0) {
    if (std::strncmp(selector, "init", 4) == 0)
      receiver->release(); // as every initializer that returns null does
    return reinterpret_cast<void *>(&mockMetalZero);
  }
  auto methods = classes().find(receiver->className());
  if (methods != classes().end())
    if (auto found = methods->second.find(selector); found != methods->second.end())
      return found->second;
  auto &all = classes()["NSObject"];
  if (auto found = all.find(selector); found != all.end())
    return found->second;
  invalid(std::string("an object of ") + receiver->className() + " has no message " + selector);
}

/// Finds the function of the message, and continues there with the same arguments.
[[gnu::naked, gnu::visibility("default")]] void objc_msgSend() {
  asm("pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %rax\n"
      "call mockMetalLookup\n"
      "movq %rax, %r11\n"
      "popq %rax; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi\n"
      "jmp *%r11");
}

[[gnu::visibility("default")]] void *objc_getClass(const char *name) {
  static std::mutex classMutex;
  static std::map<std::string, Instance *, std::less<>> made;
  std::lock_guard lock(classMutex);
  std::string key = std::string(name) + " class";
  auto known = classes().find(key);
  if (known == classes().end())
    return nullptr;
  Instance *&object = made[key];
  if (!object) {
    object = new Instance(known->first.c_str());
    --live;
  }
  return object;
}

[[gnu::visibility("default")]] void *sel_registerName(const char *name) {
  static std::mutex namesMutex;
  static std::set<std::string, std::less<>> names;
  std::lock_guard lock(namesMutex);
  auto found = names.find(name);
  if (found == names.end())
    found = names.emplace(name).first;
  return const_cast<char *>(found->c_str());
}

[[gnu::visibility("default")]] void *objc_autoreleasePoolPush() {
  pools.emplace_back();
  return reinterpret_cast<void *>(pools.size());
}

[[gnu::visibility("default")]] void objc_autoreleasePoolPop(void *pool) {
  if (reinterpret_cast<size_t>(pool) != pools.size())
    invalid("autorelease pools end in the wrong order");
  std::vector<Instance *> objects = std::move(pools.back());
  pools.pop_back();
  for (Instance *object : objects)
    object->release();
}

[[gnu::visibility("default")]] void mockMetalFail(const char *selector, uint32_t occurrence,
                                                  uint64_t code) {
  std::lock_guard lock(mutex);
  failing = selector ? selector : "";
  failingOccurrence = occurrence;
  failingCode = code;
}

[[gnu::visibility("default")]] void mockMetalReset() {
  std::lock_guard lock(mutex);
  counts.clear();
}

[[gnu::visibility("default")]] uint32_t mockMetalCount(const char *selector) {
  std::lock_guard lock(mutex);
  auto found = counts.find(selector);
  return found == counts.end() ? 0 : found->second;
}

[[gnu::visibility("default")]] const char *mockMetalSelectors() {
  static std::string text;
  std::lock_guard lock(mutex);
  text.clear();
  for (const auto &[selector, count] : counts)
    text += selector + "\n";
  return text.c_str();
}

[[gnu::visibility("default")]] int64_t mockMetalLive() { return live; }

} // extern "C"

} // namespace pumice::mock_metal
