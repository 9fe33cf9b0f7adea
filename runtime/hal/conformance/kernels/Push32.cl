// Does the same as Push32.comp. The words are a struct that is passed by value.
typedef struct {
  uint words[32];
} Words;

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result, Words from) {
  for (uint i = 0; i < 32; ++i)
    result[i] = from.words[i];
}
