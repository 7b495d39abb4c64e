domain 4;
global x = 4, a[2] = {5, 1};
thread t {
  local r = 9;
  x.store(4);
  r = 7;
  r = x.xchg(8);
  r = x.cas(4, 5);
  x.bcas(4, 3);
  wait(x == 4);
  wait(x != 4);
  wait(x < 9 || x > 4);
  r = r % 4;
  assert(r < 4);
  r = (2 + 3) % 3;
  r = int((2 + 3) % 3);
}
