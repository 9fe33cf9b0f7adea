// Structs with members of every kind, including references, written through pointers.
//! raw int s @9.0 = np.arange(N * 8) -> np.where(np.arange(8 * N) % 8 == 5, np.arange(8 * N) * 2, np.where(np.arange(8 * N) % 8 == 7, -1, np.arange(8 * N)))
//! out int r = 8 * I + 2 + 8 * I + 6
//! push s = "s"
struct Inner { ivec2 v; int list[2]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer S { Inner a; Inner b; };
layout(push_constant) uniform P { S s; };
void change(S s) { s.b.v.y *= 2; }
void main() {
  S here = s + I;
  r[I] = here.a.list[0] + here.b.list[0];
  change(here);
  here.b.list[1] = -1;
}
