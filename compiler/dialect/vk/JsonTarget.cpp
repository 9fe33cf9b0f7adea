//===- JsonTarget.cpp - environments as JSON: values, and our own form ------===//
#include "compiler/dialect/vk/JsonTarget.h"

#include "compiler/dialect/vk/JsonReader.h"
#include "compiler/target/MatrixText.h"
#include "support/JsonWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

using namespace pumice::target;

namespace pumice::vk {

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

Status jsonError(const std::string &path, std::string_view message) {
  return Status(StatusCode::InvalidArgument, path + ": " + std::string(message));
}

std::string shortText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

bool nestsTooDeep(std::string_view text) {
  constexpr int deepest = 64;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quoted)
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{' || c == '<' || c == '('))
      depth += 1;
    else if (!quoted && (c == ']' || c == '}' || c == '>' || c == ')'))
      depth -= depth > 0;
    if (depth > deepest)
      return true;
  }
  return false;
}

Result<uint64_t> readJsonNumber(const json::Value &value, uint64_t largest,
                                const std::string &path) {
  std::optional<uint64_t> number = value.getAsUINT64();
  if (!number || *number > largest)
    return jsonError(path, shortText(value) + " must be a whole number from 0 to " +
                               std::to_string(largest));
  return *number;
}

/// Returns VK_SUBGROUP_FEATURE_VOTE_BIT, VK_SHADER_STAGE_COMPUTE_BIT and the like as bits. Bits
/// without a meaning for compute are 0. Returns nothing for names of other kinds.
static std::optional<uint64_t> flagValue(llvm::StringRef name) {
  if (name.consume_front("VK_SHADER_STAGE_"))
    return name == "COMPUTE_BIT" || name == "ALL" ? TargetEnv::computeStage : 0;
  if (name.consume_front("VK_SUBGROUP_FEATURE_")) {
    for (llvm::StringRef suffix : {"_KHR", "_EXT", "_NV"})
      name.consume_back(suffix);
    name.consume_back("_BIT");
    for (const SubgroupOperationInfo &info : allSubgroupOperations()) {
      std::string upper = ref(info.name).upper();
      std::replace(upper.begin(), upper.end(), ' ', '_');
      if (name == upper)
        return info.bit;
    }
    return 0;
  }
  if (name.consume_front("VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_")) {
    name.consume_back("_KHR");
    return name == "32_BIT_ONLY" ? 0 : name == "ALL" ? 1 : 2;
  }
  return std::nullopt;
}

static Result<uint64_t> readFlags(const json::Value &value, const std::string &path) {
  uint64_t flags = 0;
  auto add = [&](const json::Value &name) {
    std::optional<llvm::StringRef> text = name.getAsString();
    std::optional<uint64_t> flag = text ? flagValue(*text) : std::nullopt;
    if (flag)
      flags |= *flag;
    return flag.has_value();
  };
  if (const json::Array *names = value.getAsArray()) {
    for (size_t i = 0; i < names->size(); ++i)
      if (!add((*names)[i]))
        return jsonError(path + "[" + std::to_string(i) + "]",
                         shortText((*names)[i]) + " is not the name of a flag");
  } else if (!add(value)) {
    return jsonError(path, shortText(value) + " must be a number or flags' names");
  }
  return flags;
}

Status readJsonLimit(const json::Value &value, const LimitInfo &info, bool flags, Limits &limits,
                     const std::string &path) {
  if (auto *sizes = std::get_if<Size3 Limits::*>(&info.member)) {
    const json::Array *array = value.getAsArray();
    if (!array || array->size() != 3)
      return jsonError(path, shortText(value) + " must be an array of three sizes");
    for (size_t i = 0; i < 3; ++i) {
      Result<uint64_t> size =
          readJsonNumber((*array)[i], UINT32_MAX, path + "[" + std::to_string(i) + "]");
      if (!size.isOk())
        return size.status();
      (limits.**sizes)[i] = static_cast<uint32_t>(*size);
    }
    return Status::ok();
  }
  auto *small = std::get_if<uint32_t Limits::*>(&info.member);
  bool isName = flags && (value.getAsString() || value.getAsArray());
  Result<uint64_t> number = isName ? readFlags(value, path)
                                   : readJsonNumber(value, small ? UINT32_MAX : UINT64_MAX, path);
  if (!number.isOk())
    return number.status();
  if (small)
    limits.**small = static_cast<uint32_t>(*number);
  else
    limits.*std::get<uint64_t Limits::*>(info.member) = *number;
  return Status::ok();
}

Status readJsonVersion(const json::Value &value, TargetEnv &env, const std::string &path) {
  if (std::optional<llvm::StringRef> text = value.getAsString()) {
    llvm::SmallVector<llvm::StringRef, 4> parts;
    text->split(parts, '.');
    if (parts.size() < 2 || parts.size() > 3 || parts[0].getAsInteger(10, env.versionMajor) ||
        parts[1].getAsInteger(10, env.versionMinor) ||
        (parts.size() == 3 && parts[2].getAsInteger(10, env.revision)))
      return jsonError(path, shortText(value) + " is not a version such as \"1.3.230\"");
    return Status::ok();
  }
  Result<uint64_t> number = readJsonNumber(value, UINT32_MAX, path);
  if (!number.isOk())
    return number.status();
  // VK_API_VERSION: variant, 7 bits of major, 10 of minor, 12 of patch.
  env.versionMajor = (*number >> 22) & 0x7f;
  env.versionMinor = (*number >> 12) & 0x3ff;
  env.revision = *number & 0xfff;
  return Status::ok();
}

template <typename Entry>
static Status readTexts(const json::Object &object, std::string_view key,
                        std::vector<Entry> &entries, Result<Entry> (*parse)(std::string_view)) {
  const json::Value *value = object.get(ref(key));
  if (!value)
    return Status::ok();
  const json::Array *array = value->getAsArray();
  if (!array)
    return jsonError(std::string(key), "must be an array of strings");
  for (size_t i = 0; i < array->size(); ++i) {
    std::string path = std::string(key) + "[" + std::to_string(i) + "]";
    std::optional<llvm::StringRef> text = (*array)[i].getAsString();
    if (!text)
      return jsonError(path, "must be a string");
    Result<Entry> entry = parse({text->data(), text->size()});
    if (!entry.isOk())
      return jsonError(path, entry.status().message());
    entries.push_back(*entry);
  }
  return Status::ok();
}

Status readJsonMatrices(const json::Object &object, TargetEnv &env) {
  PUMICE_RETURN_IF_ERROR(readTexts(object, matricesKey, env.cooperativeMatrices, parseMatrixShape));
  PUMICE_RETURN_IF_ERROR(
      readTexts(object, matricesNVKey, env.cooperativeMatricesNV, parseMatrixShape));
  return readTexts(object, fragmentMapsKey, env.fragmentMaps, parseFragmentMap);
}

//===-------------------------------------------------------------------------===//
// Our own form
//===-------------------------------------------------------------------------===//

static Status readLimits(const json::Value &value, Limits &limits) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return jsonError("limits", "must be an object");
  for (const auto &[name, number] : *object) {
    llvm::StringRef key = name;
    std::string path = "limits." + key.str();
    const LimitInfo *info = findLimit({key.data(), key.size()});
    if (!info)
      return jsonError(path, "no limit has this name");
    PUMICE_RETURN_IF_ERROR(readJsonLimit(number, *info, /*flags=*/false, limits, path));
  }
  return Status::ok();
}

/// Reads an array of different strings. `add` gets each, and returns whether it knows the name.
template <typename Add>
static Status readNames(const json::Value &value, const std::string &key, Add add) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return jsonError(key, "must be an array of names");
  llvm::StringSet<> seen;
  for (size_t i = 0; i < array->size(); ++i) {
    std::optional<llvm::StringRef> name = (*array)[i].getAsString();
    std::string path = key + "[" + std::to_string(i) + "]";
    if (!name || !add(std::string_view(name->data(), name->size())))
      return jsonError(path, shortText((*array)[i]) + " is not a known name");
    if (!seen.insert(*name).second)
      return jsonError(path, shortText((*array)[i]) + " occurs twice; remove one");
  }
  return Status::ok();
}

static Status readMember(llvm::StringRef key, const json::Value &value, TargetEnv &env) {
  if (key == "version")
    return readJsonVersion(value, env, "version");
  if (key == ref(apiKey)) {
    std::optional<llvm::StringRef> text = value.getAsString();
    if (text != ref(nameOf(Api::Vulkan)) && text != ref(nameOf(Api::OpenCl)))
      return jsonError(key.str(), shortText(value) + " must be \"Vulkan\" or \"OpenCL\"");
    env.api = *text == ref(nameOf(Api::OpenCl)) ? Api::OpenCl : Api::Vulkan;
    return Status::ok();
  }
  if (key == ref(spirvMinorKey) || key == ref(addressBitsKey)) {
    Result<uint64_t> number = readJsonNumber(value, UINT32_MAX, key.str());
    if (number.isOk())
      (key == ref(spirvMinorKey) ? env.spirvMinor : env.addressBits) =
          static_cast<uint32_t>(*number);
    return number.status();
  }
  if (key == "limits")
    return readLimits(value, env.limits);
  if (key == "deviceName" || key == ref(architectureKey)) {
    std::optional<llvm::StringRef> text = value.getAsString();
    if (!text)
      return jsonError(key.str(), "must be a string");
    (key == "deviceName" ? env.name : env.architecture) = text->str();
    return Status::ok();
  }
  if (key == "extensions")
    return readNames(value, "extensions", [&](std::string_view name) {
      env.extensions.emplace(name);
      return true;
    });
  if (key == "features")
    return readNames(value, "features", [&](std::string_view name) {
      std::optional<Feature> feature = findFeature(name);
      if (feature)
        env.set(*feature);
      return feature.has_value();
    });
  if (key == ref(nativeCodeKey))
    return readNames(value, key.str(), [&](std::string_view name) {
      env.nativeCode.emplace_back(name);
      return true;
    });
  if (key == "workarounds")
    return readNames(value, "workarounds", [&](std::string_view name) {
      std::optional<Workaround> workaround = findWorkaround(name);
      if (workaround)
        env.set(*workaround);
      return workaround.has_value();
    });
  for (std::string_view known : {matricesKey, matricesNVKey, fragmentMapsKey})
    if (key == ref(known))
      return Status::ok(); // readJsonMatrices reads these
  if (key == "pumiceTargetEnv") {
    if (value.getAsUINT64() != uint64_t(1))
      return jsonError("pumiceTargetEnv", "only form 1 is known; a newer pumice wrote this file");
    return Status::ok();
  }
  return jsonError(key.str(), "a target environment has no such member");
}

Result<TargetEnv> readEnvironmentJson(const json::Object &root) {
  TargetEnv env;
  for (const auto &[key, value] : root)
    PUMICE_RETURN_IF_ERROR(readMember(key, value, env));
  PUMICE_RETURN_IF_ERROR(readJsonMatrices(root, env));
  env.complete();
  PUMICE_RETURN_IF_ERROR(verify(env));
  return env;
}

/// Writes the members in the order of their names.
static void writeLimits(JsonWriter &json, const Limits &limits) {
  std::vector<LimitInfo> all(allLimits().begin(), allLimits().end());
  llvm::sort(all, [](const LimitInfo &a, const LimitInfo &b) { return a.name < b.name; });
  json.key("limits").beginObject();
  for (const LimitInfo &info : all)
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), Size3 Limits::*>)
            json.list(info.name, limits.*member);
          else
            json.member(info.name, limits.*member);
        },
        info.member);
  json.end();
}

std::string toJson(const TargetEnv &env) {
  JsonWriter json;
  // Writes an array unless it is empty.
  auto texts = [&](std::string_view name, const auto &entries) {
    if (!entries.empty())
      json.list(name, entries, [&](const auto &entry) { json.value(toString(entry)); });
  };
  json.beginObject();
  if (env.isOpenCl())
    json.member(addressBitsKey, env.addressBits).member(apiKey, nameOf(env.api));
  if (!env.architecture.empty())
    json.member(architectureKey, env.architecture);
  texts(fragmentMapsKey, env.fragmentMaps);
  texts(matricesKey, env.cooperativeMatrices);
  texts(matricesNVKey, env.cooperativeMatricesNV);
  if (!env.name.empty())
    json.member("deviceName", env.name);
  json.list("extensions", env.extensions);
  json.key("features").beginArray();
  for (const FeatureInfo &info : allFeatures())
    if (env.has(featureOf(info)))
      json.value(info.name);
  json.end();
  writeLimits(json, env.limits);
  if (!env.nativeCode.empty())
    json.list(nativeCodeKey, env.nativeCode);
  json.member("pumiceTargetEnv", 1);
  if (env.isOpenCl())
    json.member(spirvMinorKey, env.spirvMinor);
  json.member("version", std::to_string(env.versionMajor) + "." + std::to_string(env.versionMinor) +
                             "." + std::to_string(env.revision));
  if (llvm::any_of(allWorkarounds(), [&](auto &info) { return env.needs(info.workaround); })) {
    json.key("workarounds").beginArray();
    for (const WorkaroundInfo &info : allWorkarounds())
      if (env.needs(info.workaround))
        json.value(info.name);
    json.end();
  }
  json.end();
  return json.take();
}

Result<TargetEnv> readTargetJson(std::string_view text, std::string_view profile) {
  if (nestsTooDeep(text))
    return Status(StatusCode::InvalidArgument, "brackets nest more than 64 deep");
  llvm::Expected<json::Value> value = json::parse(ref(text));
  if (!value)
    return Status(StatusCode::InvalidArgument, "not JSON: " + llvm::toString(value.takeError()));
  const json::Object *root = value->getAsObject();
  if (!root)
    return Status(StatusCode::InvalidArgument, "the top of the JSON must be an object");
  if (root->get("pumiceTargetEnv"))
    return readEnvironmentJson(*root);
  return readVulkanJson(*root, profile);
}

} // namespace pumice::vk
