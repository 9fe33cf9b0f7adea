// Clocks go on: later readings are not smaller, in one invocation.
//! only cpu
//! groups 4
//! out int r = 1
//! inout uint64_t t = 0 -> anything
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
void main() {
  uint64_t a = clockRealtimeEXT();
  uvec2 b = clock2x32ARB(), c = clockRealtime2x32EXT();
  uint64_t d = clockARB();
  t[I] = d;
  uint64_t middle = uint64_t(b.y) << 32 | b.x, third = uint64_t(c.y) << 32 | c.x;
  r[I] = int(a != 0 && a <= middle && middle <= third && third <= d && d - a < 1000000000ul);
}
