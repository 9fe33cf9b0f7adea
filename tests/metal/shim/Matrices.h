//===- Matrices.h - Metal's simdgroup_matrix, 8×8 elements ------------------===//
// Each lane holds two neighbouring elements of a row. Metal does not say which lane holds which
// elements, so kernels must not know it. All lanes must take part in a product.
//===-------------------------------------------------------------------------===//
#pragma once

namespace metal {

template <class T, int Columns, int Rows> struct simdgroup_matrix {
  static_assert(Columns == 8 && Rows == 8, "Metal has matrices of 8×8 elements only");
  T held[2];
};
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;
using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;

template <class T, int Columns, int Rows>
inline simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
  return {{value, value}};
}

/// Calls `visit(i, offset)` for both elements of the lane, with their offsets in memory.
template <class F>
inline void eachHeldElement(ulong stride, ulong2 origin, bool transpose, F visit) {
  for (uint i = 0; i < 2; ++i) {
    ulong row = shim::self().lane / 4, column = shim::self().lane % 4 * 2 + i;
    if (transpose) {
      ulong other = row;
      row = column;
      column = other;
    }
    visit(i, (row + origin.y) * stride + column + origin.x);
  }
}
/// Stops the kernel unless all 32 lanes are there.
inline void needAllLanes(const shim::Exchange &met) {
  if (met.active != 0xffffffff || shim::self().lanes != 32)
    shim_interpreter->fail(*shim_interpreter,
                           "a matrix operation needs all 32 lanes of a SIMD group");
}

template <class T>
inline void simdgroup_load(simdgroup_matrix<T, 8, 8> &to, const T *from, ulong stride = 8,
                           ulong2 origin = ulong2(0), bool transpose = false) {
  shim::together(0u, [](const shim::Exchange &met) { return needAllLanes(met), 0; });
  eachHeldElement(stride, origin, transpose, [&](uint i, ulong at) { to.held[i] = from[at]; });
}
template <class T>
inline void simdgroup_store(simdgroup_matrix<T, 8, 8> from, T *to, ulong stride = 8,
                            ulong2 origin = ulong2(0), bool transpose = false) {
  shim::together(0u, [](const shim::Exchange &met) { return needAllLanes(met), 0; });
  eachHeldElement(stride, origin, transpose, [&](uint i, ulong at) { to[at] = from.held[i]; });
}

/// Computes to = a · b + c. The sum of each element is computed with f32 and rounded once.
template <class T, class A, class B, class C>
inline void simdgroup_multiply_accumulate(simdgroup_matrix<T, 8, 8> &to,
                                          simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b,
                                          simdgroup_matrix<C, 8, 8> c) {
  struct Both {
    A a[2];
    B b[2];
  };
  const Both mine = {{a.held[0], a.held[1]}, {b.held[0], b.held[1]}};
  struct Sums {
    float of[2];
  };
  Sums sums = shim::together(mine, [&](const shim::Exchange &met) {
    needAllLanes(met);
    const uint row = shim::self().lane / 4, column = shim::self().lane % 4 * 2;
    Sums result = {{float(c.held[0]), float(c.held[1])}};
    for (uint k = 0; k < 8; ++k)
      for (uint i = 0; i < 2; ++i)
        result.of[i] += float(shim::valueOf<Both>(met, row * 4 + k / 2).a[k % 2]) *
                        float(shim::valueOf<Both>(met, k * 4 + column / 2).b[i]);
    return result;
  });
  to = {{T(sums.of[0]), T(sums.of[1])}};
}
template <class T, class A, class B>
inline void simdgroup_multiply(simdgroup_matrix<T, 8, 8> &to, simdgroup_matrix<A, 8, 8> a,
                               simdgroup_matrix<B, 8, 8> b) {
  simdgroup_multiply_accumulate(to, a, b, make_filled_simdgroup_matrix<T, 8, 8>(T(0)));
}

} // namespace metal
