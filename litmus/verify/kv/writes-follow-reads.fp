//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Writes follow reads: Alice posts, Bob comments twice on what he has read, Carol reads the
// comments and then the posts, for ever. A comment is never seen without its post.
// Happens-before goes from the post through Bob to Carol; every key has one writer, so RA
// reaches what SRA reaches. Not robust: Bob, having commented, may miss a post that Carol has
// read before she misses the comment. On the machines a post that Bob has read is in memory for
// all, and each thread writes one key. RC20 permits no more than RA where every access is a
// release or an acquire.
name "writes-follow-reads";
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
  local p, n;
  while (n < 2) {
    n = n + 1;
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
