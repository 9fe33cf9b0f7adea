// .length() of runtime arrays, after other members, and of structs.
//! size 1
//! groups 1
//! raw uint x @0.0 = np.zeros(37)
//! raw uint y @0.1 = np.arange(40)
//! raw uint z @0.2 = np.zeros(32)
//! out uint r = [37, 38, 10, 2, 1, 38]
struct Item { uvec2 v; uint w; };
layout(std430, set = 0, binding = 0) buffer X { uint x[]; };
layout(std430, set = 0, binding = 1) buffer Y { uint first; uint second; uint y[]; };
layout(std430, set = 0, binding = 2) buffer Z { uvec4 before[2]; layout(offset = 32) Item z[]; } zs;
void main() {
  r[0] = x.length();
  r[1] = y.length();
  r[2] = zs.z.length() + 4u;
  r[3] = uint(zs.before.length());
  r[4] = second;
  uint count = 0;
  for (int i = 0; i < y.length(); i++)
    count += y[i] == i + 2 ? 1 : 0;
  r[5] = count;
}
