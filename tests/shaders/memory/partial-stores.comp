// A store to one component of a vector in memory leaves the others unchanged.
//! inout vec4 r = np.arange(4 * N) -> np.where(np.arange(4 * N) % 4 == 2, -1, np.where(np.arange(4 * N) % 4 == np.repeat(I % 2, 4), 5, np.arange(4 * N)))
void main() {
  r[I].z = -1;
  r[I][I % 2] = 5;
}
