// Explicit offsets and alignments, out of order and with gaps.
//! size 1
//! groups 1
//! let I_ = np.arange(32)
//! raw uint m @0.0 = np.arange(32) -> np.where(I_ == 20, 5, np.where(I_ == 3, 8, np.where((I_ >= 8) & (I_ < 12), I_ - 8 + 40, I_)))
//! out uint r = [20, 3, 8, 9, 10, 11]
layout(std430, set = 0, binding = 0) buffer Block {
  layout(offset = 80) uint late;
  layout(offset = 12) uint early;
  layout(offset = 16, align = 32) uvec4 aligned;
};
void main() {
  r[0] = late; r[1] = early;
  r[2] = aligned.x; r[3] = aligned.y; r[4] = aligned.z; r[5] = aligned.w;
  late = 5;
  early = r[2];
  aligned = uvec4(40, 41, 42, 43);
}
