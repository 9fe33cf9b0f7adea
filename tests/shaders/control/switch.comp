// A switch with fall-through, a default in the middle, several labels, negative labels, and a
// distant one.
//! in int a = np.array([0, 1, 2, 3, 4, 5, -1, 1000000, 7, -2147483648, 2147483647])[I % 11]
//! let table = {0: 111, 1: 11, 2: 10, 3: 120, 4: 20, -1: 7, 1000000: 8, -2147483648: 9}
//! out int r = [table.get(int(x), 3020) for x in a]
void main() {
  int x = 0;
  switch (a[I]) {
  case 0:
    x += 100;
  case 1:
    x += 1;
  case 2:
    x += 10;
    break;
  default:
    x += 3000;
  case 4:
    x += 20;
    break;
  case 3:
    x = 120;
    break;
  case -1:
    x = 7;
    break;
  case 1000000:
    x = 8;
    break;
  case -2147483647 - 1:
    x = 9;
  }
  r[I] = x;
}
