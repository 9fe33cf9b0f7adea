//===- Tables.cpp - the tables of features, limits and extensions -----------===//
#include "compiler/target/Tables.h"

namespace pumice::target {

static constexpr WorkaroundInfo workarounds[] = {
#define PUMICE_WORKAROUND(name, driver, id) {Workaround::name, #name, driver, id},
#include "compiler/target/Workarounds.def"
};

static constexpr bool Always = true, Different = false;
static constexpr bool MayBeZero = true, Positive = false;
static constexpr LimitInfo limits[] = {
#define PUMICE_LIMIT(type, name, defaultValue, structure, members, printed, least)                 \
  {#name, structure, members, printed, least, &Limits::name},
#include "compiler/target/Limits.def"
};

const FeatureInfo &infoOf(Feature feature) { return allFeatures()[static_cast<size_t>(feature)]; }
Feature featureOf(const FeatureInfo &info) {
  return static_cast<Feature>(&info - allFeatures().data());
}
std::span<const WorkaroundInfo> allWorkarounds() { return workarounds; }
std::span<const LimitInfo> allLimits() { return limits; }

const LimitInfo *findLimit(std::string_view name) {
  for (const LimitInfo &info : limits)
    if (info.name == name)
      return &info;
  return nullptr;
}

} // namespace pumice::target
