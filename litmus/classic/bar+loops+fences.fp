//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=32
//: rc20 robust states=32
//: cpp20 robust states=17
// The barrier with busy loops, made robust by SC fences between store and loop. For correctness
// they are not needed: a blocking wait, as in barw-1-1, says the same without them.
name "bar+loops+fences";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  fence(sc);
  do { r = y.load(acq); } while (r != 1);
}

thread right {
  local r;
  y.store(1, rel);
  fence(sc);
  do { r = x.load(acq); } while (r != 1);
}
