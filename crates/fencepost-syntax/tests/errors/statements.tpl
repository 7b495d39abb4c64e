global x;
fn t {
  local r;
  r = FAD(x, 1);
  r = FADD(1, x);
  CAS(x, 0);
  wait(x);
  wait(x, acq);
  x.nastor(1);
  oneof { skip; };
  oneof({ skip; } skip);
  r = x.load(acq)
  fence(;
  skip
}
