// The five subgroup masks: eq, ge, gt, le and lt.
//! subgroup 4 8 16 32 64
//! size 64
//! let l = np.arange(N) % SG
//! let eq = [1 << int(i) for i in l]
//! let all_ = (1 << SG) - 1
//! let words = lambda masks: [w for m in masks for w in (m & 0xffffffff, m >> 32)]
//! out uvec2 r = words(eq) + words([all_ & ~(e - 1) for e in eq]) + words([all_ & ~(2 * e - 1) for e in eq]) + words([2 * e - 1 for e in eq]) + words([e - 1 for e in eq])
void main() {
  r[I] = gl_SubgroupEqMask.xy;
  r[N + I] = gl_SubgroupGeMask.xy;
  r[2 * N + I] = gl_SubgroupGtMask.xy;
  r[3 * N + I] = gl_SubgroupLeMask.xy;
  r[4 * N + I] = gl_SubgroupLtMask.xy;
}
