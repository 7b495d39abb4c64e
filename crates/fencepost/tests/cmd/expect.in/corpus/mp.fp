//: ra robust
//: rc20 violation shape=MP
domain 2;
global data, flag;

thread writer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread reader {
  local r, s;
  r = flag.load(rlx);
  s = data.load(rlx);
}
