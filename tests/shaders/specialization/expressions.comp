// Array sizes, bounds, conditions and vectors computed from specialization constants.
//! for P: 1 2 5
//! spec 0 = P
//! out int r = sum(i * i for i in range(P * 2)) + (100 if P > 1 else 0) + P * 3 + P
layout(constant_id = 0) const int n = 3;
const int twice = n * 2;
const ivec2 pair = ivec2(n, n * 3);
void main() {
  int list[twice];
  for (int i = 0; i < twice; i++)
    list[i] = i * i;
  int s = n > 1 ? 100 : 0;
  for (int i = 0; i < list.length(); i++)
    s += list[i];
  r[I] = s + pair.x + pair.y;
}
