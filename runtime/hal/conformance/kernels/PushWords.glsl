// Copies WORDS words of push constants to a buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Parameters { uint words[WORDS]; };

void main() {
  for (uint i = 0; i < WORDS; ++i)
    result[i] = words[i];
}
