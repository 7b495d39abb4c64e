//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with the acquire fence only: the writer's two stores are not ordered.
name "mp+rlx+fence";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(acq);
  s = data.load(rlx);
}
