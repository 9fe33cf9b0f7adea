// Each invocation prints two records (docs/printf.md): one with an i32 and an f32, and one with an
// i64.
#define PRINT(buffer_words)                                                                        \
  uint at = atomicAdd(buffer_words[0], 6) + 1;                                                     \
  if (at + 3 <= capacity) {                                                                        \
    buffer_words[at] = 3u << 16 | 0u;                                                              \
    buffer_words[at + 1] = gl_GlobalInvocationID.x;                                                \
    buffer_words[at + 2] = floatBitsToUint(0.5 * float(gl_GlobalInvocationID.x));                  \
  }                                                                                                \
  if (at + 6 <= capacity) {                                                                        \
    buffer_words[at + 3] = 3u << 16 | 1u;                                                          \
    buffer_words[at + 4] = gl_GlobalInvocationID.x;                                                \
    buffer_words[at + 5] = 1u;                                                                     \
  }
