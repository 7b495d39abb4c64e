/* sb, exported by fencepost.
   SPIN finds no assertion violated iff: sb is robust against ra.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif

bit m_x_0;
bit m_y_1;
unsigned vsc0 : 2 = 3;
unsigned vsc1 : 2 = 3;
unsigned msc0 : 2 = 1;
unsigned msc1 : 2 = 2;
unsigned wsc0 : 2 = 1;
unsigned wsc1 : 2 = 2;
unsigned v0 : 2;
unsigned v1 : 2;
unsigned w0 : 2;
unsigned w1 : 2;
unsigned vrmw0 : 2;
unsigned vrmw1 : 2;
unsigned wrmw0 : 2;
unsigned wrmw1 : 2;

active proctype t0_left() {
  bit r_r_0;
  goto L0;
L0: /* store x */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw0 & 1) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      v0 = v0 & ~1;
      w0 = v0;
      v1 = v1 | 1;
      w1 = w1 | 1;
      vrmw0 = vrmw0 & ~1;
      wrmw0 = vrmw0;
      vrmw1 = vrmw1 | 1;
      wrmw1 = wrmw1 | 1;
      m_x_0 = 1;
    };
    goto L1
  fi;
L1: /* load y */
  if
  :: d_step {
      assert(!((vsc0 & 2) != 0 && (v0 & 2) != 0));
      msc1 = msc1 | vsc0;
      vsc0 = vsc0 | wsc1;
      v0 = v0 & w1;
      vrmw0 = vrmw0 & wrmw1;
      r_r_0 = m_y_1;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_right() {
  bit r_r_0;
  goto L0;
L0: /* store y */
  if
  :: d_step {
      assert(!((vsc1 & 2) != 0 && (vrmw1 & 2) != 0));
      vsc1 = vsc1 | msc1;
      msc1 = vsc1;
      wsc1 = vsc1;
      vsc0 = vsc0 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      v1 = v1 & ~2;
      w1 = v1;
      v0 = v0 | 2;
      w0 = w0 | 2;
      vrmw1 = vrmw1 & ~2;
      wrmw1 = vrmw1;
      vrmw0 = vrmw0 | 2;
      wrmw0 = wrmw0 | 2;
      m_y_1 = 1;
    };
    goto L1
  fi;
L1: /* load x */
  if
  :: d_step {
      assert(!((vsc1 & 1) != 0 && (v1 & 1) != 0));
      msc0 = msc0 | vsc1;
      vsc1 = vsc1 | wsc0;
      v1 = v1 & w0;
      vrmw1 = vrmw1 & wrmw0;
      r_r_0 = m_x_0;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}
