// coherent, volatile, restrict, readonly and writeonly.
//! raw int x @0.0 = np.arange(64)
//! raw int y @0.1 = np.zeros(64) -> np.arange(64) * 2 + 1
//! raw int z @0.2 = np.zeros(64) -> np.arange(64) * 3
layout(set = 0, binding = 0) readonly restrict buffer X { int x[]; };
layout(set = 0, binding = 1) coherent volatile buffer Y { int y[]; };
layout(set = 0, binding = 2) writeonly buffer Z { int z[]; };
void main() {
  y[I] = x[I];
  y[I] += x[I];
  memoryBarrierBuffer();
  y[I]++;
  z[I] = x[I] * 3;
}
