// Specialization constants of every type, some with their default values.
//! spec 0 = 7
//! spec 1 = 2.5
//! spec 2 = 1
//! spec 4 = 12345678901
//! spec 6 = 3.25
//! out float r = np.stack([7 + I, 2.5 + I, 1 + 0 * I, 9 + 0 * I, 3.25 + 0 * I, -3 + 0 * I])
//! out int64_t l = 12345678901
layout(constant_id = 0) const int a = 1;
layout(constant_id = 1) const float b = 1;
layout(constant_id = 2) const bool c = false;
layout(constant_id = 3) const uint d = 9;
layout(constant_id = 4) const int64_t e = 5l;
layout(constant_id = 5) const int f = -3;
layout(constant_id = 6) const double g = 1.0lf;
void main() {
  r[I] = a + int(I);
  r[N + I] = b + I;
  r[2 * N + I] = c ? 1 : 0;
  r[3 * N + I] = d;
  r[4 * N + I] = float(g);
  r[5 * N + I] = f;
  l[I] = e;
}
