// Private arrays indexed by the lane, larger than the registers, of structs and of vectors.
//! in int a = rand(np.int32, N, low=0, high=63)
//! out int r = np.stack([(a * 7) % 64 * 2, np.array([sum((x + k) % 16 for k in range(5)) for x in a]), a % 8 * 10 + a % 3])
struct P { ivec3 v; int w; };
void main() {
  int big[64];
  for (int i = 0; i < 64; i++)
    big[i] = i * 2;
  r[I] = big[(a[I] * 7) % 64];
  int small[16];
  for (int i = 0; i < 16; i++)
    small[i] = i;
  int s = 0;
  for (int k = 0; k < 5; k++)
    s += small[(a[I] + k) % 16];
  r[N + I] = s;
  P ps[8];
  for (int i = 0; i < 8; i++)
    ps[i] = P(ivec3(0, 1, 2), i * 10);
  r[2 * N + I] = ps[a[I] % 8].w + ps[a[I] % 8].v[a[I] % 3];
}
