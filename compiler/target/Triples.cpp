//===- Triples.cpp - environments by name -----------------------------------===//
#include "compiler/target/Triples.h"

#include "compiler/target/MatrixText.h"
#include "compiler/target/Tables.h"
#include "executable/OpenclNeeds.h"
#include "support/NearestName.h"

#include <algorithm>
#include <charconv>

namespace pumice::target {
namespace {

constexpr TripleInfo triples[] = {
#define PUMICE_TRIPLE(name, description, minor, revision, words)                                   \
  {name, description, Api::Vulkan, 1, minor, revision, 0, words},
#define PUMICE_OPENCL_TRIPLE(name, description, minor, spirv, words)                               \
  {name, description, Api::OpenCl, 3, minor, 0, spirv, words},
#define PUMICE_SET(name, words)
#define PUMICE_ALIAS(name, triple)
#include "compiler/target/Triples.def"
};

struct FeatureSet {
  std::string_view name, words;
};
constexpr FeatureSet featureSets[] = {
#define PUMICE_TRIPLE(...)
#define PUMICE_OPENCL_TRIPLE(...)
#define PUMICE_SET(name, words) {name, words},
#define PUMICE_ALIAS(name, triple)
#include "compiler/target/Triples.def"
};

constexpr TripleAlias aliases[] = {
#define PUMICE_TRIPLE(...)
#define PUMICE_OPENCL_TRIPLE(...)
#define PUMICE_SET(...)
#define PUMICE_ALIAS(name, triple) {name, triple},
#include "compiler/target/Triples.def"
};

Status bad(std::string_view word) {
  return Status(StatusCode::Internal, "'" + std::string(word) +
                                          "' in Triples.def is not a feature, "
                                          "limit, workaround, extension or set");
}

/// Parses a number such as "1024", or three such as "1024,1024,64" for a Size3.
bool assign(std::string_view text, uint64_t *numbers, size_t count) {
  const char *at = text.data(), *end = at + text.size();
  for (size_t i = 0; i < count; ++i) {
    if (i && (at == end || *at++ != ','))
      return false;
    auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc())
      return false;
    at = next;
  }
  return at == end;
}

bool setLimit(Limits &limits, const LimitInfo &info, std::string_view text) {
  uint64_t numbers[3] = {};
  bool isSize = std::holds_alternative<Size3 Limits::*>(info.member);
  if (!assign(text, numbers, isSize ? 3 : 1))
    return false;
  if (auto *small = std::get_if<uint32_t Limits::*>(&info.member))
    limits.**small = static_cast<uint32_t>(numbers[0]);
  else if (auto *large = std::get_if<uint64_t Limits::*>(&info.member))
    limits.**large = numbers[0];
  else
    for (size_t i = 0; i < 3; ++i)
      (limits.*std::get<Size3 Limits::*>(info.member))[i] = static_cast<uint32_t>(numbers[i]);
  return true;
}

/// Adds a shape of subgroup scope, such as "16x16x16:f16:f16:f32:f32". It may end with
/// ":saturating".
Status addShape(std::vector<CooperativeMatrixShape> &shapes, std::string_view word) {
  std::string text(word);
  std::ranges::replace(text, ':', ' ');
  constexpr std::string_view saturating = " saturating";
  size_t end = text.ends_with(saturating) ? text.size() - saturating.size() : text.size();
  text.insert(end, " subgroup");
  Result<CooperativeMatrixShape> shape = parseMatrixShape(text);
  if (!shape.isOk())
    return shape.status();
  shapes.push_back(*shape);
  return Status::ok();
}

/// Adds a feature. Adds its extension, too, unless the version includes it.
void addFeature(TargetEnv &env, Feature feature) {
  env.set(feature);
  const FeatureInfo &info = infoOf(feature);
  if (!info.extensions.empty() && (info.core == never || !env.atLeast(1, info.core)))
    env.extensions.emplace(splitWords(info.extensions).front());
}

Status apply(TargetEnv &env, std::string_view words, unsigned depth = 0) {
  for (std::string_view word : splitWords(words)) {
    if (word.starts_with("VK_") || executable::looksLikeOpencl(word)) {
      env.extensions.emplace(word);
    } else if (word.starts_with('@')) {
      auto *set = std::ranges::find(featureSets, word.substr(1), &FeatureSet::name);
      if (set == std::end(featureSets) || depth > 8)
        return bad(word);
      PUMICE_RETURN_IF_ERROR(apply(env, set->words, depth + 1));
    } else if (word.starts_with("khr:")) {
      PUMICE_RETURN_IF_ERROR(addShape(env.cooperativeMatrices, word.substr(4)));
    } else if (word.starts_with("architecture:")) {
      env.architecture = word.substr(13);
    } else if (word.starts_with("native:")) {
      env.nativeCode.emplace_back(word.substr(7));
    } else if (word.starts_with("nv:")) {
      PUMICE_RETURN_IF_ERROR(addShape(env.cooperativeMatricesNV, word.substr(3)));
    } else if (size_t equals = word.find('='); equals != std::string_view::npos) {
      const LimitInfo *limit = findLimit(word.substr(0, equals));
      if (!limit || !setLimit(env.limits, *limit, word.substr(equals + 1)))
        return bad(word);
    } else if (std::optional<Feature> feature = findFeature(word)) {
      addFeature(env, *feature);
    } else if (std::optional<Workaround> workaround = findWorkaround(word)) {
      env.set(*workaround);
    } else {
      return bad(word);
    }
  }
  return Status::ok();
}

/// Returns whether the name is this spelling, or continues it as LLVM's triples do.
bool begins(std::string_view name, std::string_view spelling) {
  return name == spelling ||
         (name.starts_with(spelling) && name[spelling.size()] == '-' &&
          name.substr(spelling.size()).find_first_of("0123456789") == std::string_view::npos);
}

bool isForCpus(const TripleInfo &info) {
  return info.words.find("native:") != std::string_view::npos;
}

/// Returns whether the rest of a triple names a system other than Linux. Triples for other systems
/// have names of their own.
bool namesOtherSystem(std::string_view rest) {
  constexpr std::string_view known[] = {"", "unknown", "none", "pc", "linux", "gnu", "musl"};
  while (!rest.empty()) {
    size_t end = std::min(rest.find('-'), rest.size());
    if (std::ranges::find(known, rest.substr(0, end)) == std::end(known))
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

Status unknownTriple(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TripleInfo &info : triples)
    names.push_back(info.name);
  for (const TripleAlias &alias : aliases)
    names.push_back(alias.name);
  std::string message = "'" + std::string(name.substr(0, 100)) + "' is not the name of a target";
  std::string near;
  for (std::string_view candidate : names)
    if (name.size() >= 3 && (candidate.find(name) != std::string_view::npos ||
                             candidate.starts_with(name.substr(0, 3))))
      (near += near.empty() ? "" : ", ") += candidate;
  if (near.empty())
    near = nearestName(name, names);
  if (!near.empty())
    message += "; near it: " + near;
  return Status(StatusCode::NotFound, message + "; `pumice target-env --list` lists them all");
}

} // namespace

std::span<const TripleInfo> allTriples() { return triples; }
std::span<const TripleAlias> allAliases() { return aliases; }

std::string apiVersionOf(const TripleInfo &info) {
  return std::string(nameOf(info.api)) + " " + std::to_string(info.majorVersion) + "." +
         std::to_string(info.minorVersion);
}

Result<TargetEnv> lookupTriple(std::string_view name) {
  // The longest matching name counts. For example, "adreno-740-android" means "adreno-740".
  const TripleInfo *found = nullptr;
  size_t length = 0;
  auto consider = [&](std::string_view spelling, std::string_view triple) {
    if (spelling.size() >= length && begins(name, spelling)) {
      found = std::ranges::find(triples, triple, &TripleInfo::name);
      length = spelling.size();
    }
  };
  for (const TripleInfo &info : triples)
    consider(info.name, info.name);
  for (const TripleAlias &alias : aliases)
    consider(alias.name, alias.triple);
  if (!found || (isForCpus(*found) && namesOtherSystem(name.substr(length))))
    return unknownTriple(name);
  TargetEnv env;
  env.api = found->api;
  env.versionMajor = found->majorVersion;
  env.versionMinor = found->minorVersion;
  env.spirvMinor = found->spirvMinor;
  env.revision = found->revision;
  env.name = found->name;
  if (Status status = apply(env, found->words); !status.isOk())
    return std::move(status).at(found->name);
  env.complete();
  if (Status status = verify(env); !status.isOk())
    return std::move(status).at(found->name);
  return env;
}

} // namespace pumice::target
