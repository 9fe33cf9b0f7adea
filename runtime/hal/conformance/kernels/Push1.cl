// Does the same as Push1.comp. The words are a struct that is passed by value.
typedef struct {
  uint words[1];
} Words;

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result, Words from) {
  for (uint i = 0; i < 1; ++i)
    result[i] = from.words[i];
}
