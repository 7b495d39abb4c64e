//: tso robust states=507
//: pso violation shape=MP states=86
//: pgas violation shape=MP states=86
//: ra robust states=185
//: rc20 violation shape=MP states=13
//: cpp20 violation shape=MP states=13
// The queue lock of Craig, Landin and Hagersten as in Herlihy and Shavit's book: two threads lock
// and unlock once, a third one initialises the queue; both wait for its last store. Figure 7 of
// "Locality and singularity" calls the program "robust" by its name and not robust by the table: it is robust
// against TSO, but initialisation relies on stores staying in order, which they do only there.
name "clh-lock";
domain 6;
global locked[3], tail, node[2], pred[2];

thread init {
  tail.store(0, rlx);
  pred[0].store(3, rlx);
  node[0].store(1, rlx);
  pred[1].store(3, rlx);
  node[1].store(2, rlx);
}

thread p[2] {
  local mine, prev, r;
  do {
    r = node[1].load(rlx);
  } while (r == 0);
  mine = node[me].load(rlx);
  locked[mine].store(1, rlx);
  prev = tail.xchg(mine, acqrel);
  pred[me].store(prev, rlx);
  do {
    r = locked[prev].load(rlx);
  } while (r != 0);
  mine = node[me].load(rlx);
  locked[mine].store(0, rlx);
  prev = pred[me].load(rlx);
  node[me].store(prev, rlx);
}
