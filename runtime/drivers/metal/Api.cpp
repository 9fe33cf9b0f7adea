//===- Api.cpp - Metal through the Objective-C runtime ----------------------===//
#include "runtime/drivers/metal/Api.h"

#include "support/Platform.h"

#include <cstdlib>

namespace pumice::metal_driver {

static constexpr char objectiveC[] = "/usr/lib/libobjc.A.dylib";
static constexpr char metal[] = "/System/Library/Frameworks/Metal.framework/Metal";

static std::string replacement() {
  const char *given = std::getenv("PUMICE_METAL_LIBRARY");
  return given ? given : "";
}

bool hasMetal() {
#ifdef __APPLE__
  return true;
#else
  return !replacement().empty();
#endif
}

static Result<Functions> openLibraries() {
  std::string given = replacement();
  PUMICE_TRY(SharedLibrary runtime, SharedLibrary::open(given.empty() ? objectiveC : given));
  PUMICE_TRY(SharedLibrary framework, SharedLibrary::open(given.empty() ? metal : given));
  Functions found;
  std::string missing;
  auto find = [&](auto &function, const SharedLibrary &library, const char *name, bool needed) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(library.symbol(name));
    if (!function && needed && missing.empty())
      missing = name;
  };
  find(found.getClass, runtime, "objc_getClass", true);
  find(found.registerName, runtime, "sel_registerName", true);
  find(found.send, runtime, "objc_msgSend", true);
  find(found.poolPush, runtime, "objc_autoreleasePoolPush", true);
  find(found.poolPop, runtime, "objc_autoreleasePoolPop", true);
  find(found.copyAllDevices, framework, "MTLCopyAllDevices", false);
  find(found.createDefaultDevice, framework, "MTLCreateSystemDefaultDevice", true);
  if (!missing.empty())
    return Status(StatusCode::NotFound, "Metal's libraries have no function " + missing);
  return found;
}

Result<const Functions *> loadFunctions() {
  // Kept for the process, since objects of Metal may outlive a driver. A test may name another
  // library later.
  PUMICE_TRY(Functions found, openLibraries());
  static Functions kept;
  kept = found;
  return &kept;
}

Result<Owned> makeString(const Functions &api, std::string_view text) {
  Object made = api.call(api.callClass("NSString", "alloc"),
                         "initWithBytes:length:encoding:", static_cast<const void *>(text.data()),
                         Integer{text.size()}, utf8);
  if (!made)
    return Status(StatusCode::ResourceExhausted, "Metal has no memory for a string");
  return Owned(api, made);
}

std::string textOf(const Functions &api, Object string) {
  const char *text = api.call<const char *>(string, "UTF8String");
  return text ? text : "";
}

std::string errorText(const Functions &api, Object error, std::string_view otherwise) {
  std::string text = textOf(api, api.call(error, "localizedDescription"));
  return text.empty() ? std::string(otherwise) : text;
}

} // namespace pumice::metal_driver
