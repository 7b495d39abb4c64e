global x, a[2];
nonatomic d, e[2];
thread t {
  local r;
  r = x;
  x = r;
  r = x + 1;
  r = d + 1;
  d = e[0];
  d.load();
  e[0].store(1);
  d = d + 1;
  a[x].store(1);
  assert(x == 1);
  r = a[0];
  wait(d == 1);
  x.load() ;
  fence;
}
