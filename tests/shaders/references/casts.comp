// Addresses are cast to integers, to pairs of words, and to references of other types.
//! raw uint x @9.0 = np.arange(4 * N)
//! out uint r = np.stack([4 * I, 4 * I + 2, 4 * I + 1, 4 * I + 3])
//! out float f = (4 * I).astype(np.uint32).view(np.float32)
//! push x = "x"
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint w; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Four { uvec4 v; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Float { float f; };
layout(push_constant) uniform P { Word x; };
void main() {
  uint64_t at = uint64_t(x) + 16 * I;
  Word w = Word(at);
  r[I] = w.w;
  r[N + I] = Four(at).v.z;
  uvec2 pair = uvec2(w);
  r[2 * N + I] = Word(uint64_t(pair.x) + (uint64_t(pair.y) << 32) + 4ul).w;
  r[3 * N + I] = (w + 3).w;
  f[I] = Float(w).f;
}
