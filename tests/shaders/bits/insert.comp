//! for T: int uint
//! in T a = edges(T, N)
//! in T b = edges(T, N, seed=3)[::-1]
//! in int at = [0, 0, 31, 5, 8, 16, 1, 30] * 8
//! in int count = [0, 32, 1, 9, 8, 16, 31, 2] * 8
//! let mask = [((1 << int(n)) - 1) << int(o) for o, n in zip(at, count)]
//! out T r = [(int(x) & ~m) | ((int(y) << int(o)) & m) for x, y, o, m in zip(a, b, at, mask)]
void main() { r[I] = bitfieldInsert(a[I], b[I], at[I], count[I]); }
