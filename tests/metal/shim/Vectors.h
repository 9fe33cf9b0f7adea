//===- Vectors.h - the vector types of Metal's language ---------------------===//
// A vector is a class with an operator for each of Metal's. Swizzles are properties. Part of
// metal_stdlib, which defines the scalar types.
//===-------------------------------------------------------------------------===//
#pragma once

namespace metal {

template <class T, unsigned N> struct vec;

namespace detail {
template <class A> struct Width {
  static constexpr unsigned value = 1;
};
template <class T, unsigned N> struct Width<vec<T, N>> {
  static constexpr unsigned value = N;
};
template <class T> struct Scalar {
  using type = T;
};
template <class T, unsigned N> struct Scalar<vec<T, N>> {
  using type = T;
};
template <class A> constexpr unsigned width = Width<__remove_cvref(A)>::value;

template <class T, class A> inline void append(T *to, unsigned &at, const A &value) {
  if constexpr (width<A> == 1)
    to[at++] = T(value);
  else
    for (unsigned i = 0; i < width<A>; ++i)
      to[at++] = T(value.data[i]);
}
/// The floating-point types first, then the integers: what an operation on T gives.
template <class T> constexpr bool isBool = false;
template <> inline constexpr bool isBool<bool> = true;
} // namespace detail

#define SHIM_SWIZZLE2(a, b)                                                                        \
  __declspec(property(get = get_##a##b, put = put_##a##b)) vec<T, 2> a##b;                         \
  vec<T, 2> get_##a##b() const { return vec<T, 2>(a, b); }                                         \
  void put_##a##b(vec<T, 2> v) { a = v.data[0], b = v.data[1]; }
#define SHIM_SWIZZLE3(a, b, c)                                                                     \
  __declspec(property(get = get_##a##b##c, put = put_##a##b##c)) vec<T, 3> a##b##c;                \
  vec<T, 3> get_##a##b##c() const { return vec<T, 3>(a, b, c); }                                   \
  void put_##a##b##c(vec<T, 3> v) { a = v.data[0], b = v.data[1], c = v.data[2]; }
#define SHIM_SWIZZLE4(a, b, c, d)                                                                  \
  __declspec(property(get = get_##a##b##c##d, put = put_##a##b##c##d)) vec<T, 4> a##b##c##d;       \
  vec<T, 4> get_##a##b##c##d() const { return vec<T, 4>(a, b, c, d); }                             \
  void put_##a##b##c##d(vec<T, 4> v) { a = v.data[0], b = v.data[1], c = v.data[2], d = v.data[3]; }
// Each group of letters, for vectors of two, three and four components.
#define SHIM_OF2_1(M, a) M(a, x) M(a, y)
#define SHIM_OF2_2(M, a, b) M(a, b, x) M(a, b, y)
#define SHIM_OF2_3(M, a, b, c) M(a, b, c, x) M(a, b, c, y)
#define SHIM_OF3_1(M, a) SHIM_OF2_1(M, a) M(a, z)
#define SHIM_OF3_2(M, a, b) SHIM_OF2_2(M, a, b) M(a, b, z)
#define SHIM_OF3_3(M, a, b, c) SHIM_OF2_3(M, a, b, c) M(a, b, c, z)
#define SHIM_OF4_1(M, a) SHIM_OF3_1(M, a) M(a, w)
#define SHIM_OF4_2(M, a, b) SHIM_OF3_2(M, a, b) M(a, b, w)
#define SHIM_OF4_3(M, a, b, c) SHIM_OF3_3(M, a, b, c) M(a, b, c, w)

#define SHIM_PAIRS2 SHIM_OF2_1(SHIM_SWIZZLE2, x) SHIM_OF2_1(SHIM_SWIZZLE2, y)
#define SHIM_T2(a, b) SHIM_OF2_2(SHIM_SWIZZLE3, a, b)
#define SHIM_TRIPLES2 SHIM_OF2_1(SHIM_T2, x) SHIM_OF2_1(SHIM_T2, y)
#define SHIM_Q2(a, b, c) SHIM_OF2_3(SHIM_SWIZZLE4, a, b, c)
#define SHIM_QT2(a, b) SHIM_OF2_2(SHIM_Q2, a, b)
#define SHIM_FOURS2 SHIM_OF2_1(SHIM_QT2, x) SHIM_OF2_1(SHIM_QT2, y)

#define SHIM_EACH3(M) SHIM_OF3_1(M, x) SHIM_OF3_1(M, y) SHIM_OF3_1(M, z)
#define SHIM_PAIRS3 SHIM_EACH3(SHIM_SWIZZLE2)
#define SHIM_T3(a, b) SHIM_OF3_2(SHIM_SWIZZLE3, a, b)
#define SHIM_TRIPLES3 SHIM_EACH3(SHIM_T3)
#define SHIM_Q3(a, b, c) SHIM_OF3_3(SHIM_SWIZZLE4, a, b, c)
#define SHIM_QT3(a, b) SHIM_OF3_2(SHIM_Q3, a, b)
#define SHIM_FOURS3 SHIM_EACH3(SHIM_QT3)

#define SHIM_EACH4(M) SHIM_OF4_1(M, x) SHIM_OF4_1(M, y) SHIM_OF4_1(M, z) SHIM_OF4_1(M, w)
#define SHIM_PAIRS4 SHIM_EACH4(SHIM_SWIZZLE2)
#define SHIM_T4(a, b) SHIM_OF4_2(SHIM_SWIZZLE3, a, b)
#define SHIM_TRIPLES4 SHIM_EACH4(SHIM_T4)
#define SHIM_Q4(a, b, c) SHIM_OF4_3(SHIM_SWIZZLE4, a, b, c)
#define SHIM_QT4(a, b) SHIM_OF4_2(SHIM_Q4, a, b)
#define SHIM_FOURS4 SHIM_EACH4(SHIM_QT4)

#define SHIM_EVERY(expression)                                                                     \
  vec r;                                                                                           \
  for (unsigned i = 0; i < size; ++i)                                                              \
    r.data[i] = T(expression);                                                                     \
  return r
#define SHIM_BINARY(op)                                                                            \
  friend vec operator op(vec a, vec b) { SHIM_EVERY(a.data[i] op b.data[i]); }                     \
  vec &operator op## = (vec b) { return *this = *this op b; }
#define SHIM_COMPARE(op)                                                                           \
  friend vec<bool, size> operator op(vec a, vec b) {                                               \
    vec<bool, size> r;                                                                             \
    for (unsigned i = 0; i < size; ++i)                                                            \
      r.data[i] = a.data[i] op b.data[i];                                                          \
    return r;                                                                                      \
  }

#define SHIM_VECTOR(N, bytes, fields, swizzles)                                                    \
  template <class T> struct alignas(sizeof(T) * bytes) vec<T, N> {                                 \
    static constexpr unsigned size = N;                                                            \
    union {                                                                                        \
      T data[N];                                                                                   \
      struct {                                                                                     \
        T fields;                                                                                  \
      };                                                                                           \
    };                                                                                             \
    vec() = default;                                                                               \
    vec(T all) {                                                                                   \
      for (T &component : data)                                                                    \
        component = all;                                                                           \
    }                                                                                              \
    template <class U> explicit vec(vec<U, N> other) {                                             \
      for (unsigned i = 0; i < N; ++i)                                                             \
        data[i] = T(other.data[i]);                                                                \
    }                                                                                              \
    template <class A, class B, class... More>                                                     \
      requires(detail::width<A> + detail::width<B> + (0 + ... + detail::width<More>) == N)         \
    vec(A a, B b, More... more) {                                                                  \
      unsigned at = 0;                                                                             \
      detail::append(data, at, a);                                                                 \
      detail::append(data, at, b);                                                                 \
      (detail::append(data, at, more), ...);                                                       \
    }                                                                                              \
    T &operator[](unsigned i) { return data[i]; }                                                  \
    const T &operator[](unsigned i) const { return data[i]; }                                      \
    SHIM_BINARY(+)                                                                                 \
    SHIM_BINARY(-)                                                                                 \
    SHIM_BINARY(*)                                                                                 \
    SHIM_BINARY(/)                                                                                 \
    SHIM_BINARY(%)                                                                                 \
    SHIM_BINARY(&)                                                                                 \
    SHIM_BINARY(|)                                                                                 \
    SHIM_BINARY(^)                                                                                 \
    SHIM_BINARY(<<)                                                                                \
    SHIM_BINARY(>>)                                                                                \
    SHIM_COMPARE(==)                                                                               \
    SHIM_COMPARE(!=)                                                                               \
    SHIM_COMPARE(<)                                                                                \
    SHIM_COMPARE(<=)                                                                               \
    SHIM_COMPARE(>)                                                                                \
    SHIM_COMPARE(>=)                                                                               \
    SHIM_COMPARE(&&)                                                                               \
    SHIM_COMPARE(||)                                                                               \
    friend vec operator-(vec a) { SHIM_EVERY(-a.data[i]); }                                        \
    friend vec operator~(vec a) { SHIM_EVERY(~a.data[i]); }                                        \
    friend vec<bool, N> operator!(vec a) { return a == vec(T(0)); }                                \
    swizzles                                                                                       \
  };
#define SHIM_COMMA ,
SHIM_VECTOR(2, 2, x SHIM_COMMA y, SHIM_PAIRS2 SHIM_TRIPLES2 SHIM_FOURS2)
SHIM_VECTOR(3, 4, x SHIM_COMMA y SHIM_COMMA z, SHIM_PAIRS3 SHIM_TRIPLES3 SHIM_FOURS3)
SHIM_VECTOR(4, 4, x SHIM_COMMA y SHIM_COMMA z SHIM_COMMA w, SHIM_PAIRS4 SHIM_TRIPLES4 SHIM_FOURS4)

/// A vector without padding, and with the alignment of its components.
template <class T, unsigned N> struct packed_vec {
  T data[N];
  packed_vec() = default;
  packed_vec(vec<T, N> v) {
    for (unsigned i = 0; i < N; ++i)
      data[i] = v.data[i];
  }
  operator vec<T, N>() const {
    vec<T, N> v;
    for (unsigned i = 0; i < N; ++i)
      v.data[i] = data[i];
    return v;
  }
  T &operator[](unsigned i) { return data[i]; }
  const T &operator[](unsigned i) const { return data[i]; }
};

/// A matrix of columns.
template <class T, unsigned Columns, unsigned Rows> struct matrix {
  vec<T, Rows> columns[Columns];
  vec<T, Rows> &operator[](unsigned i) { return columns[i]; }
  const vec<T, Rows> &operator[](unsigned i) const { return columns[i]; }
};

#define SHIM_VECTOR_NAMES(type)                                                                    \
  using type##2 = vec<type, 2>;                                                                    \
  using type##3 = vec<type, 3>;                                                                    \
  using type##4 = vec<type, 4>;                                                                    \
  using packed_##type##2 = packed_vec<type, 2>;                                                    \
  using packed_##type##3 = packed_vec<type, 3>;                                                    \
  using packed_##type##4 = packed_vec<type, 4>;
SHIM_VECTOR_NAMES(bool)
SHIM_VECTOR_NAMES(char)
SHIM_VECTOR_NAMES(uchar)
SHIM_VECTOR_NAMES(short)
SHIM_VECTOR_NAMES(ushort)
SHIM_VECTOR_NAMES(int)
SHIM_VECTOR_NAMES(uint)
SHIM_VECTOR_NAMES(long)
SHIM_VECTOR_NAMES(ulong)
SHIM_VECTOR_NAMES(half)
SHIM_VECTOR_NAMES(float)

} // namespace metal
