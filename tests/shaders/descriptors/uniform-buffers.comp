// An array of uniform buffers, with a storage buffer between its bindings.
//! raw float u0 @0.4.0 = np.arange(8)
//! raw float u1 @0.4.1 = np.arange(8) * 10
//! out float r = np.where(I // 32 == 0, 5, 50) + 6
layout(std140, set = 0, binding = 4) uniform U { vec4 a; vec4 b; } u[2];
void main() { r[I] = u[gl_WorkGroupID.x].b.y + u[0].b.z; }
