// A switch with forty cases: dense ones, sparse ones, and some that share a body.
//! in int a = rand(np.int32, N, low=-3, high=60)
//! let f = lambda x: x * 3 if 0 <= x < 20 else -x if x in (30, 35, 40, 45, 50) else 7 if x in (21, 22, 23) else 1000
//! out int r = [f(int(x)) for x in a]
#define C(k) case k: x = k * 3; break;
void main() {
  int x;
  switch (a[I]) {
  C(0) C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9)
  C(10) C(11) C(12) C(13) C(14) C(15) C(16) C(17) C(18) C(19)
  case 30: case 35: case 40: case 45: case 50: x = -a[I]; break;
  case 21:
  case 22:
  case 23: x = 7; break;
  default: x = 1000;
  }
  r[I] = x;
}
