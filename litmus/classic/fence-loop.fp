//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=4
//: rc20 robust states=4
//: cpp20 robust states=2
// A thread that does nothing but fence, for ever: a search that takes a fence together with what follows must not go
// round and round in it.
name "fence-loop";
domain 2;
global x, y;

thread fences {
  while (1) {
    fence(sc);
  }
}

thread writer {
  x.store(1);
}
