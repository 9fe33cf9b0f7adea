// Values out of range are clamped to the nearest float in range. NaN becomes the lowest integer.
//! only cpu
//! for T: int uint int16_t uint8_t int64_t
//! in float a = np.concatenate([[np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9, -3e9, -0.5, -1.0, 1e19], rand(np.float32, N - 10, low=-1e5, high=1e5)])
//! let low, high = np.iinfo(T).min, np.iinfo(T).max
//! let top = float(np.float32(high)) if float(np.float32(high)) <= high else float(np.nextafter(np.float32(high), np.float32(0)))
//! out T r = [low if np.isnan(x) else int(min(max(x, low), top)) for x in a.tolist()]
void main() { r[I] = T(a[I]); }
