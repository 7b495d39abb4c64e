/* sb+sc-bcas, exported by fencepost.
   SPIN finds no assertion violated iff: sb+sc-bcas is robust against rc20.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif

unsigned m_x_0 : 2;
unsigned m_y_1 : 2;
hidden int mask0;
unsigned vsc0 : 2 = 3;
unsigned vsc1 : 2 = 3;
unsigned msc0 : 2 = 1;
unsigned msc1 : 2 = 2;
unsigned wsc0 : 2 = 1;
unsigned wsc1 : 2 = 2;
unsigned vrmw_c0 : 4;
unsigned vrmw_c1 : 4;
unsigned vrmw_w0 : 4;
unsigned vrmw_w1 : 4;
unsigned svrmw_own0 : 4;
unsigned svrmw_own1 : 4;
unsigned svrmw_c0 : 4;
unsigned svrmw_c1 : 4;
unsigned svrmw_w0 : 4;
unsigned svrmw_w1 : 4;
unsigned svrmw_m0 : 4;
unsigned svrmw_m1 : 4;

active proctype t0_left() {
  goto L0;
L0: /* store x */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw_c0 & svrmw_own0 & svrmw_c0 & 3) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      vrmw_c0 = vrmw_c0 & ~3;
      mask0 = (m_x_0 < 1 -> 1 : 2);
      vrmw_c1 = vrmw_c1 | mask0;
      vrmw_w1 = vrmw_w1 | mask0;
      vrmw_w0 = vrmw_c0;
      vrmw_w0 = vrmw_w0 & ~3;
      svrmw_own0 = svrmw_own0 & svrmw_m0;
      svrmw_own0 = svrmw_own0 & svrmw_c0;
      mask0 = (m_x_0 < 1 -> 1 : 2);
      svrmw_own0 = svrmw_own0 | mask0;
      svrmw_own1 = svrmw_own1 | mask0;
      svrmw_c0 = svrmw_c0 | mask0;
      svrmw_c1 = svrmw_c1 | mask0;
      svrmw_w0 = svrmw_w0 | mask0;
      svrmw_w1 = svrmw_w1 | mask0;
      svrmw_m0 = svrmw_m0 | mask0;
      svrmw_m1 = svrmw_m1 | mask0;
      svrmw_own0 = svrmw_own0 & ~3;
      svrmw_m0 = svrmw_m0 & svrmw_own0;
      svrmw_w0 = svrmw_c0;
      svrmw_w0 = svrmw_w0 & svrmw_own0;
      m_x_0 = 1;
    };
    goto L1
  fi;
L1: /* blocking compare and swap y */
  if
  :: d_step {
      ((vsc0 & 2) != 0 && (vrmw_c0 & svrmw_own0 & svrmw_c0 & 4) != 0);
      assert(false);
    };
    goto end
  :: d_step {
      m_y_1 == 0;
      vsc0 = vsc0 | msc1;
      msc1 = vsc0;
      wsc1 = vsc0;
      vsc1 = vsc1 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      vrmw_c0 = vrmw_c0 & ~12;
      vrmw_c0 = vrmw_c0 & vrmw_w1;
      vrmw_w1 = vrmw_w1 & vrmw_c0;
      vrmw_w1 = vrmw_w1 & ~12;
      svrmw_c0 = svrmw_c0 & svrmw_w1;
      svrmw_own0 = svrmw_own0 & svrmw_m1;
      svrmw_own0 = svrmw_own0 & svrmw_c0;
      svrmw_own0 = svrmw_own0 & ~12;
      svrmw_m1 = svrmw_m1 & svrmw_own0;
      svrmw_w1 = svrmw_w1 & svrmw_c0;
      svrmw_w1 = svrmw_w1 & svrmw_own0;
      m_y_1 = 2;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_right() {
  goto L0;
L0: /* store y */
  if
  :: d_step {
      assert(!((vsc1 & 2) != 0 && (vrmw_c1 & svrmw_own1 & svrmw_c1 & 12) != 0));
      vsc1 = vsc1 | msc1;
      msc1 = vsc1;
      wsc1 = vsc1;
      vsc0 = vsc0 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      vrmw_c1 = vrmw_c1 & ~12;
      mask0 = (m_y_1 < 1 -> 4 : 8);
      vrmw_c0 = vrmw_c0 | mask0;
      vrmw_w0 = vrmw_w0 | mask0;
      vrmw_w1 = vrmw_c1;
      vrmw_w1 = vrmw_w1 & ~12;
      svrmw_own1 = svrmw_own1 & svrmw_m1;
      svrmw_own1 = svrmw_own1 & svrmw_c1;
      mask0 = (m_y_1 < 1 -> 4 : 8);
      svrmw_own0 = svrmw_own0 | mask0;
      svrmw_own1 = svrmw_own1 | mask0;
      svrmw_c0 = svrmw_c0 | mask0;
      svrmw_c1 = svrmw_c1 | mask0;
      svrmw_w0 = svrmw_w0 | mask0;
      svrmw_w1 = svrmw_w1 | mask0;
      svrmw_m0 = svrmw_m0 | mask0;
      svrmw_m1 = svrmw_m1 | mask0;
      svrmw_own1 = svrmw_own1 & ~12;
      svrmw_m1 = svrmw_m1 & svrmw_own1;
      svrmw_w1 = svrmw_c1;
      svrmw_w1 = svrmw_w1 & svrmw_own1;
      m_y_1 = 1;
    };
    goto L1
  fi;
L1: /* blocking compare and swap x */
  if
  :: d_step {
      ((vsc1 & 1) != 0 && (vrmw_c1 & svrmw_own1 & svrmw_c1 & 1) != 0);
      assert(false);
    };
    goto end
  :: d_step {
      m_x_0 == 0;
      vsc1 = vsc1 | msc0;
      msc0 = vsc1;
      wsc0 = vsc1;
      vsc0 = vsc0 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      vrmw_c1 = vrmw_c1 & ~3;
      vrmw_c1 = vrmw_c1 & vrmw_w0;
      vrmw_w0 = vrmw_w0 & vrmw_c1;
      vrmw_w0 = vrmw_w0 & ~3;
      svrmw_c1 = svrmw_c1 & svrmw_w0;
      svrmw_own1 = svrmw_own1 & svrmw_m0;
      svrmw_own1 = svrmw_own1 & svrmw_c1;
      svrmw_own1 = svrmw_own1 & ~3;
      svrmw_m0 = svrmw_m0 & svrmw_own1;
      svrmw_w0 = svrmw_w0 & svrmw_c1;
      svrmw_w0 = svrmw_w0 & svrmw_own1;
      m_x_0 = 2;
    };
    goto end
  fi;
end:
  false
}
