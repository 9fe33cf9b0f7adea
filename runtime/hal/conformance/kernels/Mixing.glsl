// The function that Mix and MixAddress compute. Mix::of in Kernels.h computes the same on the host.
uint mixed(uint a, uint b, uint index, uint factor, uint spin) {
  uint value = a * factor + (b ^ index);
  for (uint i = 0; i < spin; ++i)
    value = value * 1664525u + 1013904223u;
  return value;
}
