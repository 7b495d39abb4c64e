//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso unsettled
//: pgas unsettled
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Writes follow reads, as in writes-follow-reads, with a Bob who comments for ever: on the
// machines his buffer has no bound, yet what TSO can do SRA can do as well. It is safe with a
// buffer for each location too, since each thread writes one key, but no general argument says
// so.
name "writes-follow-reads-forever";
domain 4;
global post, comment;

thread alice {
  local v;
  while (v < 2) {
    v = v + 1;
    post.store(v, rel);
  }
}

thread bob {
  local p;
  while (1) {
    p = wait(post != 0, acq);
    comment.store(p, rel);
  }
}

thread carol {
  local c, p;
  while (1) {
    c = comment.load(acq);
    p = post.load(acq);
    assert(p >= c);
  }
}
