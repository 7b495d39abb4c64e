domain 4;
global x;
thread writer { x.store(1); }
thread reader {
  local r;
  r = x.load();
  assert(r == 0);
}
