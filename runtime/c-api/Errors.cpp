//===- Errors.cpp - statuses, versions, and checks of all handles -----------===//
#include "runtime/c-api/Handles.h"
#include "runtime/hal/HostAllocator.h"
#include "runtime/hal/Log.h"
#include "support/EnglishText.h"
#include "support/Version.h"

#include <chrono>

using namespace pumice;
using namespace pumice::capi;

// The ABI fixes these numbers. The order of StatusCode may change.
static_assert(PUMICE_INVALID_ARGUMENT == int(StatusCode::InvalidArgument) &&
              PUMICE_NOT_FOUND == int(StatusCode::NotFound) &&
              PUMICE_UNSUPPORTED == int(StatusCode::Unsupported) &&
              PUMICE_DATA_CORRUPT == int(StatusCode::DataCorrupt) &&
              PUMICE_RESOURCE_EXHAUSTED == int(StatusCode::ResourceExhausted) &&
              PUMICE_DEVICE_LOST == int(StatusCode::DeviceLost) &&
              PUMICE_DEADLINE_EXCEEDED == int(StatusCode::DeadlineExceeded) &&
              PUMICE_INTERNAL == int(StatusCode::Internal) &&
              PUMICE_INVALID_ACCESS == int(StatusCode::InvalidAccess));

namespace {

std::string &lastError() {
  thread_local std::string text;
  return text;
}

} // namespace

pumice_status capi::keep(Status &&failure) {
  lastError() = failure.message();
  return static_cast<pumice_status>(failure.code());
}

Status capi::checkSize(const void *given, size_t size, size_t known, std::string_view what) {
  std::string place(what);
  if (size < sizeof(size_t))
    return invalid(place + ": struct_size is " + std::to_string(size) +
                   "; set it to sizeof the structure, as PUMICE_INIT does");
  if (size > (1u << 16))
    return invalid(place + ": struct_size is " + std::to_string(size) +
                   "; no structure of Pumice is that large: set it to sizeof the structure");
  const char *bytes = static_cast<const char *>(given);
  for (size_t i = known; bytes && i < size; ++i)
    if (bytes[i] != 0)
      return Status(StatusCode::Unsupported, place + ": a field at byte " + std::to_string(i) +
                                                 " is set, which this library (" +
                                                 pumice_version() + ") does not have");
  return Status::ok();
}

Status capi::checkReserved(uint64_t reserved, std::string_view what) {
  if (reserved == 0)
    return Status::ok();
  return Status(StatusCode::Unsupported,
                std::string(what) + ": reserved is " + std::to_string(reserved) +
                    "; this library (" + pumice_version() +
                    ") expects 0: initialize the structure with PUMICE_INIT");
}

std::string_view capi::nounOf(Kind kind) {
  switch (kind) {
  case Kind::DeviceList:
    return "device list";
  case Kind::Device:
    return "device";
  case Kind::Buffer:
    return "buffer";
  case Kind::Executable:
    return "executable";
  case Kind::Function:
    return "function";
  case Kind::Queue:
    return "queue";
  case Kind::Timeline:
    return "timeline";
  case Kind::Profile:
    return "profile";
  case Kind::Blob:
    return "blob";
  case Kind::VulkanWishes:
    return "list of wishes";
  case Kind::Graph:
    return "graph";
  case Kind::PendingFunction:
    return "pending function";
  case Kind::Released:
    return "released handle";
  }
  return {};
}

Status capi::checkKind(const Handle *handle, Kind expected, std::string_view what) {
  std::string place(what), noun(nounOf(expected));
  if (!handle)
    return invalid(place + " is NULL; " + withArticle(noun) + " is needed");
  Kind kind = handle->kind.load(std::memory_order_relaxed);
  if (kind == expected)
    return Status::ok();
  std::string_view found = nounOf(kind);
  return invalid(place + " is " + (found.empty() ? "not a handle of Pumice" : withArticle(found)) +
                 "; " + withArticle(noun) + " is needed");
}

pumice_blob *capi::makeBlob(std::string bytes) {
  auto *blob = new pumice_blob;
  blob->bytes = std::move(bytes);
  return blob;
}

hal::Timeout capi::timeoutOf(uint64_t nanoseconds) {
  constexpr uint64_t most = static_cast<uint64_t>(hal::forever.count());
  return nanoseconds >= most ? hal::forever : hal::Timeout(static_cast<int64_t>(nanoseconds));
}

const char *pumice_status_name(pumice_status status) {
  if (status < PUMICE_OK || status > PUMICE_INVALID_ACCESS)
    return "unknown status";
  // The text ends with a zero, because the names are literals.
  return toString(static_cast<StatusCode>(status)).data();
}

const char *pumice_last_error(void) { return lastError().c_str(); }

pumice_status pumice_fail(pumice_status status, const char *message) {
  if (status != PUMICE_OK)
    lastError() = std::string(message ? message : ""); // the message may be the last error itself
  return status;
}

void pumice_set_log_callback(pumice_log_callback log, void *user) {
  if (!log)
    return hal::setLogSink(nullptr);
  hal::setLogSink([log, user](hal::LogLevel level, std::string_view text) {
    std::string ended(text); // callers may rely on a terminating zero
    log(user, static_cast<pumice_log_level>(level), ended.c_str(), ended.size());
  });
}

namespace {

Status setHostAllocator(const pumice_host_allocator *given) {
  if (!given)
    return invalid("allocator is NULL; expected functions that allocate and release");
  PUMICE_TRY(pumice_host_allocator allocator, readStruct(given, "allocator"));
  if (!allocator.allocate || !allocator.release)
    return invalid(std::string("allocator: ") + (allocator.allocate ? "release" : "allocate") +
                   " is NULL; expected both functions");
  return hal::setHostAllocator({allocator.allocate, allocator.release, allocator.user});
}

} // namespace

pumice_status pumice_set_host_allocator(const pumice_host_allocator *allocator) {
  return answer(setHostAllocator(allocator));
}

uint32_t pumice_abi_version(void) { return PUMICE_ABI_VERSION; }
const char *pumice_version(void) { return PUMICE_VERSION_TEXT; }

void pumice_device_list_release(pumice_device_list *list) { releaseHandle(list); }
void pumice_device_retain(pumice_device *device) { retainHandle(device); }
void pumice_device_release(pumice_device *device) { releaseHandle(device); }
void pumice_buffer_retain(pumice_buffer *buffer) { retainHandle(buffer); }
void pumice_buffer_release(pumice_buffer *buffer) { releaseHandle(buffer); }
void pumice_executable_retain(pumice_executable *executable) { retainHandle(executable); }
void pumice_executable_release(pumice_executable *executable) { releaseHandle(executable); }
void pumice_function_retain(pumice_function *function) { retainHandle(function); }
void pumice_function_release(pumice_function *function) { releaseHandle(function); }
void pumice_queue_retain(pumice_queue *queue) { retainHandle(queue); }
void pumice_queue_release(pumice_queue *queue) { releaseHandle(queue); }
void pumice_timeline_retain(pumice_timeline *timeline) { retainHandle(timeline); }
void pumice_timeline_release(pumice_timeline *timeline) { releaseHandle(timeline); }
void pumice_profile_release(pumice_profile *profile) { releaseHandle(profile); }
void pumice_graph_retain(pumice_graph *graph) { retainHandle(graph); }
void pumice_graph_release(pumice_graph *graph) { releaseHandle(graph); }
void pumice_blob_release(pumice_blob *blob) { releaseHandle(blob); }

const void *pumice_blob_data(const pumice_blob *blob) {
  return check(blob, "blob").isOk() ? blob->bytes.c_str() : nullptr;
}
size_t pumice_blob_size(const pumice_blob *blob) {
  return check(blob, "blob").isOk() ? blob->bytes.size() : 0;
}
