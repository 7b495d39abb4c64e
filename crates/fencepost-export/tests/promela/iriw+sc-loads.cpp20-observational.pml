/* iriw+sc-loads, exported by fencepost.
   SPIN finds no assertion violated iff: iriw+sc-loads is observationally robust against cpp20: nothing depends on a stale read.
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
unsigned vsc2 : 2 = 3;
unsigned vsc3 : 2 = 3;
unsigned msc0 : 2 = 1;
unsigned msc1 : 2 = 2;
unsigned wsc0 : 2 = 1;
unsigned wsc1 : 2 = 2;
unsigned v_c0 : 2;
unsigned v_c1 : 2;
unsigned v_c2 : 2;
unsigned v_c3 : 2;
unsigned v_none : 2;
unsigned v_w0 : 2;
unsigned v_w1 : 2;
unsigned sv_a_c0 : 2;
unsigned sv_a_c1 : 2;
unsigned sv_a_c2 : 2;
unsigned sv_a_c3 : 2;
unsigned sv_a_none : 2;
unsigned sv_a_w0 : 2;
unsigned sv_a_w1 : 2;
unsigned sv_own0 : 2;
unsigned sv_own1 : 2;
unsigned sv_own2 : 2;
unsigned sv_own3 : 2;
unsigned sv_w0 : 2;
unsigned sv_m0 : 2;
unsigned sv_w1 : 2;
unsigned sv_m1 : 2;
unsigned vrmw_c0 : 2;
unsigned vrmw_c1 : 2;
unsigned vrmw_c2 : 2;
unsigned vrmw_c3 : 2;
unsigned vrmw_none : 2;
unsigned vrmw_w0 : 2;
unsigned vrmw_w1 : 2;
unsigned svrmw_a_c0 : 2;
unsigned svrmw_a_c1 : 2;
unsigned svrmw_a_c2 : 2;
unsigned svrmw_a_c3 : 2;
unsigned svrmw_a_none : 2;
unsigned svrmw_a_w0 : 2;
unsigned svrmw_a_w1 : 2;
unsigned svrmw_own0 : 2;
unsigned svrmw_own1 : 2;
unsigned svrmw_own2 : 2;
unsigned svrmw_own3 : 2;
unsigned svrmw_w0 : 2;
unsigned svrmw_m0 : 2;
unsigned svrmw_w1 : 2;
unsigned svrmw_m1 : 2;

active proctype t0_wx() {
  goto L0;
L0: /* store x */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw_c0 & 1) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      vsc2 = vsc2 & ~1;
      vsc3 = vsc3 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      v_c0 = v_c0 & ~1;
      v_c1 = v_c1 | 1;
      v_c2 = v_c2 | 1;
      v_c3 = v_c3 | 1;
      v_none = v_none | 1;
      v_w1 = v_w1 | 1;
      v_w0 = v_none;
      v_w0 = v_w0 & ~1;
      sv_a_c0 = sv_a_c0 | 1;
      sv_a_c1 = sv_a_c1 | 1;
      sv_a_c2 = sv_a_c2 | 1;
      sv_a_c3 = sv_a_c3 | 1;
      sv_a_none = sv_a_none | 1;
      sv_a_w0 = sv_a_w0 | 1;
      sv_a_w1 = sv_a_w1 | 1;
      sv_own0 = sv_own0 | 1;
      sv_own1 = sv_own1 | 1;
      sv_own2 = sv_own2 | 1;
      sv_own3 = sv_own3 | 1;
      sv_w0 = sv_w0 | 1;
      sv_m0 = sv_m0 | 1;
      sv_w1 = sv_w1 | 1;
      sv_m1 = sv_m1 | 1;
      sv_a_w0 = sv_a_none;
      sv_w0 = sv_m0;
      vrmw_c0 = vrmw_c0 & ~1;
      vrmw_c1 = vrmw_c1 | 1;
      vrmw_c2 = vrmw_c2 | 1;
      vrmw_c3 = vrmw_c3 | 1;
      vrmw_none = vrmw_none | 1;
      vrmw_w1 = vrmw_w1 | 1;
      vrmw_w0 = vrmw_none;
      vrmw_w0 = vrmw_w0 & ~1;
      svrmw_a_c0 = svrmw_a_c0 | 1;
      svrmw_a_c1 = svrmw_a_c1 | 1;
      svrmw_a_c2 = svrmw_a_c2 | 1;
      svrmw_a_c3 = svrmw_a_c3 | 1;
      svrmw_a_none = svrmw_a_none | 1;
      svrmw_a_w0 = svrmw_a_w0 | 1;
      svrmw_a_w1 = svrmw_a_w1 | 1;
      svrmw_own0 = svrmw_own0 | 1;
      svrmw_own1 = svrmw_own1 | 1;
      svrmw_own2 = svrmw_own2 | 1;
      svrmw_own3 = svrmw_own3 | 1;
      svrmw_w0 = svrmw_w0 | 1;
      svrmw_m0 = svrmw_m0 | 1;
      svrmw_w1 = svrmw_w1 | 1;
      svrmw_m1 = svrmw_m1 | 1;
      svrmw_a_w0 = svrmw_a_none;
      svrmw_w0 = svrmw_m0;
      m_x_0 = 1;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_wy() {
  goto L0;
L0: /* store y */
  if
  :: d_step {
      assert(!((vsc1 & 2) != 0 && (vrmw_c1 & 2) != 0));
      vsc1 = vsc1 | msc1;
      msc1 = vsc1;
      wsc1 = vsc1;
      vsc0 = vsc0 & ~2;
      vsc2 = vsc2 & ~2;
      vsc3 = vsc3 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      v_c1 = v_c1 & ~2;
      v_c0 = v_c0 | 2;
      v_c2 = v_c2 | 2;
      v_c3 = v_c3 | 2;
      v_none = v_none | 2;
      v_w0 = v_w0 | 2;
      v_w1 = v_none;
      v_w1 = v_w1 & ~2;
      sv_a_c0 = sv_a_c0 | 2;
      sv_a_c1 = sv_a_c1 | 2;
      sv_a_c2 = sv_a_c2 | 2;
      sv_a_c3 = sv_a_c3 | 2;
      sv_a_none = sv_a_none | 2;
      sv_a_w0 = sv_a_w0 | 2;
      sv_a_w1 = sv_a_w1 | 2;
      sv_own0 = sv_own0 | 2;
      sv_own1 = sv_own1 | 2;
      sv_own2 = sv_own2 | 2;
      sv_own3 = sv_own3 | 2;
      sv_w0 = sv_w0 | 2;
      sv_m0 = sv_m0 | 2;
      sv_w1 = sv_w1 | 2;
      sv_m1 = sv_m1 | 2;
      sv_a_w1 = sv_a_none;
      sv_w1 = sv_m1;
      vrmw_c1 = vrmw_c1 & ~2;
      vrmw_c0 = vrmw_c0 | 2;
      vrmw_c2 = vrmw_c2 | 2;
      vrmw_c3 = vrmw_c3 | 2;
      vrmw_none = vrmw_none | 2;
      vrmw_w0 = vrmw_w0 | 2;
      vrmw_w1 = vrmw_none;
      vrmw_w1 = vrmw_w1 & ~2;
      svrmw_a_c0 = svrmw_a_c0 | 2;
      svrmw_a_c1 = svrmw_a_c1 | 2;
      svrmw_a_c2 = svrmw_a_c2 | 2;
      svrmw_a_c3 = svrmw_a_c3 | 2;
      svrmw_a_none = svrmw_a_none | 2;
      svrmw_a_w0 = svrmw_a_w0 | 2;
      svrmw_a_w1 = svrmw_a_w1 | 2;
      svrmw_own0 = svrmw_own0 | 2;
      svrmw_own1 = svrmw_own1 | 2;
      svrmw_own2 = svrmw_own2 | 2;
      svrmw_own3 = svrmw_own3 | 2;
      svrmw_w0 = svrmw_w0 | 2;
      svrmw_m0 = svrmw_m0 | 2;
      svrmw_w1 = svrmw_w1 | 2;
      svrmw_m1 = svrmw_m1 | 2;
      svrmw_a_w1 = svrmw_a_none;
      svrmw_w1 = svrmw_m1;
      m_y_1 = 1;
    };
    goto end
  fi;
end:
  false
}

active proctype t2_xy() {
  bit r_r_0;
  bit taint0;
  bit r_s_1;
  bit taint1;
  goto L0;
L0: /* load x */
  if
  :: d_step {
      if
      :: (vsc2 & 1) != 0 && (v_c2 & sv_own2 & sv_a_c2 & 1) != 0 ->
          msc0 = msc0 | vsc2;
          vsc2 = vsc2 | wsc0;
          sv_own2 = sv_own2 & sv_a_c2;
          sv_m0 = sv_m0 & sv_own2;
          svrmw_own2 = svrmw_own2 & svrmw_a_c2;
          svrmw_m0 = svrmw_m0 & svrmw_own2;
          r_r_0 = m_x_0;
          taint0 = 1;
      :: else ->
          msc0 = msc0 | vsc2;
          vsc2 = vsc2 | wsc0;
          v_c2 = v_c2 & ~1;
          v_c2 = v_c2 & v_w0;
          sv_own2 = sv_own2 & sv_a_c2;
          sv_a_c2 = sv_a_c2 & sv_a_w0;
          sv_own2 = sv_own2 & sv_w0;
          sv_own2 = sv_own2 & ~1;
          sv_m0 = sv_m0 & sv_own2;
          vrmw_c2 = vrmw_c2 & ~1;
          vrmw_c2 = vrmw_c2 & vrmw_w0;
          svrmw_own2 = svrmw_own2 & svrmw_a_c2;
          svrmw_a_c2 = svrmw_a_c2 & svrmw_a_w0;
          svrmw_own2 = svrmw_own2 & svrmw_w0;
          svrmw_own2 = svrmw_own2 & ~1;
          svrmw_m0 = svrmw_m0 & svrmw_own2;
          r_r_0 = m_x_0;
          taint0 = 0;
      fi;
      r_r_0 = 0;
      taint0 = 0;
    };
    goto L1
  fi;
L1: /* load y */
  if
  :: d_step {
      if
      :: (vsc2 & 2) != 0 && (v_c2 & sv_own2 & sv_a_c2 & 2) != 0 ->
          msc1 = msc1 | vsc2;
          vsc2 = vsc2 | wsc1;
          sv_own2 = sv_own2 & sv_a_c2;
          sv_m1 = sv_m1 & sv_own2;
          svrmw_own2 = svrmw_own2 & svrmw_a_c2;
          svrmw_m1 = svrmw_m1 & svrmw_own2;
          r_s_1 = m_y_1;
          taint1 = 1;
      :: else ->
          msc1 = msc1 | vsc2;
          vsc2 = vsc2 | wsc1;
          v_c2 = v_c2 & ~2;
          v_c2 = v_c2 & v_w1;
          sv_own2 = sv_own2 & sv_a_c2;
          sv_a_c2 = sv_a_c2 & sv_a_w1;
          sv_own2 = sv_own2 & sv_w1;
          sv_own2 = sv_own2 & ~2;
          sv_m1 = sv_m1 & sv_own2;
          vrmw_c2 = vrmw_c2 & ~2;
          vrmw_c2 = vrmw_c2 & vrmw_w1;
          svrmw_own2 = svrmw_own2 & svrmw_a_c2;
          svrmw_a_c2 = svrmw_a_c2 & svrmw_a_w1;
          svrmw_own2 = svrmw_own2 & svrmw_w1;
          svrmw_own2 = svrmw_own2 & ~2;
          svrmw_m1 = svrmw_m1 & svrmw_own2;
          r_s_1 = m_y_1;
          taint1 = 0;
      fi;
      r_s_1 = 0;
      taint1 = 0;
    };
    goto end
  fi;
end:
  false
}

active proctype t3_yx() {
  bit r_r_0;
  bit taint0;
  bit r_s_1;
  bit taint1;
  goto L0;
L0: /* load y */
  if
  :: d_step {
      if
      :: (vsc3 & 2) != 0 && (v_c3 & sv_own3 & sv_a_c3 & 2) != 0 ->
          msc1 = msc1 | vsc3;
          vsc3 = vsc3 | wsc1;
          sv_own3 = sv_own3 & sv_a_c3;
          sv_m1 = sv_m1 & sv_own3;
          svrmw_own3 = svrmw_own3 & svrmw_a_c3;
          svrmw_m1 = svrmw_m1 & svrmw_own3;
          r_r_0 = m_y_1;
          taint0 = 1;
      :: else ->
          msc1 = msc1 | vsc3;
          vsc3 = vsc3 | wsc1;
          v_c3 = v_c3 & ~2;
          v_c3 = v_c3 & v_w1;
          sv_own3 = sv_own3 & sv_a_c3;
          sv_a_c3 = sv_a_c3 & sv_a_w1;
          sv_own3 = sv_own3 & sv_w1;
          sv_own3 = sv_own3 & ~2;
          sv_m1 = sv_m1 & sv_own3;
          vrmw_c3 = vrmw_c3 & ~2;
          vrmw_c3 = vrmw_c3 & vrmw_w1;
          svrmw_own3 = svrmw_own3 & svrmw_a_c3;
          svrmw_a_c3 = svrmw_a_c3 & svrmw_a_w1;
          svrmw_own3 = svrmw_own3 & svrmw_w1;
          svrmw_own3 = svrmw_own3 & ~2;
          svrmw_m1 = svrmw_m1 & svrmw_own3;
          r_r_0 = m_y_1;
          taint0 = 0;
      fi;
      r_r_0 = 0;
      taint0 = 0;
    };
    goto L1
  fi;
L1: /* load x */
  if
  :: d_step {
      if
      :: (vsc3 & 1) != 0 && (v_c3 & sv_own3 & sv_a_c3 & 1) != 0 ->
          msc0 = msc0 | vsc3;
          vsc3 = vsc3 | wsc0;
          sv_own3 = sv_own3 & sv_a_c3;
          sv_m0 = sv_m0 & sv_own3;
          svrmw_own3 = svrmw_own3 & svrmw_a_c3;
          svrmw_m0 = svrmw_m0 & svrmw_own3;
          r_s_1 = m_x_0;
          taint1 = 1;
      :: else ->
          msc0 = msc0 | vsc3;
          vsc3 = vsc3 | wsc0;
          v_c3 = v_c3 & ~1;
          v_c3 = v_c3 & v_w0;
          sv_own3 = sv_own3 & sv_a_c3;
          sv_a_c3 = sv_a_c3 & sv_a_w0;
          sv_own3 = sv_own3 & sv_w0;
          sv_own3 = sv_own3 & ~1;
          sv_m0 = sv_m0 & sv_own3;
          vrmw_c3 = vrmw_c3 & ~1;
          vrmw_c3 = vrmw_c3 & vrmw_w0;
          svrmw_own3 = svrmw_own3 & svrmw_a_c3;
          svrmw_a_c3 = svrmw_a_c3 & svrmw_a_w0;
          svrmw_own3 = svrmw_own3 & svrmw_w0;
          svrmw_own3 = svrmw_own3 & ~1;
          svrmw_m0 = svrmw_m0 & svrmw_own3;
          r_s_1 = m_x_0;
          taint1 = 0;
      fi;
      r_s_1 = 0;
      taint1 = 0;
    };
    goto end
  fi;
end:
  false
}
