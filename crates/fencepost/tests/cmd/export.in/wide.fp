domain 2000000000;
global x;

thread t {
  local r;
  r = x.load();
  x.store(r * r + 99999);
}
