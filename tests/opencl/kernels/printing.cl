kernel void greet(int x, float f) {
  if (get_global_id(0) == 1)
    printf("hello %d %5.2f %s %c %x %%\n", x, f, "there", 'y', 255u);
}
kernel void vectors(global const float4 *v, global const long *n) {
  printf("%v4hlf %ld\n", v[0], n[0]);
}
