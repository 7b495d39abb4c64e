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
// All four session guarantees at once: two sessions, each with a profile and a status of its own
// that it writes in this order, for ever, and reads back; each also looks at the other's status
// and then profile. Nobody's profile is behind the status, nobody's own is old. Not robust:
// writing one's status and reading the other's is store buffering, so the sessions may miss each
// other, which no guarantee excludes. Every key has one writer, so RA reaches what SRA reaches,
// and RC20 no more, since every access is a release or an acquire. With a buffer for each
// location the status may be in memory before the profile.
name "session";
domain 3;
global profile[2], status[2];

thread session[2] {
  local v, p, s;
  while (v < 2) {
    v = v + 1;
    profile[me].store(v, rel);
    status[me].store(v, rel);
    p = profile[me].load(acq);
    assert(p == v);
    s = status[1 - me].load(acq);
    p = profile[1 - me].load(acq);
    assert(p >= s);
  }
}
