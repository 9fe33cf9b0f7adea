//===- Objects.h - a small Objective-C runtime ------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace pumice::mock_metal {

/// A class: the functions of its messages by selector. Those of a class object have a table of
/// their own.
using Methods = std::map<std::string, void *, std::less<>>;

/// An object, whose first member says of which class it is.
class Instance {
public:
  explicit Instance(const char *className);
  virtual ~Instance();
  void retain() { ++references; }
  void release();
  const char *className() const { return name; }

private:
  const char *name;
  std::atomic<int> references{1};
};

/// Gives up a reference at the end of the pool around the caller. Returns the object.
Instance *autorelease(Instance *object);

/// The methods of each class. "NSString class" is the class object of NSString.
std::map<std::string, Methods, std::less<>> &classes();

/// Adds a method.
template <typename R, typename Self, typename... A>
void method(const char *className, const char *selector, R (*function)(Self *, void *, A...)) {
  classes()[className][selector] = reinterpret_cast<void *>(function);
}

/// Ends the process: the driver used Metal wrongly.
[[noreturn]] void invalid(const std::string &what);

/// Returns the error code that the next message of this selector must give, or 0.
uint64_t injected(const char *selector);

int64_t liveObjects();

} // namespace pumice::mock_metal
