//===- RemoteCompiler.cpp - a compiler library that asks another machine ----===//
// Programs of another system run here in an emulator, in which there is no compiler library. This
// one takes its place for tests. It leaves each request as a file in the folder that
// PUMICE_REMOTE_COMPILER names, and waits for the answer of serve-compiler.py, which makes native
// code for that system. So the CPU driver runs the code that executables for it contain.
//===-------------------------------------------------------------------------===//
#include "support/CompilerInterface.h"
#include "support/Status.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

namespace side = pumice::compiler_interface;
namespace fs = std::filesystem;

namespace {

constexpr auto unsupported = static_cast<int32_t>(pumice::StatusCode::Unsupported);

struct Answer {
  std::string bytes, message;
};

class Writer {
public:
  void number(uint64_t value, size_t size) { out.append(reinterpret_cast<char *>(&value), size); }
  void text(side::Text text) {
    number(text.size, 4);
    out.append(text.data ? text.data : "", text.size);
  }
  std::string out;
};

std::string readFile(const fs::path &path) {
  std::string bytes;
  if (std::FILE *file = std::fopen(path.string().c_str(), "rb")) {
    char block[1 << 16];
    for (size_t count; (count = std::fread(block, 1, sizeof block, file)) > 0;)
      bytes.append(block, count);
    std::fclose(file);
  }
  return bytes;
}

/// Writes a file under another name first, so that nobody reads a part of it.
bool writeFile(const fs::path &path, const std::string &bytes) {
  fs::path part = path;
  part += ".part";
  std::FILE *file = std::fopen(part.string().c_str(), "wb");
  if (!file)
    return false;
  bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  whole &= std::fclose(file) == 0;
  std::error_code error;
  fs::rename(part, path, error);
  return whole && !error;
}

void fail(side::Response *response, std::string message) {
  auto *answer = new Answer{{}, std::move(message)};
  response->owner = answer;
  response->code = unsupported;
  response->message = {answer->message.data(), answer->message.size()};
}

/// Fills the response from the bytes: the code, then the message, the diagnostics and the result,
/// each with its size.
void fill(side::Response *response, std::string bytes) {
  auto *answer = new Answer{std::move(bytes), {}};
  response->owner = answer;
  size_t at = sizeof response->code;
  std::memcpy(&response->code, answer->bytes.data(), at);
  for (side::Text *text : {&response->message, &response->diagnostics, &response->executable}) {
    uint32_t size = 0;
    std::memcpy(&size, answer->bytes.data() + at, sizeof size);
    *text = {answer->bytes.data() + at + sizeof size, size};
    at += sizeof size + size;
  }
}

void ask(const std::string &request, side::Response *response) {
  const char *folder = std::getenv("PUMICE_REMOTE_COMPILER");
  if (!folder)
    return fail(response, "PUMICE_REMOTE_COMPILER names no folder");
  static std::atomic<uint32_t> count = 0;
  static const auto start = std::chrono::steady_clock::now().time_since_epoch().count();
  std::string name = std::to_string(start) + "-" + std::to_string(count++);
  fs::path file = fs::path(folder) / name, answer = file;
  answer += ".response";
  file += ".request";
  if (!writeFile(file, request))
    return fail(response, "cannot write '" + file.string() + "'");
  constexpr auto most = std::chrono::seconds(60);
  for (auto begin = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - begin < most;
       std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    std::error_code error;
    if (!fs::exists(answer, error))
      continue;
    fill(response, readFile(answer));
    fs::remove(answer, error);
    return;
  }
  fail(response, "nobody answers in '" + std::string(folder) + "'; start serve-compiler.py");
}

void compileNative(const side::NativeRequest *request, side::Response *response) {
  Writer w;
  w.number(request->requiredSubgroupSize, 4);
  w.number(request->robustAccess, 4);
  for (uint32_t size : request->workgroupSize)
    w.number(size, 4);
  w.text(request->code);
  w.text(request->entryPoint);
  w.text(request->label);
  w.number(request->constantCount, 4);
  for (size_t i = 0; i < request->constantCount; ++i) {
    w.number(request->constants[i].id, 4);
    w.number(request->constants[i].bytes, 4);
    w.number(request->constants[i].bits, 8);
  }
  ask(w.out, response);
}

void compile(const side::Request *, side::Response *response) {
  fail(response, "this compiler only makes native code");
}
void explain(side::Text, side::CodeForm, side::Response *response) {
  fail(response, "this compiler only makes native code");
}
void lineOf(side::Text, uint64_t, side::Response *response) { *response = {}; }
void release(side::Response *response) {
  delete static_cast<Answer *>(response->owner);
  *response = {};
}

} // namespace

#ifdef _WIN32
extern "C" __declspec(dllexport)
#else
extern "C" __attribute__((visibility("default")))
#endif
const side::Interface *pumice_compiler_interface(uint32_t version) {
  static const side::Interface interface{side::version,  {"remote", 6}, &compile, &release,
                                         &compileNative, &explain,      &lineOf};
  return version == side::version ? &interface : nullptr;
}
