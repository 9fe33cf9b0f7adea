//===- VulkanJson.cpp - vulkaninfo output and Khronos profiles --------------===//
// Both forms hold Vulkan's own structures by name. The tables say where each feature and limit is.
//
//   profile form:  {"capabilities": {"block": {"extensions": {…}, "features": {"VkPhysicalDevice…":
//                   {…}}, "properties": {…}}}, "profiles": {"VP_…": {"capabilities": ["block"]}}}
//
//   older output:  {"VkPhysicalDeviceFeatures": {…}, …, "ArrayOfVkExtensionProperties": […]}
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/JsonReader.h"
#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/target/MatrixText.h"

#include "llvm/ADT/StringExtras.h"

namespace json = llvm::json;

using namespace pumice::target;

namespace pumice::vk {
namespace {

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

/// Returns whether the structure `key` (without "VkPhysicalDevice") holds the entries that the
/// table places in `structure`. `key` may be the name of that structure, an older name of it with
/// KHR or EXT, or VulkanNNFeatures.
bool holds(llvm::StringRef key, std::string_view structure) {
  if (key.consume_front("Float16Int8Features")) // names from before a specification's fixes
    return structure == "ShaderFloat16Int8Features";
  if (key.consume_front("VariablePointerFeatures"))
    return structure == "VariablePointersFeatures";
  if (key.consume_front(ref(structure)))
    return key.empty() || key == "KHR" || key == "EXT";
  if (!key.consume_front("Vulkan") || key.size() < 3 || !llvm::isDigit(key[0]) ||
      !llvm::isDigit(key[1]))
    return false;
  key = key.drop_front(2);
  return (key == "Features" && ref(structure).ends_with("Features")) ||
         (key == "Properties" && ref(structure).ends_with("Properties"));
}

Status readFlag(const json::Value &value, bool &flag, const std::string &path) {
  if (std::optional<bool> boolean = value.getAsBoolean())
    flag = *boolean;
  else if (std::optional<uint64_t> number = value.getAsUINT64(); number && *number <= 1)
    flag = *number;
  else if (value.getAsString() == llvm::StringRef("VK_TRUE"))
    flag = true;
  else if (value.getAsString() == llvm::StringRef("VK_FALSE"))
    flag = false;
  else
    return jsonError(path, shortText(value) + " must be true or false");
  return Status::ok();
}

/// Merges limits that several blocks of a profile state, so that the result satisfies all blocks.
/// The result is the greater maximum, the smaller minimum, and the union of the flags.
void keepStronger(const LimitInfo &info, const Limits &before, Limits &limits) {
  auto keep = [&](auto &now, auto old) {
    if (info.name.starts_with("max"))
      now = std::max(now, old);
    else if (info.name.starts_with("min") && old != 0)
      now = std::min(now, old);
    else if (info.members.find("upported") != std::string_view::npos)
      now |= old;
  };
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), Size3 Limits::*>)
          for (size_t i = 0; i < 3; ++i)
            keep((limits.*member)[i], (before.*member)[i]);
        else
          keep(limits.*member, before.*member);
      },
      info.member);
}

/// Reads one of Vulkan's structures, by the tables.
Status readStructure(llvm::StringRef key, const json::Object &members, bool merge, TargetEnv &env,
                     const std::string &path) {
  for (const FeatureInfo &info : allFeatures())
    if (const json::Value *value = members.get(ref(info.member));
        value && holds(key, info.structure)) {
      bool flag = false;
      PUMICE_RETURN_IF_ERROR(readFlag(*value, flag, path + "." + std::string(info.member)));
      if (flag || !merge)
        env.set(featureOf(info), flag);
    }
  for (const LimitInfo &info : allLimits()) {
    if (!holds(key, info.structure))
      continue;
    for (std::string_view member : splitWords(info.members))
      if (const json::Value *value = members.get(ref(member))) {
        Limits before = env.limits;
        PUMICE_RETURN_IF_ERROR(readJsonLimit(*value, info, /*flags=*/true, env.limits,
                                             path + "." + std::string(member)));
        if (merge)
          keepStronger(info, before, env.limits);
      }
  }
  return Status::ok();
}

Status readDeviceProperties(const json::Object &members, bool merge, TargetEnv &env,
                            const std::string &path) {
  if (const json::Value *version = members.get("apiVersion"))
    PUMICE_RETURN_IF_ERROR(readJsonVersion(*version, env, path + ".apiVersion"));
  if (std::optional<llvm::StringRef> name = members.getString("deviceName"))
    env.name = name->str();
  if (const json::Value *limits = members.get("limits")) {
    const json::Object *object = limits->getAsObject();
    if (!object)
      return jsonError(path + ".limits", "must be an object");
    return readStructure("Limits", *object, merge, env, path + ".limits");
  }
  return Status::ok();
}

/// Reads the device's driver, given as a number or by its name, which determines the workarounds.
void readDriver(llvm::StringRef key, const json::Object &members, TargetEnv &env) {
  const json::Value *id = members.get("driverID");
  if (!id || !holds(key, "DriverProperties"))
    return;
  for (const WorkaroundInfo &info : allWorkarounds())
    if (id->getAsUINT64() == uint64_t(info.driverId) || id->getAsString() == ref(info.driver))
      env.set(info.workaround);
}

/// Reads an object of structures. Other members are skipped.
Status readStructures(const json::Object &structures, bool merge, TargetEnv &env,
                      const std::string &path) {
  // The order does not matter: if two structures have the same member, its values are equal.
  for (const auto &[member, value] : structures) {
    llvm::StringRef name = member, key = name;
    if (!key.consume_front("VkPhysicalDevice"))
      continue;
    std::string place = path.empty() ? name.str() : path + "." + name.str();
    const json::Object *members = value.getAsObject();
    if (!members)
      return jsonError(place, "must be an object");
    readDriver(key, *members, env);
    PUMICE_RETURN_IF_ERROR(key == "Properties" || key == "Properties2"
                               ? readDeviceProperties(*members, merge, env, place)
                               : readStructure(key, *members, merge, env, place));
  }
  return Status::ok();
}

/// Reads extensions as {"VK_…": version} or [{"extensionName": "VK_…"}]. Keeps the known ones.
Status readExtensions(const json::Value &value, TargetEnv &env, const std::string &path) {
  auto add = [&](llvm::StringRef name) {
    if (isKnownExtension(view(name)))
      env.extensions.insert(name.str());
  };
  if (const json::Object *object = value.getAsObject()) {
    for (const auto &[name, version] : *object)
      add(name);
    return Status::ok();
  }
  const json::Array *array = value.getAsArray();
  if (!array)
    return jsonError(path, "must be an object of extensions");
  for (size_t i = 0; i < array->size(); ++i) {
    const json::Object *entry = (*array)[i].getAsObject();
    std::optional<llvm::StringRef> name = entry ? entry->getString("extensionName") : std::nullopt;
    if (!name)
      return jsonError(path + "[" + std::to_string(i) + "]", "must have an extensionName");
    add(*name);
  }
  return Status::ok();
}

Status readBlock(const json::Object &blocks, llvm::StringRef name, bool merge, TargetEnv &env) {
  std::string path = "capabilities." + name.str();
  const json::Object *block = blocks.getObject(name);
  if (!block)
    return jsonError(path, "the profile names this block, which is not an object in the file");
  if (const json::Value *extensions = block->get("extensions"))
    PUMICE_RETURN_IF_ERROR(readExtensions(*extensions, env, path + ".extensions"));
  for (llvm::StringRef part : {"features", "properties"})
    if (const json::Value *value = block->get(part)) {
      std::string place = path + "." + part.str();
      const json::Object *structures = value->getAsObject();
      if (!structures)
        return jsonError(place, "must be an object of Vulkan's structures");
      PUMICE_RETURN_IF_ERROR(readStructures(*structures, merge, env, place));
    }
  return Status::ok();
}

/// Returns the profile that `wanted` names, or the only one.
Result<llvm::StringRef> chooseProfile(const json::Object &profiles, std::string_view wanted) {
  std::vector<std::string> names;
  for (const auto &[member, value] : profiles) {
    llvm::StringRef name = member;
    if (name == ref(wanted) || (wanted.empty() && profiles.size() == 1))
      return name;
    names.push_back(name.str());
  }
  llvm::sort(names);
  std::string list = llvm::join(names, ", ");
  if (names.empty())
    return jsonError("profiles", "there is none");
  if (wanted.empty())
    return jsonError("profiles", "there are several (" + list + "); name one as FILE:PROFILE");
  return jsonError("profiles", "no '" + std::string(wanted) + "'; there is " + list);
}

Status readProfile(const json::Object &root, const json::Object &profiles, llvm::StringRef name,
                   TargetEnv &env, bool &merge, unsigned depth = 0) {
  std::string path = "profiles." + name.str();
  const json::Object *profile = profiles.getObject(name);
  if (!profile)
    return jsonError(path, "must be an object");
  if (const json::Array *required = profile->getArray("profiles"); required && depth < 8)
    for (const json::Value &other : *required)
      if (std::optional<llvm::StringRef> text = other.getAsString(); text && profiles.get(*text))
        PUMICE_RETURN_IF_ERROR(readProfile(root, profiles, *text, env, merge, depth + 1));
  if (const json::Value *version = profile->get("api-version"))
    PUMICE_RETURN_IF_ERROR(readJsonVersion(*version, env, path + ".api-version"));
  if (env.name.empty() || depth == 0)
    env.name = name.str();
  const json::Object *blocks = root.getObject("capabilities");
  const json::Array *names = profile->getArray("capabilities");
  if (!blocks || !names)
    return jsonError(path + ".capabilities", "must be an array of blocks in 'capabilities'");
  // A nested array lists alternatives. If there are several, the profile guarantees none of them.
  for (size_t i = 0; i < names->size(); ++i) {
    const json::Value *value = &(*names)[i];
    if (const json::Array *alternatives = value->getAsArray()) {
      if (alternatives->size() != 1)
        continue;
      value = &(*alternatives)[0];
    }
    std::optional<llvm::StringRef> block = value->getAsString();
    if (!block)
      return jsonError(path + ".capabilities[" + std::to_string(i) + "]", "must be a block's name");
    PUMICE_RETURN_IF_ERROR(readBlock(*blocks, *block, merge, env));
    merge = true;
  }
  return Status::ok();
}

Status readOlderOutput(const json::Object &root, TargetEnv &env) {
  PUMICE_RETURN_IF_ERROR(readStructures(root, /*merge=*/false, env, ""));
  if (const json::Value *extensions = root.get("ArrayOfVkExtensionProperties"))
    return readExtensions(*extensions, env, "ArrayOfVkExtensionProperties");
  return Status::ok();
}

/// Normalizes values that devices report beyond the range of the environment.
void normalize(TargetEnv &env) {
  Limits &limits = env.limits;
  limits.subgroupSupportedStages &= TargetEnv::computeStage;
  limits.requiredSubgroupSizeStages &= TargetEnv::computeStage;
  uint32_t known = 0;
  for (const SubgroupOperationInfo &info : allSubgroupOperations())
    known |= info.bit;
  limits.subgroupFeatures &= env.atLeast(1, 1) ? known : 0;
  if (limits.subgroupSize == 0)
    limits.subgroupSize = 1;
  env.complete();
  dropUnsupportedFeatures(env);
}

} // namespace

Result<TargetEnv> readVulkanJson(const json::Object &root, std::string_view profile) {
  TargetEnv env;
  const json::Object *profiles = root.getObject("profiles");
  bool older = llvm::any_of(root, [](const auto &member) {
    return llvm::StringRef(member.first).starts_with("VkPhysicalDevice");
  });
  if (profiles) {
    Result<llvm::StringRef> name = chooseProfile(*profiles, profile);
    if (!name.isOk())
      return name.status();
    bool merge = false;
    PUMICE_RETURN_IF_ERROR(readProfile(root, *profiles, *name, env, merge));
  } else if (older) {
    PUMICE_RETURN_IF_ERROR(readOlderOutput(root, env));
  } else {
    return Status(StatusCode::InvalidArgument,
                  "neither vulkaninfo's output, nor a profile (\"profiles\"), nor a target "
                  "environment (\"pumiceTargetEnv\")");
  }
  PUMICE_RETURN_IF_ERROR(readJsonMatrices(root, env));
  normalize(env);
  PUMICE_RETURN_IF_ERROR(verify(env));
  return env;
}

} // namespace pumice::vk
