// Products of matrix and vector, vector and matrix, and matrix and transpose, of every shape.
//! for M,C,R,Q: mat2,2,2,mat2 mat2x3,2,3,mat3 mat2x4,2,4,mat4 mat3x2,3,2,mat2 mat3,3,3,mat3 mat3x4,3,4,mat4 mat4x2,4,2,mat2 mat4x3,4,3,mat3 mat4,4,4,mat4
//! in float a = rand(np.int32, N * C * R, low=-9, high=9)
//! let m = a.reshape(N, C, R).transpose(0, 2, 1)
//! out float mv = m @ np.arange(1, C + 1)
//! out float vm = np.arange(1, R + 1) @ m
//! out float mm = (m @ m.transpose(0, 2, 1)).transpose(0, 2, 1)
void main() {
  M m;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++)
      m[c][r] = a[I * C * R + c * R + r];
  const vec4 ramp = vec4(1, 2, 3, 4);
  Q product = m * transpose(m);
#if C == 2
  vec2 v = ramp.xy;
#elif C == 3
  vec3 v = ramp.xyz;
#else
  vec4 v = ramp;
#endif
#if R == 2
  vec2 w = ramp.xy;
#elif R == 3
  vec3 w = ramp.xyz;
#else
  vec4 w = ramp;
#endif
  for (int r = 0; r < R; r++)
    mv[I * R + r] = (m * v)[r];
  for (int c = 0; c < C; c++)
    vm[I * C + c] = (w * m)[c];
  for (int c = 0; c < R; c++)
    for (int r = 0; r < R; r++)
      mm[(I * R + c) * R + r] = product[c][r];
}
