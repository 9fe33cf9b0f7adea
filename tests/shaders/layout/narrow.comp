// Arrays of structs with 8- and 16-bit members, read and written in place.
//! let before = np.arange(N * 8).astype(np.uint8).reshape(N, 8)
//! let after = np.hstack([before[:, 1:2], before[:, 0:1] + 1, before[:, 4:6], before[:, 2:4], before[:, [7, 6]]])
//! raw uint8_t m @0.0 = before -> after
struct Item { uint8_t a; int8_t b; uint16_t c; int16_t d; u8vec2 e; };
layout(std430, set = 0, binding = 0) buffer Block { Item items[]; };
void main() {
  Item x = items[I];
  items[I].a = uint8_t(x.b);
  items[I].b = int8_t(x.a) + int8_t(1);
  items[I].c = uint16_t(x.d);
  items[I].d = int16_t(x.c);
  items[I].e = x.e.yx;
}
