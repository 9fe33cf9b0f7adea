//===- Generator.cpp - a counter-based generator for each device ------------===//
#include "python/torch_shim/device/Generator.h"

#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/device/Graph.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <c10/core/GeneratorImpl.h>

#include <map>
#include <mutex>
#include <optional>

namespace pumice::vk {
namespace {

class GeneratorImpl final : public c10::GeneratorImpl {
public:
  explicit GeneratorImpl(c10::DeviceIndex device)
      : c10::GeneratorImpl(c10::Device(deviceType, device),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

  static c10::DeviceType device_type() { return deviceType; }

  void set_current_seed(uint64_t given) override {
    number = given;
    position = 0;
  }
  void set_offset(uint64_t offset) override { position = offset; }
  uint64_t get_offset() const override { return position; }
  uint64_t current_seed() const override { return number; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return number;
  }
  /// The state is 16 bytes: the seed, then the position.
  void set_state(const c10::TensorImpl &state) override {
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == 16, "expected a state of 16 bytes, got ", state.numel());
    auto *bytes = static_cast<const uint8_t *>(state.data());
    std::memcpy(&number, bytes, 8);
    std::memcpy(&position, bytes + 8, 8);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::Tensor state = at::empty({16}, at::TensorOptions(at::kByte).device(at::kCPU));
    auto *bytes = state.mutable_data_ptr<uint8_t>();
    std::memcpy(bytes, &number, 8);
    std::memcpy(bytes + 8, &position, 8);
    return state.getIntrusivePtr();
  }

  uint64_t take(uint64_t count) {
    uint64_t first = position;
    position += count;
    return first;
  }

private:
  GeneratorImpl *clone_impl() const override {
    auto *copy = new GeneratorImpl(device().index());
    copy->number = number;
    copy->position = position;
    return copy;
  }
  uint64_t number = c10::default_rng_seed_val, position = 0;
};

} // namespace

at::Generator newGenerator(c10::DeviceIndex device) {
  return at::make_generator<GeneratorImpl>(orCurrent(device));
}

namespace {

/// The devices' own generators. They are never destroyed, as those of other devices.
struct Defaults {
  std::mutex mutex;
  std::map<c10::DeviceIndex, at::Generator> made;
  std::optional<uint64_t> seed; // the seed for generators that are made later
};
Defaults &defaults() {
  static auto *one = new Defaults;
  return *one;
}

} // namespace

const at::Generator &defaultGenerator(c10::DeviceIndex device) {
  device = orCurrent(device);
  (void)deviceAt(device);
  std::lock_guard lock(defaults().mutex);
  auto [entry, isNew] = defaults().made.try_emplace(device);
  if (isNew) {
    entry->second = newGenerator(device);
    if (defaults().seed)
      entry->second.set_current_seed(*defaults().seed);
    else
      entry->second.seed();
  }
  return entry->second;
}

void seedAll(uint64_t seed) {
  std::lock_guard lock(defaults().mutex);
  defaults().seed = seed;
  for (auto &[device, generator] : defaults().made) {
    std::lock_guard own(generator.mutex());
    generator.set_current_seed(seed);
  }
}

std::pair<uint64_t, uint64_t> takeNumbers(const at::Generator &generator, uint64_t count) {
  auto *own = dynamic_cast<GeneratorImpl *>(generator.unsafeGetGeneratorImpl());
  TORCH_CHECK(own, "expected a generator of vk, got one of ", generator.device());
  TORCH_CHECK(!capturingGraph(own->device().index()),
              "a graph cannot contain this random operator, since each replay would give the same "
              "numbers. Fill a tensor with random numbers (torch.rand, Tensor.bernoulli_), which "
              "graphs can, or use torch.compile");
  std::lock_guard lock(own->mutex_);
  uint64_t first = own->take(count);
  return {own->current_seed(), first};
}

at::Generator cpuGeneratorFor(const at::Generator &generator) {
  auto [seed, position] = takeNumbers(generator, 1);
  // The multiplier spreads neighbouring positions over all bits of the seed.
  return at::detail::createCPUGenerator(seed ^ (position * 0x9e3779b97f4a7c15u));
}

} // namespace pumice::vk
