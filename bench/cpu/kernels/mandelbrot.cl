// The kernel of mandelbrot.comp in OpenCL C.
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void mandelbrot(__global uint *steps, uint n) {
  uint px = get_global_id(0), py = get_global_id(1);
  float cx = -2.0f + 3.0f * (float)px / (float)n, cy = -1.5f + 3.0f * (float)py / (float)n;
  float x = 0.0f, y = 0.0f;
  uint count = 0;
  while (count < 256 && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  steps[py * n + px] = count;
}
