//: tso robust states=0
//: pso violation shape=MP states=57
//: pgas violation shape=MP states=57
//: ra robust states=40
//: rc20 robust states=40
//: cpp20 robust states=40
// A release sequence: between the release store of the flag and its acquire load there is a relaxed
// update by a third thread. Who reads the update still synchronises with the store it is built on.
name "mp+rs";
domain 4;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread updater {
  flag.fadd(2, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(acq);
  s = data.load(rlx);
  assert(r % 2 == 0 || s == 1);
}
