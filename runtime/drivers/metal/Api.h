//===- Api.h - Metal through the Objective-C runtime ------------------------===//
// The driver needs no SDK and no Objective-C compiler: it opens libobjc and Metal at run time, and
// sends messages by name. PUMICE_METAL_LIBRARY names a library that stands for both, for tests.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace pumice::metal_driver {

using Object = void *;       // `id`
using Selector = void *;     // `SEL`
using Integer = uint64_t;    // `NSUInteger`
using Boolean = signed char; // `BOOL`; on arm64 it is `bool`, which has the same size

/// `MTLSize`. The platform's C conventions pass it as Objective-C's do.
struct Size {
  Integer width = 1, height = 1, depth = 1;
};

/// The constants of Metal's headers that the driver uses.
inline constexpr Integer storageShared = 0;
inline constexpr Integer usageRead = 1, usageWrite = 2;
inline constexpr Integer statusError = 5; // MTLCommandBufferStatusError
inline constexpr Integer errorTimeout = 2, errorPageFault = 3, errorAccessRevoked = 4,
                         errorOutOfMemory = 8, errorDeviceRemoved = 11; // MTLCommandBufferError
inline constexpr Integer familyApple7 = 1007, familyApple8 = 1008, familyApple9 = 1009,
                         familyMac2 = 2002, familyMetal3 = 5001;
inline constexpr Integer language3 = 3 << 16; // MTLLanguageVersion3_0
inline constexpr Integer utf8 = 4;            // NSUTF8StringEncoding

/// The functions of the Objective-C runtime and of Metal. `send` is objc_msgSend, whose type is
/// that of the message.
struct Functions {
  Object (*getClass)(const char *name) = nullptr;
  Selector (*registerName)(const char *name) = nullptr;
  void (*send)() = nullptr;
  void *(*poolPush)() = nullptr;
  void (*poolPop)(void *pool) = nullptr;
  Object (*copyAllDevices)() = nullptr; // null where Metal lacks it (iOS)
  Object (*createDefaultDevice)() = nullptr;

  /// Sends a message. A message to null returns zero.
  template <typename R = Object, typename... A>
  R call(Object receiver, const char *selector, A... arguments) const {
    if (!receiver)
      return R();
    using Function = R (*)(Object, Selector, A...);
    return reinterpret_cast<Function>(send)(receiver, registerName(selector), arguments...);
  }
  template <typename R = Object, typename... A>
  R callClass(const char *name, const char *selector, A... arguments) const {
    return call<R>(getClass(name), selector, arguments...);
  }
};

/// An object that this owns, and releases at its end. It may be null.
class Owned {
public:
  Owned() = default;
  /// Takes over a reference, as messages named new, alloc, init and copy return it.
  Owned(const Functions &api, Object object) : api(&api), object(object) {}
  Owned(Owned &&other) noexcept : api(other.api), object(std::exchange(other.object, nullptr)) {}
  Owned &operator=(Owned other) noexcept {
    std::swap(api, other.api);
    std::swap(object, other.object);
    return *this;
  }
  ~Owned() {
    if (object)
      api->call<void>(object, "release");
  }
  explicit operator bool() const { return object != nullptr; }
  Object get() const { return object; }
  /// Leaves the object alone, as in the child of a fork.
  void abandon() { object = nullptr; }

private:
  const Functions *api = nullptr;
  Object object = nullptr;
};

/// Objects that messages return without a reference live until the end of the pool around them.
class Pool {
public:
  explicit Pool(const Functions &api) : api(api), pool(api.poolPush()) {}
  ~Pool() { api.poolPop(pool); }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

private:
  const Functions &api;
  void *pool;
};

/// Returns whether this system has Metal, or PUMICE_METAL_LIBRARY is set.
bool hasMetal();
/// Opens the libraries. The result lives as long as the process. Errors: NotFound.
Result<const Functions *> loadFunctions();

/// Returns an NSString. Errors: ResourceExhausted.
Result<Owned> makeString(const Functions &api, std::string_view text);
/// Returns the text of an NSString, or an empty one for null.
std::string textOf(const Functions &api, Object string);
/// Returns the text of an NSError, or `otherwise` for null.
std::string errorText(const Functions &api, Object error, std::string_view otherwise);

} // namespace pumice::metal_driver
