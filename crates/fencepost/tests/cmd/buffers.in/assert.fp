name "assert";
global x, y;

thread t {
  local r;
  x.store(1);
  fence(sc);
  r = y.load();
  assert(r < 2);
}

thread u {
  local r;
  y.store(1);
  fence(sc);
  r = x.load();
}
