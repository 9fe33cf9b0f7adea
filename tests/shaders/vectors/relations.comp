// Component-wise comparisons; any, all and not; and mix, which selects by their results.
//! in ivec4 a = rand(np.int32, N, 4, low=0, high=3)
//! in ivec4 b = rand(np.int32, N, 4, low=0, high=3, seed=1)
//! let lt = a < b
//! out uvec4 r = np.stack([lt, a <= b, a > b, a >= b, a == b, a != b, ~lt])
//! out uint quantors = lt.any(1) + 2 * lt.all(1) + 4 * (a == b).all(1) + 8 * (a != b).any(1)
//! out ivec4 chosen = np.where(lt, a, b)
void main() {
  bvec4 lt = lessThan(a[I], b[I]);
  r[I] = uvec4(lt);
  r[N + I] = uvec4(lessThanEqual(a[I], b[I]));
  r[2 * N + I] = uvec4(greaterThan(a[I], b[I]));
  r[3 * N + I] = uvec4(greaterThanEqual(a[I], b[I]));
  r[4 * N + I] = uvec4(equal(a[I], b[I]));
  r[5 * N + I] = uvec4(notEqual(a[I], b[I]));
  r[6 * N + I] = uvec4(not(lt));
  quantors[I] = uint(any(lt)) + 2 * uint(all(lt)) + 4 * uint(a[I] == b[I]) + 8 * uint(a[I] != b[I]);
  chosen[I] = mix(b[I], a[I], lt);
}
