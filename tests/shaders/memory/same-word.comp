// All lanes write the same value to one word, and a single lane writes a varying value.
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
