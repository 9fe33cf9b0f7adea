// Chains of calls, functions called from many places, overloads.
//! in int a = rand(np.int32, N, low=0, high=9)
//! out int r = ((a + 1) * 2 + 1) * 2 + (a + 1) * 2
//! out float f = a + 1.5
int twice(int x) { return x * 2; }
float twice(float x) { return x + 1.5; }
int next(int x) { return x + 1; }
int both(int x) { return twice(next(x)); }
int all_(int x) { return both(both(x)) + both(x); }
void main() {
  r[I] = all_(a[I]);
  f[I] = twice(float(a[I]));
}
