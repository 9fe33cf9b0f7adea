// The kernel of nbody.comp in OpenCL C. It computes by components, since Intel's runtime takes ten
// times as long with float3 and dot().
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void nbody(__global const float4 *bodies, __global float4 *accelerations, uint n) {
  uint i = get_global_id(0);
  float x = bodies[i].x, y = bodies[i].y, z = bodies[i].z;
  float sumX = 0.0f, sumY = 0.0f, sumZ = 0.0f;
  for (uint j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float dx = other.x - x, dy = other.y - y, dz = other.z - z;
    float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
    float weight = other.w * r * r * r;
    sumX += dx * weight;
    sumY += dy * weight;
    sumZ += dz * weight;
  }
  accelerations[i] = (float4)(sumX, sumY, sumZ, 0.0f);
}
