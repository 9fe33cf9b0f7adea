// All lanes write one word the same; a varying number at a uniform place by one lane.
//! in int a = rand(np.int32, N)
//! inout int r = [0, 0, 0] -> [7, a[37], a.max()]
void main() {
  r[0] = 7;
  if (I == 37)
    r[1] = a[I];
  int top = a[0];
  for (uint i = 1; i < N; i++)
    top = max(top, a[i]);
  r[2] = top;
}
