// Two descriptors of the same buffer, which access the same words as floats and as integers.
//! raw uint x @0.0 = np.arange(64, dtype=np.float32).view(np.uint32) -> (np.arange(64, dtype=np.float32) * 2).view(np.uint32)
//! out uint r = np.arange(64, dtype=np.float32).view(np.uint32)
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(set = 0, binding = 0) buffer Y { float y[]; };
void main() {
  r[I] = x[I];
  y[I] *= 2;
}
