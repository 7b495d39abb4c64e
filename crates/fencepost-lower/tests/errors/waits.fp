domain 4;
global x, y, a[2];
thread t {
  local r;
  wait(x);
  wait(x == y);
  wait(r == 1);
  wait(z == 1);
  wait(x == 1 && x == 2);
  wait(x == 1 || y == 2);
  wait(a == 1);
}
