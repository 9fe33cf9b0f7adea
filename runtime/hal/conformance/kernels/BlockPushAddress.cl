// Does the same as BlockPushAddress.comp. The block is a struct that is passed by value.
typedef struct {
  uint count, unused;
  ulong result;
  uint words[28];
} Block;

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(Block block) {
  global uint *to = (global uint *)block.result;
  to[0] = block.count;
  to[1] = block.unused;
  to[2] = (uint)block.result;
  to[3] = (uint)(block.result >> 32);
  for (uint i = 4; i < block.count; ++i)
    to[i] = block.words[i - 4];
}
