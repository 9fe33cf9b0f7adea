// Within one invocation, clocks never run backwards. The device clock counts nanoseconds.
//! only cpu
//! groups 4
//! out int r = 1
//! inout uint64_t t = 0 -> anything
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
uint64_t whole(uvec2 v) { return uint64_t(v.y) << 32 | v.x; }
void main() {
  uint64_t a = clockRealtimeEXT(), b = clockARB();
  uint64_t c = whole(clock2x32ARB()), d = whole(clockRealtime2x32EXT());
  t[I] = d;
  r[I] = int(a != 0 && b != 0 && a <= d && b <= c && d - a < 1000000000ul);
}
