//===- MockMetal.cpp - the classes of Metal that the driver uses ------------===//
#include "tests/metal/mock/MockMetal.h"

#include "tests/metal/host/MslProgram.h"
#include "tests/metal/mock/Objects.h"

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace pumice::mock_metal {
namespace {

using Integer = uint64_t;
constexpr Integer mostThreads = 1024, lanes = 32, bufferIndices = 31, mostBytes = 4096;
constexpr Integer pageBytes = 16384;

struct Size {
  Integer width, height, depth;
};

struct String final : Instance {
  String() : Instance("NSString") {}
  explicit String(std::string text) : Instance("NSString"), text(std::move(text)) {}
  std::string text;
};

struct Error final : Instance {
  Error(std::string text, Integer code) : Instance("NSError"), text(std::move(text)), code(code) {}
  std::string text;
  Integer code;
};

struct Array final : Instance {
  Array() : Instance("NSArray") {}
  ~Array() override {
    for (Instance *object : objects)
      object->release();
  }
  std::vector<Instance *> objects;
};

struct Dictionary final : Instance {
  Dictionary() : Instance("NSMutableDictionary") {}
  std::map<std::string, std::string> entries;
};

struct CompileOptions final : Instance {
  CompileOptions() : Instance("MTLCompileOptions") {}
  std::map<std::string, std::string> macros;
  bool fastMath = true;
  Integer language = 0;
};

struct ConstantValues final : Instance {
  ConstantValues() : Instance("MTLFunctionConstantValues") {}
  msl::Constants values;
};

struct Library final : Instance {
  Library() : Instance("MTLLibrary") {}
  std::string source;
};

struct Function final : Instance {
  Function() : Instance("MTLFunction") {}
  std::shared_ptr<msl::Program> program;
};

struct Pipeline final : Instance {
  Pipeline() : Instance("MTLComputePipelineState") {}
  std::shared_ptr<msl::Program> program;
};

struct Buffer final : Instance {
  Buffer(void *memory, Integer bytes, bool owned)
      : Instance("MTLBuffer"), memory(memory), bytes(bytes), owned(owned) {}
  ~Buffer() override {
    if (owned)
      munmap(memory, bytes);
  }
  void *memory;
  Integer bytes;
  bool owned;
};

template <typename T> class Kept {
public:
  Kept() = default;
  explicit Kept(T *object) : object(object) { object->retain(); }
  Kept(const Kept &other) : object(other.object) {
    if (object)
      object->retain();
  }
  Kept &operator=(Kept other) {
    std::swap(object, other.object);
    return *this;
  }
  ~Kept() {
    if (object)
      object->release();
  }
  T *get() const { return object; }

private:
  T *object = nullptr;
};

/// A buffer or bytes at an index.
struct Argument {
  Kept<Buffer> buffer;
  Integer offset = 0;
  std::vector<char> bytes;
};

struct Launch {
  Kept<Pipeline> pipeline;
  std::array<Argument, bufferIndices> arguments;
  Size groups{}, threads{};
};

struct CommandBuffer final : Instance {
  CommandBuffer() : Instance("MTLCommandBuffer") {}
  ~CommandBuffer() override {
    if (isEncoding)
      invalid("a command buffer ends before its encoder");
    if (error)
      error->release();
  }
  void execute();
  std::vector<Launch> launches;
  bool isEncoding = false, committed = false, done = false;
  Error *error = nullptr;
  double begin = 0, end = 0;
};

struct Encoder final : Instance {
  explicit Encoder(CommandBuffer *commands) : Instance("MTLComputeCommandEncoder"), to(commands) {}
  Kept<CommandBuffer> to;
  Launch next;
};

struct CommandQueue final : Instance {
  CommandQueue() : Instance("MTLCommandQueue") {}
};

struct Device final : Instance {
  Device() : Instance("MTLDevice") {}
};

Device *theDevice() {
  static Device *device = new Device; // never destroyed
  return device;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Appends a line of JSON with the counts of a launch.
void appendCounts(const char *path, const msl::Counts &counts) {
  if (std::FILE *file = std::fopen(path, "a")) {
    std::fprintf(file,
                 R"({"threads": %llu, "exchanges": %llu, "barriers": %llu})"
                 "\n",
                 static_cast<unsigned long long>(counts.threads),
                 static_cast<unsigned long long>(counts.exchanges),
                 static_cast<unsigned long long>(counts.barriers));
    std::fclose(file);
  }
}

void CommandBuffer::execute() {
  static std::mutex gpu; // one kernel at a time, so that its atomics need no instructions
  if (done || !committed)
    return;
  std::lock_guard lock(gpu);
  done = true;
  begin = now();
  for (const Launch &launch : launches) {
    std::array<void *, bufferIndices> addresses{};
    std::array<std::vector<char>, bufferIndices> copies;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Argument &argument = launch.arguments[i];
      if (Buffer *buffer = argument.buffer.get())
        addresses[i] = static_cast<char *>(buffer->memory) + argument.offset;
      else if (!argument.bytes.empty())
        addresses[i] = const_cast<char *>(argument.bytes.data());
    }
    auto narrow = [](Size size) {
      return std::array<uint32_t, 3>{uint32_t(size.width), uint32_t(size.height),
                                     uint32_t(size.depth)};
    };
    Result<msl::Counts> ran = launch.pipeline.get()->program->run(
        addresses, {narrow(launch.groups), narrow(launch.threads), uint32_t(lanes)});
    if (!ran.isOk() && !error)
      error = new Error(ran.status().message(), 1);
    if (const char *file = std::getenv("PUMICE_MOCK_METAL_COUNTS"); file && ran.isOk())
      appendCounts(file, *ran);
  }
  end = now();
}

//===- Foundation -----------------------------------------------------------===//

template <typename T> T *make(Instance *, void *) { return new T; }
void release(Instance *self, void *) { self->release(); }
Instance *retain(Instance *self, void *) {
  self->retain();
  return self;
}

String *initString(String *self, void *, const char *bytes, Integer length, Integer) {
  self->text.assign(bytes, length);
  return self;
}
const char *utf8(String *self, void *) { return self->text.c_str(); }

Integer count(Array *self, void *) { return self->objects.size(); }
Instance *objectAt(Array *self, void *, Integer index) { return self->objects.at(index); }

void setObject(Dictionary *self, void *, String *value, String *key) {
  if (!value || !key)
    invalid("a dictionary gets null");
  self->entries[key->text] = value->text;
}

Instance *description(Error *self, void *) { return autorelease(new String(self->text)); }
Integer code(Error *self, void *) { return self->code; }

//===- Compilation ----------------------------------------------------------===//

void setFastMath(CompileOptions *self, void *, signed char value) { self->fastMath = value; }
void setLanguage(CompileOptions *self, void *, Integer value) { self->language = value; }
void setMacros(CompileOptions *self, void *, Dictionary *macros) { self->macros = macros->entries; }

void setConstant(ConstantValues *self, void *, const void *value, Integer type, Integer index) {
  uint64_t bits = 0;
  auto take = [&](size_t bytes) { std::memcpy(&bits, value, bytes); };
  std::string text;
  switch (type) {
  case 3: // float
    take(4);
    text = "metal::as_type<float>(" + std::to_string(bits) + "u)";
    break;
  case 16: // half
    take(2);
    text = "metal::as_type<half>(ushort(" + std::to_string(bits) + "u))";
    break;
  case 29: // int, uint
  case 33:
    take(4);
    text = std::to_string(bits) + "u";
    break;
  case 37: // short, ushort
  case 41:
    take(2);
    text = std::to_string(bits) + "u";
    break;
  case 45: // char, uchar, bool
  case 49:
  case 53:
    take(1);
    text = std::to_string(bits) + "u";
    break;
  case 81: // long, ulong
  case 85:
    take(8);
    text = std::to_string(bits) + "ul";
    break;
  default:
    invalid("a function constant has the type " + std::to_string(type));
  }
  self->values[uint32_t(index)] = text;
}

void fail(Instance **error, const std::string &text) {
  if (error)
    *error = autorelease(new Error(text, 3));
}

Library *newLibrary(Device *, void *, String *source, CompileOptions *options, Instance **error) {
  if (options->fastMath)
    invalid("a library is compiled with fast arithmetic");
  auto library = std::make_unique<Library>();
  for (const auto &[name, value] : options->macros)
    library->source += "#define " + name + " " + value + "\n";
  library->source += source->text;
  if (source->text.find("[[function_constant(") != std::string::npos)
    return library.release(); // compiled when the constants are known
  for (const std::string &kernel : msl::kernelNames(library->source)) {
    Result<std::shared_ptr<msl::Program>> program = msl::Program::compile(library->source, kernel);
    if (!program.isOk()) {
      fail(error, program.status().message());
      return nullptr;
    }
  }
  return library.release();
}

Function *newFunction(Library *self, void *, String *name, ConstantValues *constants,
                      Instance **error) {
  Result<std::shared_ptr<msl::Program>> program =
      msl::Program::compile(self->source, name->text, constants->values);
  if (!program.isOk()) {
    fail(error, program.status().message());
    return nullptr;
  }
  auto *function = new Function;
  function->program = std::move(*program);
  return function;
}

Pipeline *newPipeline(Device *, void *, Function *function, Instance **) {
  auto *pipeline = new Pipeline;
  pipeline->program = function->program;
  return pipeline;
}
Integer maxThreads(Pipeline *, void *) { return mostThreads; }
Integer width(Pipeline *, void *) { return lanes; }

//===- Memory ---------------------------------------------------------------===//

Buffer *newBuffer(Device *, void *, Integer length, Integer) {
  if (length == 0)
    invalid("a buffer has no bytes");
  void *memory = mmap(nullptr, length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : new Buffer(memory, length, true);
}
Buffer *importBuffer(Device *, void *, void *memory, Integer length, Integer, void *) {
  if (reinterpret_cast<uintptr_t>(memory) % pageBytes || length % pageBytes)
    return nullptr;
  return new Buffer(memory, length, false);
}
void *contents(Buffer *self, void *) { return self->memory; }
uint64_t gpuAddress(Buffer *self, void *) { return reinterpret_cast<uint64_t>(self->memory); }

//===- Work -----------------------------------------------------------------===//

CommandQueue *newQueue(Device *, void *) { return new CommandQueue; }
Instance *commandBuffer(CommandQueue *, void *) { return autorelease(new CommandBuffer); }
Instance *encoder(CommandBuffer *self, void *) {
  if (self->isEncoding || self->committed)
    invalid("a command buffer gets an encoder too late");
  self->isEncoding = true;
  return autorelease(new Encoder(self));
}

void setPipeline(Encoder *self, void *, Pipeline *pipeline) {
  self->next.pipeline = Kept<Pipeline>(pipeline);
}
Argument &argumentAt(Encoder *self, Integer index) {
  if (index >= bufferIndices)
    invalid("a buffer has the index " + std::to_string(index));
  return self->next.arguments[index];
}
void setBuffer(Encoder *self, void *, Buffer *buffer, Integer offset, Integer index) {
  if (buffer && offset > buffer->bytes)
    invalid("a buffer is bound behind its end");
  Argument &argument = argumentAt(self, index);
  argument = {};
  if (buffer)
    argument.buffer = Kept<Buffer>(buffer);
  argument.offset = offset;
}
void setBytes(Encoder *self, void *, const char *bytes, Integer length, Integer index) {
  if (length == 0 || length > mostBytes)
    invalid("setBytes gets " + std::to_string(length) + " bytes");
  Argument &argument = argumentAt(self, index);
  argument = {};
  argument.bytes.assign(bytes, bytes + length);
}
void useResource(Encoder *, void *, Buffer *buffer, Integer usage) {
  if (!buffer || usage == 0)
    invalid("useResource gets nothing");
}
void dispatch(Encoder *self, void *, Size groups, Size threads) {
  if (!self->next.pipeline.get())
    invalid("a dispatch has no pipeline");
  Integer total = threads.width * threads.height * threads.depth;
  if (total == 0 || total > mostThreads || groups.width * groups.height * groups.depth == 0)
    invalid("a dispatch has no threads, or too many");
  self->next.groups = groups;
  self->next.threads = threads;
  self->to.get()->launches.push_back(self->next);
}
void endEncoding(Encoder *self, void *) { self->to.get()->isEncoding = false; }
void commit(CommandBuffer *self, void *) {
  if (self->isEncoding || self->committed)
    invalid("a command buffer is committed at the wrong time");
  self->committed = true;
}
void waitUntilCompleted(CommandBuffer *self, void *) {
  if (!self->committed)
    invalid("the host waits for a command buffer that is not committed");
  self->execute();
}
Integer status(CommandBuffer *self, void *) {
  if (uint64_t code = injected("status"); code && !self->error)
    self->error = new Error("the device was taken away", code);
  return self->error ? 5 : self->done ? 4 : 0;
}
Instance *errorOf(CommandBuffer *self, void *) { return self->error; }
double startTime(CommandBuffer *self, void *) { return self->begin; }
double endTime(CommandBuffer *self, void *) { return self->end; }

//===- The device -----------------------------------------------------------===//

Instance *name(Device *, void *) { return autorelease(new String("Mock Apple GPU")); }
signed char supportsFamily(Device *, void *, Integer family) {
  return family == 1007 || family == 1008 || family == 2002 || family == 5001;
}
Integer registryId(Device *, void *) { return 0x100000abc; }
Integer workingSet(Device *, void *) { return Integer{8} << 30; }
Integer threadgroupMemory(Device *, void *) { return 32768; }
Integer maxBuffer(Device *, void *) { return Integer{4} << 30; }

/// Fills in the table of classes when the library is loaded.
const bool registered = [] {
  method("NSObject", "release", release);
  method("NSObject", "retain", retain);
  method("NSString class", "alloc", make<String>);
  method("NSString", "initWithBytes:length:encoding:", initString);
  method("NSString", "UTF8String", utf8);
  method("NSArray", "count", count);
  method("NSArray", "objectAtIndex:", objectAt);
  method("NSMutableDictionary class", "new", make<Dictionary>);
  method("NSMutableDictionary", "setObject:forKey:", setObject);
  method("NSError", "localizedDescription", description);
  method("NSError", "code", code);
  method("MTLCompileOptions class", "new", make<CompileOptions>);
  method("MTLCompileOptions", "setFastMathEnabled:", setFastMath);
  method("MTLCompileOptions", "setLanguageVersion:", setLanguage);
  method("MTLCompileOptions", "setPreprocessorMacros:", setMacros);
  method("MTLFunctionConstantValues class", "new", make<ConstantValues>);
  method("MTLFunctionConstantValues", "setConstantValue:type:atIndex:", setConstant);
  method("MTLDevice", "newLibraryWithSource:options:error:", newLibrary);
  method("MTLLibrary", "newFunctionWithName:constantValues:error:", newFunction);
  method("MTLDevice", "newComputePipelineStateWithFunction:error:", newPipeline);
  method("MTLComputePipelineState", "maxTotalThreadsPerThreadgroup", maxThreads);
  method("MTLComputePipelineState", "threadExecutionWidth", width);
  method("MTLDevice", "newBufferWithLength:options:", newBuffer);
  method("MTLDevice", "newBufferWithBytesNoCopy:length:options:deallocator:", importBuffer);
  method("MTLBuffer", "contents", contents);
  method("MTLBuffer", "gpuAddress", gpuAddress);
  method("MTLDevice", "newCommandQueue", newQueue);
  method("MTLCommandQueue", "commandBuffer", commandBuffer);
  method("MTLCommandBuffer", "computeCommandEncoder", encoder);
  method("MTLComputeCommandEncoder", "setComputePipelineState:", setPipeline);
  method("MTLComputeCommandEncoder", "setBuffer:offset:atIndex:", setBuffer);
  method("MTLComputeCommandEncoder", "setBytes:length:atIndex:", setBytes);
  method("MTLComputeCommandEncoder", "useResource:usage:", useResource);
  method("MTLComputeCommandEncoder", "dispatchThreadgroups:threadsPerThreadgroup:", dispatch);
  method("MTLComputeCommandEncoder", "endEncoding", endEncoding);
  method("MTLCommandBuffer", "commit", commit);
  method("MTLCommandBuffer", "waitUntilCompleted", waitUntilCompleted);
  method("MTLCommandBuffer", "status", status);
  method("MTLCommandBuffer", "error", errorOf);
  method("MTLCommandBuffer", "GPUStartTime", startTime);
  method("MTLCommandBuffer", "GPUEndTime", endTime);
  method("MTLDevice", "name", name);
  method("MTLDevice", "supportsFamily:", supportsFamily);
  method("MTLDevice", "registryID", registryId);
  method("MTLDevice", "recommendedMaxWorkingSetSize", workingSet);
  method("MTLDevice", "maxThreadgroupMemoryLength", threadgroupMemory);
  method("MTLDevice", "maxBufferLength", maxBuffer);
  return true;
}();

} // namespace

extern "C" {

[[gnu::visibility("default")]] void *MTLCopyAllDevices() {
  auto *list = new Array;
  theDevice()->retain();
  list->objects.push_back(theDevice());
  return list;
}

[[gnu::visibility("default")]] void *MTLCreateSystemDefaultDevice() {
  theDevice()->retain();
  return theDevice();
}

} // extern "C"

} // namespace pumice::mock_metal
