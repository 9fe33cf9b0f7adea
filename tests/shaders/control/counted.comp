// Loops of more than 16384 iterations, which run in chunks. Counter types vary; some loops break.
// Each variant has one loop: lavapipe of Mesa 22 stops a shader after 65536 iterations of its loops.
//! for T,K: int,0 uint,0 int64_t,0 uint64_t,0 int,1 uint,1 uint64_t,1 int,2 uint,2 int,3 uint,3 int,4
//! push limit = 50000
//! in int stop = np.where(I % 3 == 0, 40000 + I, 60000)
//! out uint r = [50000, 50000, np.minimum(stop, 50000), 60000, 0][K]
layout(push_constant) uniform Push { uint limit; };
void main() {
  T bound = T(limit);
  uint count = 0;
#if K == 0
  for (T i = T(0); i < bound; ++i)
    count += uint(i) < limit ? 1 : 7;
#elif K == 1
  for (T i = bound; i > T(0); --i)
    count += uint(i) <= limit ? 1 : 7;
#elif K == 2
  for (T i = T(0); i < bound; ++i) {
    if (int(i) == stop[I])
      break;
    ++count;
  }
#elif K == 3
  for (uint j = 0; j < limit / 16000; ++j)
    for (T i = T(30000); i < bound; ++i)
      ++count;
#else
  for (T i = bound; i < T(limit / 2); ++i)
    ++count;
#endif
  r[I] = count;
}
