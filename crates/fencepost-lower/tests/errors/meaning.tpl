max_value 3;
global x = 9;
na d;
track y: 0;
fn t {
  local r, x;
  r = x;
  r = d;
  d = r;
  d.store(1);
  x.naload();
  r = x.load(rel);
  r = FADD(x, 1, rel, acq);
  r = y.load();
  wait(x, 7);
  fence(rlx);
  goto nowhere;
}
