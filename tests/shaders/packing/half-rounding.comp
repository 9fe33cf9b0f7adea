// Floats halfway between two f16 values, and their neighbours, round to nearest, ties to even.
//! only cpu
//! size 256
//! groups 124
//! let h = np.arange(31744, dtype=np.uint16).view(np.float16).astype(np.float64)
//! let above = np.append(h[1:], 65536.0)
//! let middle = ((h + above) / 2).astype(np.float32)
//! let sides = np.stack([np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(np.inf))], 1)
//! in vec2 a = sides
//! in vec2 b = np.stack([middle, -middle], 1)
//! out uint p = np.stack([h, np.where(above == 65536, np.inf, above)], 1).astype(np.float16).view(np.uint32)
//! out uint even = b.astype(np.float16).view(np.uint32)
//! out uint ends = np.array([[np.inf, -np.inf], [1e30, -1e30], [2.0 ** -25, -2.0 ** -25], [0.0, -0.0]], np.float16)[I % 4].view(np.uint32)
void main() {
  p[I] = packHalf2x16(a[I]);
  even[I] = packHalf2x16(b[I]);
  float inf = 1.0 / float(gl_WorkGroupID.y);
  uint which = I % 4;
  vec2 end = which == 0 ? vec2(inf, -inf) : which == 1 ? vec2(1e30, -1e30)
           : which == 2 ? vec2(exp2(-25.0), -exp2(-25.0)) : vec2(0.0, -0.0);
  ends[I] = packHalf2x16(end);
}
