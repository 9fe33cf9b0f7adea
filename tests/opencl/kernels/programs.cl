// Whole algorithms.
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
kernel void mandelbrot(global int *out, int width, int most) {
  int x = get_global_id(0), y = get_global_id(1);
  float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / width;
  float r = 0, i = 0;
  int n = 0;
  while (r * r + i * i <= 4.0f && n < most) {
    float next = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = next;
    ++n;
  }
  out[y * width + x] = n;
}
kernel void bitonic(global uint *data, local uint *t) {
  uint l = get_local_id(0), n = get_local_size(0);
  t[l] = data[get_global_id(0)];
  for (uint size = 2; size <= n; size <<= 1)
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint other = l ^ stride;
      if (other > l) {
        uint x = t[l], y = t[other];
        if ((x > y) == ((l & size) == 0)) {
          t[l] = y;
          t[other] = x;
        }
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = t[l];
}
kernel void blur(global const uchar4 *in, global uchar4 *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  uint4 sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int px = clamp(x + dx, 0, width - 1), py = clamp(y + dy, 0, height - 1);
      uchar4 p = in[py * width + px];
      sum += (uint4)(p.x, p.y, p.z, p.w);
    }
  out[y * width + x] = convert_uchar4(sum / 9);
}
kernel void nbody(global const float4 *positions, global float4 *out, int n) {
  int i = get_global_id(0);
  float4 own = positions[i];
  float3 force = 0;
  for (int k = 0; k < n; ++k) {
    float4 other = positions[k];
    float3 d = other.xyz - own.xyz;
    float r2 = dot(d, d) + 0.01f;
    force += d * (other.w * rsqrt(r2) / r2);
  }
  out[i] = (float4)(force, own.w);
}
kernel void scan(global const int *in, global int *out, local int *t) {
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < n; d *= 2) {
    int x = l >= d ? t[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = t[l];
}
kernel void life(global const uchar *in, global uchar *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy)
        alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
  out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}
