//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing. Figure 7 of "Locality and singularity": mp.txt, not robust, which is true of PSO and PGAS, where the
// flag can overtake the data, and not of TSO.
name "mp";
domain 2;
global data, flag;

thread send {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  r = data.load(rlx);
}
