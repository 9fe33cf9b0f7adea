// Ten nested conditions, half of them uniform.
//! in uint a = rand(np.uint32, N)
//! let depth = lambda x, g: next((k for k in range(10) if (k % 2 and (x >> k) & 3 == 0) or (k % 2 == 0 and g == 1 and k == 6)), 10)
//! out uint r = [depth(int(x), i // 32) for i, x in enumerate(a.tolist())]
#define UNIFORM(k) if (!(gl_WorkGroupID.x == 1 && k == 6)) { d++;
#define VARYING(k) if ((a[I] >> k & 3) != 0) { d++;
void main() {
  uint d = 0;
  UNIFORM(0) VARYING(1) UNIFORM(2) VARYING(3) UNIFORM(4) VARYING(5) UNIFORM(6) VARYING(7) UNIFORM(8)
  VARYING(9)
  }}}}}}}}}}
  r[I] = d;
}
