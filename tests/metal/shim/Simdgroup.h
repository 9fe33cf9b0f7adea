//===- Simdgroup.h - Metal's functions of SIMD groups and threadgroups ------===//
#pragma once

extern "C" {
extern thread_local ::shim::Interpreter *shim_interpreter;
}

namespace shim {

inline Thread &self() { return *shim_interpreter->thread; }

/// Says where in the text the next operation is, so that lanes that meet there are the same.
struct At {
  explicit At(uint32_t site) { self().site = site; }
};

/// Says that the thread is in a loop, and in which turn. Lanes that are in earlier turns run first.
struct Loop {
  explicit Loop(uint32_t site) {
    Thread &thread = self();
    if (thread.depth + 2 > 64)
      shim_interpreter->fail(*shim_interpreter, "loops are nested too deeply");
    thread.loops[thread.depth] = site;
    thread.loops[thread.depth + 1] = 0;
    thread.depth += 2;
  }
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;
  ~Loop() { self().depth -= 2; }
  void turn() { ++self().loops[self().depth - 1]; }
};

/// Calls `compute(exchange)` when the lanes that come here have given their values.
template <class T, class F> inline auto together(T value, F compute) {
  static_assert(sizeof(T) <= valueBytes);
  Exchange *met = shim_interpreter->exchange(*shim_interpreter, &value, sizeof value);
  auto result = compute(*met);
  shim_interpreter->done(*shim_interpreter, met);
  return result;
}
template <class T> inline T valueOf(const Exchange &exchange, uint32_t lane) {
  T value;
  __builtin_memcpy(&value, exchange.values[lane], sizeof value);
  return value;
}
/// Returns the value of a lane. A lane that does not take part has no value, so the result is bytes
/// that no test expects.
template <class T> inline T fromLane(T value, uint32_t lane) {
  return together(value, [&](const Exchange &met) {
    if (lane < mostLanes && (met.active >> lane & 1))
      return valueOf<T>(met, lane);
    T nothing;
    __builtin_memset(&nothing, 0xcd, sizeof nothing);
    return nothing;
  });
}
/// Combines the values of the lanes whose bits are in `among`, in ascending order.
template <class T, class F> inline T fold(const Exchange &met, uint64_t among, T begin, F combine) {
  T result = begin;
  for (uint32_t lane = 0; lane < mostLanes; ++lane)
    if (met.active & among & (uint64_t(1) << lane))
      result = combine(result, valueOf<T>(met, lane));
  return result;
}
template <class T> constexpr T leastOf() {
  if constexpr (T(0.5) != T(0))
    return T(-__builtin_huge_val());
  else if constexpr (T(-1) > T(0))
    return T(0);
  else
    return T(T(1) << (sizeof(T) * 8 - 1));
}
template <class T> constexpr T mostOf() {
  if constexpr (T(0.5) != T(0))
    return T(__builtin_huge_val());
  else
    return T(~leastOf<T>());
}
/// Applies an operation of scalars to each component.
template <class T, class F> inline T onComponents(T a, T b, F f) {
  if constexpr (metal::detail::width<T> == 1) {
    return T(f(a, b));
  } else {
    T r;
    for (unsigned i = 0; i < metal::detail::width<T>; ++i)
      r.data[i] = f(a.data[i], b.data[i]);
    return r;
  }
}

} // namespace shim

namespace metal {

inline void threadgroup_barrier(mem_flags, thread_scope = thread_scope_threadgroup) {
  shim_interpreter->barrier(*shim_interpreter, false);
}
inline void simdgroup_barrier(mem_flags, thread_scope = thread_scope_threadgroup) {
  shim_interpreter->barrier(*shim_interpreter, true);
}
inline void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device) {}

#define SHIM_REDUCTION(name, begin, combine)                                                       \
  template <class T> inline T simd_##name(T value) {                                               \
    using S = typename detail::Scalar<T>::type;                                                    \
    return shim::together(value, [](const shim::Exchange &met) {                                   \
      return shim::fold(met, ~uint64_t(0), T(S(begin)), [](T x, T y) {                             \
        return shim::onComponents(x, y, [](S a, S b) { return combine; });                         \
      });                                                                                          \
    });                                                                                            \
  }                                                                                                \
  template <class T> inline T quad_##name(T value) {                                               \
    using S = typename detail::Scalar<T>::type;                                                    \
    uint64_t quad = uint64_t(15) << (shim::self().lane & ~3u);                                     \
    return shim::together(value, [quad](const shim::Exchange &met) {                               \
      return shim::fold(met, quad, T(S(begin)), [](T x, T y) {                                     \
        return shim::onComponents(x, y, [](S a, S b) { return combine; });                         \
      });                                                                                          \
    });                                                                                            \
  }
SHIM_REDUCTION(sum, 0, a + b)
SHIM_REDUCTION(product, 1, a *b)
SHIM_REDUCTION(min, shim::mostOf<S>(), b < a ? b : a)
SHIM_REDUCTION(max, shim::leastOf<S>(), b > a ? b : a)
SHIM_REDUCTION(and, ~S(0), a &b)
SHIM_REDUCTION(or, 0, a | b)
SHIM_REDUCTION(xor, 0, a ^ b)

#define SHIM_SCAN(name, lanes, begin, combine)                                                     \
  template <class T> inline T name(T value) {                                                      \
    using S = typename detail::Scalar<T>::type;                                                    \
    uint32_t lane = shim::self().lane;                                                             \
    return shim::together(value, [lane](const shim::Exchange &met) {                               \
      return shim::fold(met, lanes, T(S(begin)), [](T x, T y) {                                    \
        return shim::onComponents(x, y, [](S a, S b) { return combine; });                         \
      });                                                                                          \
    });                                                                                            \
  }
SHIM_SCAN(simd_prefix_exclusive_sum, (uint64_t(1) << lane) - 1, 0, a + b)
SHIM_SCAN(simd_prefix_inclusive_sum, ~uint64_t(0) >> (63 - lane), 0, a + b)
SHIM_SCAN(simd_prefix_exclusive_product, (uint64_t(1) << lane) - 1, 1, a *b)
SHIM_SCAN(simd_prefix_inclusive_product, ~uint64_t(0) >> (63 - lane), 1, a *b)

template <class T> inline T simd_shuffle(T value, ushort lane) {
  return shim::fromLane(value, lane);
}
template <class T> inline T simd_broadcast(T value, ushort lane) {
  return shim::fromLane(value, lane);
}
template <class T> inline T simd_broadcast_first(T value) {
  return shim::together(value, [](const shim::Exchange &met) {
    return shim::valueOf<T>(met, uint32_t(__builtin_ctzll(met.active)));
  });
}
template <class T> inline T simd_shuffle_xor(T value, ushort mask) {
  return shim::fromLane(value, shim::self().lane ^ mask);
}
template <class T> inline T simd_shuffle_up(T value, ushort delta) {
  uint32_t lane = shim::self().lane;
  return shim::fromLane(value, lane >= delta ? lane - delta : lane);
}
template <class T> inline T simd_shuffle_down(T value, ushort delta) {
  uint32_t lane = shim::self().lane, other = lane + delta;
  return shim::fromLane(value, other < shim::self().lanes ? other : lane);
}
template <class T> inline T simd_shuffle_rotate_up(T value, ushort delta) {
  uint32_t lanes = shim::self().lanes;
  return shim::fromLane(value, (shim::self().lane + lanes - delta % lanes) % lanes);
}
template <class T> inline T simd_shuffle_rotate_down(T value, ushort delta) {
  return shim::fromLane(value, (shim::self().lane + delta) % shim::self().lanes);
}
template <class T> inline T quad_shuffle(T value, ushort lane) {
  return shim::fromLane(value, (shim::self().lane & ~3u) + lane);
}
template <class T> inline T quad_broadcast(T value, ushort lane) {
  return quad_shuffle(value, lane);
}
template <class T> inline T quad_shuffle_xor(T value, ushort mask) {
  return shim::fromLane(value, shim::self().lane ^ mask);
}

class simd_vote {
public:
  using vote_t = ulong;
  explicit simd_vote(vote_t bits = 0) : bits(bits) {}
  explicit operator vote_t() const { return bits; }
  bool all() const { return bits == (~ulong(0) >> (64 - shim::self().lanes)); }
  bool any() const { return bits != 0; }

private:
  vote_t bits;
};
inline simd_vote simd_ballot(bool value) {
  return simd_vote(shim::together(value, [](const shim::Exchange &met) {
    ulong bits = 0;
    for (uint32_t lane = 0; lane < shim::mostLanes; ++lane)
      if ((met.active >> lane & 1) && shim::valueOf<bool>(met, lane))
        bits |= ulong(1) << lane;
    return bits;
  }));
}
inline simd_vote simd_active_threads_mask() { return simd_ballot(true); }
inline bool simd_any(bool value) { return simd_vote::vote_t(simd_ballot(value)) != 0; }
inline bool simd_all(bool value) { return simd_vote::vote_t(simd_ballot(!value)) == 0; }
inline bool simd_is_first() {
  uint32_t lane = shim::self().lane;
  return shim::together(true, [lane](const shim::Exchange &met) {
    return uint32_t(__builtin_ctzll(met.active)) == lane;
  });
}
inline bool simd_is_helper_thread() { return false; }

} // namespace metal
