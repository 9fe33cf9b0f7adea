// Sorts rows in workgroup memory, with barriers in two nested loops.
//! for S: 8 16 64 512
//! size S
//! in int a = rand(np.int32, N)
//! out int r = np.sort(a.reshape(2, S), 1)
shared int kept[S];
void main() {
  uint l = gl_LocalInvocationID.x;
  kept[l] = a[I];
  for (uint k = 2; k <= S; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      barrier();
      uint other = l ^ j;
      if (other > l && (kept[l] > kept[other]) == ((l & k) == 0)) {
        int t = kept[l];
        kept[l] = kept[other];
        kept[other] = t;
      }
    }
  barrier();
  r[I] = kept[l];
}
