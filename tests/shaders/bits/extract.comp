// Different offsets and widths, including a width of zero and all 32 bits.
//! for T: int uint
//! in T a = edges(T, N)
//! in int at = [0, 0, 31, 5, 8, 16, 1, 30] * 8
//! in int count = [0, 32, 1, 9, 8, 16, 31, 2] * 8
//! let field = [(int(x) >> int(o)) & ((1 << int(n)) - 1) for x, o, n in zip(a, at, count)]
//! out T r = [f - (1 << int(n)) if n and np.iinfo(T).min < 0 and f >> (int(n) - 1) else f for f, n in zip(field, count)]
void main() { r[I] = bitfieldExtract(a[I], at[I], count[I]); }
