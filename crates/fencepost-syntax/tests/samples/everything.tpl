// every construct of TPL
max_value 7;
global x, y=5, l;
na d=2;
track x: 0,1;
track y: all;
fn name {
	local r, s;
	r = x.load(acq);  x.store(r+1, rel); x.store(((3+3)/2) % 4);
	r = x.load(); x.load(seq_cst); y.store(-1, seq_cst);
	r = FADD(x, 5);  r = FADD(x, 5, acq, rel); FADD(x, -1, rlx, rlx);
	r = CAS(x, 0, 1, rlx, rel);  BCAS(x, 0, 1);  r = exchange(x, 2);
	BCAS(x, r, r + 1, acq, rel);
	r = d.naload();  d.nastore(r); d.naload();
	wait(x, 5);  wait(x, 5, rlx);  r = wait(x, 2, 3, r + 9);
	fence(acq); fence(rel); fence(acq_rel); fence(seq_cst); fence;
	lock(l); unlock(l);
	lbl: r = 0;  if (r == 0) goto lbl;
	if (r) { s = r & 1 == 1; } else { s = true; }
	while (r < 2) { r = r + 1; }
	oneof({ skip; } { r = 2; s = 3; });
	oneof({
		r = 1;
	}{
		r = 2;
	})
	assert(r == 1);  assume(r == 1);  verify(r);  skip;
	assume(false)
}
fn proc {
	goto end;
	end:
}
