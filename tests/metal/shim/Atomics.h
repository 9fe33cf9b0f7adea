//===- Atomics.h - Metal's atomic functions ---------------------------------===//
// The threads of a kernel are fibres of one thread of the host, which change only at barriers and
// operations of a SIMD group. So plain memory accesses are atomic.
//===-------------------------------------------------------------------------===//
#pragma once

enum memory_order { memory_order_relaxed };
enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }
enum thread_scope { thread_scope_thread, thread_scope_threadgroup, thread_scope_device };

namespace metal {

using ::mem_flags;
using ::memory_order;
using ::memory_order_relaxed;
template <class T> struct atomic {
  T value;
};
using atomic_int = atomic<int>;
using atomic_uint = atomic<uint>;
using atomic_float = atomic<float>;
using atomic_ulong = atomic<ulong>;
using atomic_bool = atomic<bool>;

template <class T> inline T atomic_load_explicit(const volatile atomic<T> *at, memory_order) {
  return at->value;
}
template <class T, class U>
inline void atomic_store_explicit(volatile atomic<T> *at, U value, memory_order) {
  at->value = T(value);
}
#define SHIM_ATOMIC(name, result)                                                                  \
  template <class T, class U>                                                                      \
  inline T atomic_##name##_explicit(volatile atomic<T> *at, U given, memory_order) {               \
    T old = at->value, value = T(given);                                                           \
    (void)value;                                                                                   \
    at->value = T(result);                                                                         \
    return old;                                                                                    \
  }
SHIM_ATOMIC(exchange, value)
SHIM_ATOMIC(fetch_add, old + value)
SHIM_ATOMIC(fetch_sub, old - value)
SHIM_ATOMIC(fetch_and, old &value)
SHIM_ATOMIC(fetch_or, old | value)
SHIM_ATOMIC(fetch_xor, old ^ value)
SHIM_ATOMIC(fetch_min, value < old ? value : old)
SHIM_ATOMIC(fetch_max, value > old ? value : old)
template <class T, class U>
inline bool atomic_compare_exchange_weak_explicit(volatile atomic<T> *at, T *expected, U value,
                                                  memory_order, memory_order) {
  // A weak exchange may fail without a reason. It does so now and then, since kernels must expect
  // it.
  static thread_local unsigned count = 0;
  if (++count % 5 == 0 || at->value != *expected) {
    *expected = at->value;
    return false;
  }
  at->value = T(value);
  return true;
}

} // namespace metal
