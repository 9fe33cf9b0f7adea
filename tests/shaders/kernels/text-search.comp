// Searches bytes for a pattern, with early exits from an inner loop.
//! size 64
//! groups 2
//! in uint8_t text = list((b'abracadabra abra cadabra ' * 8)[:140])
//! in uint8_t pattern = list(b'abra')
//! out uint r = [bytes(text[i:i + 4].tolist()) == b'abra' for i in range(128)]
void main() {
  uint found = 1;
  for (int j = 0; j < pattern.length(); j++)
    if (text[I + j] != pattern[j]) {
      found = 0;
      break;
    }
  r[I] = found;
}
