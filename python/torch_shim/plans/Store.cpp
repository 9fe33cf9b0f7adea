//===- Store.cpp - keeps plans in memory and on disk ------------------------===//
// A key has several plans if the first one's conditions do not hold for a later call. Files are
// named by a hash of the key; they repeat the key, so that a hash never decides alone.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/plans/Store.h"

#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/plans/Packs.h"
#include "python/torch_shim/plans/Plan.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <shared_mutex>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace pumice::vk {
namespace {

/// More plans for one key mean that a value decides which should be in the key.
constexpr size_t mostVariants = 16;
/// An operator with more plans for single sizes in one process is left to the CPU for others.
constexpr uint32_t mostStatic = 256;

/// What is known about the calls with one key.
struct Entry {
  std::vector<std::shared_ptr<Plan>> plans;
  std::vector<std::string> files; // what was read, in this order
  size_t packedFiles = 0;         // that were taken from packs, also those that are of no use
  size_t packedPlans = 0;         // of `plans`
  bool needsNextLevel = false;    // more of the call must be in the key
  bool hasNone = false;
};

struct Operator {
  explicit Operator(const c10::OperatorHandle &op)
      : name(op.schema().name()), overload(op.schema().overload_name()), signature(op.schema()) {}

  std::string name, overload;
  Signature signature;
  std::shared_mutex mutex;
  std::unordered_map<std::string, Entry> entries;
  std::string why;
  std::atomic<uint32_t> staticPlans = 0;

  bool admitsStatic() { return staticPlans++ < mostStatic; }
};

struct Settings {
  std::mutex mutex;
  std::string folder;
  CompilePlan compile = nullptr;
  void (*interrupt)() = nullptr;
  std::atomic<bool> isOn = false;
};
Settings &settings() {
  static auto *one = new Settings;
  return *one;
}

struct Operators {
  std::shared_mutex mutex;
  std::unordered_map<const c10::FunctionSchema *, std::unique_ptr<Operator>> bySchema;
};
Operators &operators() {
  static auto *one = new Operators;
  return *one;
}

Operator &operatorOf(const c10::OperatorHandle &op) {
  const c10::FunctionSchema *schema = &op.schema();
  Operators &all = operators();
  {
    std::shared_lock lock(all.mutex);
    if (auto found = all.bySchema.find(schema); found != all.bySchema.end())
      return *found->second;
  }
  std::unique_lock lock(all.mutex);
  std::unique_ptr<Operator> &made = all.bySchema[schema];
  if (!made)
    made = std::make_unique<Operator>(op);
  return *made;
}

/// Whether this thread compiles a plan, or runs one that calls operators.
thread_local int depth = 0;
constexpr int deepest = 8;

struct Deeper {
  Deeper() { ++depth; }
  ~Deeper() { --depth; }
};

/// A plan that this thread runs.
class Running {
public:
  Running(const Operator &op, Plan &plan) : op(op), plan(plan), outer(innermost) {
    innermost = this;
  }
  ~Running() { innermost = outer; }
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;

  /// Returns whether a plan of the operator has called it. That plan is not used any more: inductor
  /// had no kernel, and called the operator by a detour.
  static bool isAgain(Operator &op) {
    for (Running *one = innermost; one; one = one->outer)
      if (&one->op == &op) {
        one->plan.callsItself = true;
        std::unique_lock lock(op.mutex);
        op.why = "its plan calls it again";
        return true;
      }
    return false;
  }

private:
  const Operator &op;
  Plan &plan;
  Running *outer;
  static thread_local Running *innermost;
};
thread_local Running *Running::innermost = nullptr;

uint64_t hash(std::string_view text, uint64_t seed) {
  uint64_t made = 0xcbf29ce484222325 ^ seed;
  for (char c : text)
    made = (made ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return made ^ (made >> 29);
}

std::string hexOf(uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

std::string hexOf(std::string_view bytes) {
  std::string made;
  for (char c : bytes) {
    made += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    made += "0123456789abcdef"[c & 15];
  }
  return made;
}

/// Returns the folder for the plans of a device, whose kernels depend on its driver.
std::filesystem::path folderOf(const std::string &folder, int64_t device) {
  const pumice_device_info &info = deviceAt(static_cast<c10::DeviceIndex>(device)).info();
  std::string said = std::string(info.driver) + info.name + info.driver_version;
  return std::filesystem::path(folder) / hexOf(hash(said, 0));
}

/// Returns the CRC-32 of bytes, as Python's zlib.crc32 computes it.
uint32_t checksumOf(std::string_view bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit)
        made[i] = (made[i] >> 1) ^ (made[i] & 1 ? 0xedb88320 : 0);
    }
    return made;
  }();
  uint32_t sum = ~0u;
  for (char c : bytes)
    sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 255];
  return ~sum;
}

/// Reads a file of a plan into the entry. Returns false if it has none for the key, or is damaged.
bool readFile(std::string_view text, const std::string &origin, const std::string &key,
              Entry &entry, std::string &why) {
  size_t end = text.find('\n');
  if (end == std::string_view::npos)
    return false;
  std::string_view body = text.substr(end + 1);
  char first[32];
  std::snprintf(first, sizeof first, "pumice-plan 2 %08x", checksumOf(body));
  if (text.substr(0, end) != first)
    return false;
  std::istringstream file{std::string(body)};
  std::string line;
  if (!std::getline(file, line) || line != "key " + hexOf(key) || !std::getline(file, line))
    return false;
  if (line == "outcome next")
    entry.needsNextLevel = true;
  else if (line == "outcome plan")
    entry.plans.push_back(Plan::read(file));
  else if (line.starts_with("outcome none ")) {
    entry.hasNone = true;
    why = line.substr(13);
  } else
    return false;
  entry.files.push_back(origin);
  return true;
}

/// Takes the next plan for the key that a pack has and the device can run. Returns false if there
/// is none.
bool readPacked(int64_t device, const std::string &place, const std::string &key, Entry &entry,
                std::string &why) {
  while (std::optional<PackedPlan> found = findPacked(device, place, entry.packedFiles)) {
    ++entry.packedFiles;
    try {
      Entry made;
      if (!readFile(found->data, found->origin, key, made, why))
        TORCH_CHECK(false, "it is not a plan for the key of its name");
      for (auto &plan : made.plans)
        plan->load(device); // here, since a plan that is running cannot be given up
      made.packedFiles = entry.packedFiles;
      made.packedPlans = made.plans.size();
      entry = std::move(made);
      return true;
    } catch (const c10::Error &error) {
      warnOfPack(found->origin, deviceAt(static_cast<c10::DeviceIndex>(device)).id,
                 error.what_without_backtrace());
    } catch (const std::exception &error) {
      warnOfPack(found->origin, deviceAt(static_cast<c10::DeviceIndex>(device)).id, error.what());
    }
  }
  return false;
}

/// Adds what was read to what is known about the calls with a key.
void add(Operator &op, const std::string &inMemory, Entry made, const std::string &why) {
  std::unique_lock lock(op.mutex);
  Entry &entry = op.entries[inMemory];
  for (auto &plan : made.plans)
    entry.plans.push_back(std::move(plan));
  for (std::string &file : made.files)
    entry.files.push_back(std::move(file));
  entry.packedFiles = std::max(entry.packedFiles, made.packedFiles);
  entry.packedPlans += made.packedPlans;
  entry.needsNextLevel |= made.needsNextLevel;
  entry.hasNone |= made.hasNone;
  if (!why.empty())
    op.why = why;
}

/// The operator and the key of a call that may be wrong.
thread_local Operator *doubted = nullptr;
thread_local std::string doubtedKey;

/// How many plans of a key were tried, and how many files of packs.
struct Tried {
  size_t plans = 0, packedPlans = 0, packedFiles = 0;
};

/// Loads or compiles a plan for the call, after those that do not admit it. Returns false if the
/// call may be wrong.
bool extend(Operator &op, const Call &call, const std::string &inMemory, Level level,
            const Tried &tried) {
  std::string key(call.key());
  std::string folder;
  CompilePlan compile;
  void (*interrupt)();
  {
    std::lock_guard lock(settings().mutex);
    folder = settings().folder;
    compile = settings().compile;
    interrupt = settings().interrupt;
  }
  std::string name = op.name.substr(op.name.find(':') + 2) + "." + op.overload;
  std::string digest = hexOf(hash(key, 0)) + hexOf(hash(key, 0x9e3779b97f4a7c15));
  Entry made;
  made.packedFiles = tried.packedFiles;
  std::string why;
  // No lock is held here: the compiler waits for Python's lock, whose owner may wait for ours.
  if (readPacked(call.device, name + "/" + digest, key, made, why)) {
    add(op, inMemory, std::move(made), why);
    return true;
  }
  size_t plans = tried.plans - tried.packedPlans; // those on disk are counted on their own
  std::filesystem::path place = folderOf(folder, call.device) / name;
  std::string file = digest + "-" + std::to_string(plans) + ".plan";
  auto read = [&] {
    try {
      std::ifstream stream(place / file, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(stream), {}};
      return readFile(text, (place / file).string(), key, made, why);
    } catch (const std::exception &error) {
      why = error.what();
      return false;
    }
  };
  if (!read()) {
    made.hasNone = !compile || plans >= mostVariants;
    if (plans >= mostVariants)
      why = "it has too many plans whose conditions do not hold";
    std::error_code ignored;
    std::filesystem::create_directories(place, ignored);
    Deeper compiling;
    depth += deepest; // the compiler's own calls have no plans
    int outcome = 0;
    if (!made.hasNone) {
      countCompilation();
      outcome = compile(op.name.c_str(), op.overload.c_str(), call.describe().c_str(),
                        static_cast<char>(level) - '0', call.device, hexOf(key).c_str(),
                        (place / file).c_str());
    }
    depth -= deepest;
    if (outcome == 3) { // the CPU computes the call, and the next one may compile the plan
      interrupt();
      return false;
    }
    if (outcome == 2) {
      doubted = &op;
      doubtedKey = inMemory;
      return false;
    }
    if (!made.hasNone && outcome != 1)
      why = "this process cannot compile plans; a warning says why";
    if (!made.hasNone && !(outcome == 1 && read()))
      made.hasNone = true;
  }
  add(op, inMemory, std::move(made), why);
  return true;
}

/// Makes a tensor that was given for a result have the sizes and elements of that result.
void replace(const at::Tensor &out, const at::Tensor &result) {
  at::NoGradGuard noGrad;
  if (out.storage().nbytes() == 0) {
    out.set_(result);
    return;
  }
  if (out.numel() != 0)
    TORCH_WARN("An output with one or more elements was resized since it had shape ", out.sizes(),
               ", which does not match the required output shape ", result.sizes(), ".");
  out.resize_(result.sizes());
  if (result.is_non_overlapping_and_dense())
    out.as_strided_(result.sizes(), result.strides());
  out.copy_(result);
}

/// Puts the results in the place of the arguments.
void returnResults(const c10::OperatorHandle &op, const Operator &known, c10::Stack &stack,
                   std::vector<at::Tensor> results) {
  const auto &returns = op.schema().returns();
  const auto &arguments = op.schema().arguments();
  size_t count = arguments.size();
  std::vector<c10::IValue> made;
  size_t next = 0;
  for (const c10::Argument &result : returns) {
    const c10::AliasInfo *alias = result.alias_info();
    size_t same = count;
    for (size_t i = 0; alias && alias->isWrite() && i < count; ++i)
      if (known.signature.arguments[i].isWritten &&
          arguments[i].alias_info()->beforeSets() == alias->beforeSets())
        same = i;
    if (same < count) {
      made.push_back(torch::jit::peek(stack, same, count));
      if (next < results.size()) // the plan makes results of other sizes than those of arguments
        replace(made.back().toTensor(), results[next++]);
    } else if (result.real_type()->kind() == c10::TypeKind::ListType) {
      made.emplace_back(c10::List<at::Tensor>(results));
      next = results.size();
    } else {
      TORCH_CHECK(next < results.size(), known.name, ": its plan has too few results");
      made.emplace_back(std::move(results[next++]));
    }
  }
  torch::jit::drop(stack, count);
  for (c10::IValue &value : made)
    stack.push_back(std::move(value));
}

/// Moves booleans of the CPU to the device of the call, and returns whether there were any. Plans
/// take other numbers of the CPU as arguments, but a boolean would be a type of its own in their
/// arithmetic.
bool moveBooleans(c10::Stack &stack, size_t count) {
  at::ArrayRef<c10::IValue> arguments = torch::jit::last(stack, count);
  auto isOurs = [](const c10::IValue &value) {
    return value.isTensor() && value.toTensor().defined() &&
           value.toTensor().device().type() == deviceType;
  };
  const auto *ours = std::find_if(arguments.begin(), arguments.end(), isOurs);
  if (ours == arguments.end())
    return false;
  c10::Device device = ours->toTensor().device();
  bool isMoved = false;
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    if (!stack[i].isTensor())
      continue;
    const at::Tensor &tensor = stack[i].toTensor();
    if (tensor.defined() && tensor.device().is_cpu() && tensor.dim() == 0 &&
        tensor.scalar_type() == c10::ScalarType::Bool) {
      stack[i] = tensor.to(device);
      isMoved = true;
    }
  }
  return isMoved;
}

} // namespace

void setPlanCompiler(const char *folder, CompilePlan compile, void (*interrupt)()) {
  std::lock_guard lock(settings().mutex);
  settings().folder = folder;
  settings().compile = compile;
  settings().interrupt = interrupt;
  settings().isOn = *folder != 0;
}

void usePlansNoMore() { depth = deepest; }

bool isCompiling() { return depth >= deepest; }

bool arePlansOn() { return settings().isOn; }

std::string reasonFor(const c10::OperatorHandle &op) {
  Operator &known = operatorOf(op);
  std::shared_lock lock(known.mutex);
  return known.why;
}

bool runByPlan(const c10::OperatorHandle &op, c10::Stack &stack) {
  doubted = nullptr;
  if (!settings().isOn || depth >= deepest)
    return false;
  Operator &known = operatorOf(op);
  if (!known.signature.isPlannable || Running::isAgain(known))
    return false;
  thread_local std::vector<Number> reused;
  std::vector<Number> values = std::move(reused);
  for (Level level = Level::Dynamic;;) {
    Call call(known.signature, torch::jit::last(stack, known.signature.arguments.size()), level);
    call.name = &known.name;
    if (call.unsupported && moveBooleans(stack, known.signature.arguments.size()))
      continue;
    if (call.unsupported) {
      std::unique_lock lock(known.mutex);
      known.why = call.unsupported;
      return false;
    }
    // In memory, plans also differ by their device, whose kernels they have.
    std::string key = std::string(1, static_cast<char>(call.device)) + std::string(call.key());
    std::shared_ptr<Plan> plan;
    Tried tried;
    bool isNext = false;
    {
      std::shared_lock lock(known.mutex);
      if (auto found = known.entries.find(key); found != known.entries.end()) {
        const Entry &entry = found->second;
        noteUse(call.device, entry.files);
        for (const auto &one : entry.plans)
          if (one->admits(call, values)) {
            plan = one;
            break;
          }
        tried = {entry.plans.size(), entry.packedPlans, entry.packedFiles};
        if (!plan && entry.hasNone)
          return false;
        isNext = !plan && entry.needsNextLevel;
      }
    }
    if (isNext && level == Level::Static)
      return false;
    if (isNext) {
      level = level == Level::Dynamic ? Level::Sizes : Level::Static;
      continue;
    }
    if (!plan) {
      if (level == Level::Static && !known.admitsStatic()) {
        std::unique_lock lock(known.mutex);
        known.why = "it has too many plans that serve only one size";
        return false;
      }
      if (!extend(known, call, key, level, tried))
        return false;
      continue;
    }
    if (plan->callsItself)
      return false;
    Deeper deeper;
    Running now(known, *plan);
    std::vector<at::Tensor> results = plan->run(call, values);
    reused = std::move(values);
    returnResults(op, known, stack, std::move(results));
    return true;
  }
}

Doubt::Doubt() : op(std::exchange(doubted, nullptr)), key(std::move(doubtedKey)) {}

void Doubt::resolve() const {
  if (!op)
    return;
  auto *known = static_cast<Operator *>(op);
  std::unique_lock lock(known->mutex);
  known->entries[key].hasNone = true;
  known->why = "PyTorch's meta kernel rejects the call";
}

std::map<std::string, std::string> reasonsWithoutPlan() {
  Operators &all = operators();
  std::map<std::string, std::string> made;
  std::shared_lock lock(all.mutex);
  for (const auto &[schema, op] : all.bySchema) {
    std::shared_lock one(op->mutex);
    if (!op->why.empty())
      made[op->overload.empty() ? op->name : op->name + "." + op->overload] = op->why;
  }
  return made;
}

} // namespace pumice::vk
