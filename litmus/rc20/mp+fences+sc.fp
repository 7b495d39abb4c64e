//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=13
// As mp+fences with SC fences, which are acquire and release fences too. (Under ra they count as an
// update of one hidden location, and the accesses synchronise by themselves.)
name "mp+fences+sc";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(sc);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(sc);
  s = data.load(rlx);
}
