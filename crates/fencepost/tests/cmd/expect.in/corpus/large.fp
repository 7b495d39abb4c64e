//: ra robust states>=3
//: rc20 robust states>=3
domain 2;
global data, flag;

thread writer {
  data.store(1, rel);
  flag.store(1, rel);
}

thread reader {
  local r, s;
  r = flag.load(acq);
  s = data.load(acq);
}
