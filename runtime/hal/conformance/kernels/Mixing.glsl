// The function that Mix and MixAddress compute. `mixed` in Kernels.h is the same for the host.
uint mixed(uint a, uint b, uint index, uint factor, uint spin) {
  uint value = a * factor + (b ^ index);
  for (uint i = 0; i < spin; ++i)
    value = value * 1664525u + 1013904223u;
  return value;
}
