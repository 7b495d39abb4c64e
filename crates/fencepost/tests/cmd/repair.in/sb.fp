name "store buffering";
domain 4;
global x, y;

thread t1 {
  local a;
  x.store(1, rlx);
  a = y.load(rlx);
}

thread t2 {
  local b;
  y.store(1, rlx);
  b = x.load(rlx);
}
