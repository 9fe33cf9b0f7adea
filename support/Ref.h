//===- Ref.h - shared ownership of runtime objects --------------------------===//
// Every object of the HAL is RefCounted. Callers, queues with work in flight, and objects that were
// made from it hold a Ref each. When the last Ref is gone, the object is destroyed. The count is
// part of the object, so an object behind a raw pointer can be kept alive without an allocation.
//===-------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace pumice {

class RefCounted {
public:
  RefCounted(const RefCounted &) = delete;
  RefCounted &operator=(const RefCounted &) = delete;

  void retain() const { references.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

  /// Releases a reference unless it is the last one. Returns whether it did. Nothing is destroyed,
  /// so a caller may hold locks.
  bool releaseUnlessLast() const {
    uint64_t count = references.load(std::memory_order_relaxed);
    while (count > 1)
      if (references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel,
                                           std::memory_order_relaxed))
        return true;
    return false;
  }

  /// Returns whether the caller holds the only reference. If it is true, it stays true, as long as
  /// no other thread can get a reference.
  bool isUnique() const { return references.load(std::memory_order_acquire) == 1; }

protected:
  RefCounted() = default; // the creator adopts the first reference (Ref::adopt)
  virtual ~RefCounted() = default;
  /// Called when the last reference is gone. A class that knows other users may give one of them a
  /// new reference instead.
  virtual void destroy() const { delete this; }

private:
  mutable std::atomic<uint64_t> references{1};
};

template <typename T> class Ref {
public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  /// Adds a reference to a live object.
  explicit Ref(T *object) : object(object) {
    if (object)
      object->retain();
  }
  /// Takes over a reference that its creator, or C code, holds.
  static Ref adopt(T *object) {
    Ref owner;
    owner.object = object;
    return owner;
  }
  Ref(const Ref &other) : Ref(other.object) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  template <typename U> Ref(const Ref<U> &other) : Ref(static_cast<T *>(other.get())) {}
  template <typename U> Ref(Ref<U> &&other) noexcept : object(other.detach()) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() {
    if (object)
      object->release();
  }

  T *get() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }
  explicit operator bool() const { return object != nullptr; }
  /// Gives up the reference without releasing it. The caller must release it or adopt it.
  T *detach() { return std::exchange(object, nullptr); }

  friend bool operator==(const Ref &, const Ref &) = default;

private:
  T *object = nullptr;
};

template <typename T, typename... Arguments> Ref<T> makeRef(Arguments &&...arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

} // namespace pumice
