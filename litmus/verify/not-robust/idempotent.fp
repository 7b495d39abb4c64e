//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Work that may be done twice (Michael, Vechev and Saraswat 2009): two workers each mark that
// they have begun and look whether the other has; if not, they do the work, whose result is the
// same whoever does it. Under SC one of them at least sees the other, unless one was faster;
// both may miss each other in every weak model, and the work is done twice. Who finds it done
// finds the result. With a buffer for each location the word that it is done may overtake the
// result.
name "idempotent";
domain 4;
global begun[2], result, done;

thread worker[2] {
  local r, d;
  begun[me].store(1, rel);
  r = begun[1 - me].load(acq);
  if (r == 0) {
    result.store(3, rel);
    done.store(1, rel);
  }
  d = done.load(acq);
  if (d == 1) {
    r = result.load(acq);
    assert(r == 3);
  }
}
