/* sb+sc+fence, exported by fencepost.
   SPIN finds no assertion violated iff: sb+sc+fence is robust against cpp20.
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
unsigned v_c0 : 2;
unsigned v_c1 : 2;
unsigned v_a1 : 2;
unsigned v_r1 : 2;
unsigned v_w0 : 2;
unsigned v_w1 : 2;
unsigned sv_f_c0 : 2;
unsigned sv_f_c1 : 2;
unsigned sv_f_a1 : 2;
unsigned sv_f_r1 : 2;
unsigned sv_f_w0 : 2;
unsigned sv_f_w1 : 2;
unsigned sv_p_c0 : 2;
unsigned sv_p_c1 : 2;
unsigned sv_p_a1 : 2;
unsigned sv_p_r1 : 2;
unsigned sv_p_w0 : 2;
unsigned sv_p_w1 : 2;
unsigned sv_a_c0 : 2;
unsigned sv_a_c1 : 2;
unsigned sv_a_a1 : 2;
unsigned sv_a_r1 : 2;
unsigned sv_a_w0 : 2;
unsigned sv_a_w1 : 2;
unsigned sv_own0 : 2;
unsigned sv_own1 : 2;
unsigned sv_w0 : 2;
unsigned sv_m0 : 2;
unsigned sv_w1 : 2;
unsigned sv_m1 : 2;
unsigned vrmw_c0 : 2;
unsigned vrmw_c1 : 2;
unsigned vrmw_a1 : 2;
unsigned vrmw_r1 : 2;
unsigned vrmw_w0 : 2;
unsigned vrmw_w1 : 2;
unsigned svrmw_f_c0 : 2;
unsigned svrmw_f_c1 : 2;
unsigned svrmw_f_a1 : 2;
unsigned svrmw_f_r1 : 2;
unsigned svrmw_f_w0 : 2;
unsigned svrmw_f_w1 : 2;
unsigned svrmw_p_c0 : 2;
unsigned svrmw_p_c1 : 2;
unsigned svrmw_p_a1 : 2;
unsigned svrmw_p_r1 : 2;
unsigned svrmw_p_w0 : 2;
unsigned svrmw_p_w1 : 2;
unsigned svrmw_a_c0 : 2;
unsigned svrmw_a_c1 : 2;
unsigned svrmw_a_a1 : 2;
unsigned svrmw_a_r1 : 2;
unsigned svrmw_a_w0 : 2;
unsigned svrmw_a_w1 : 2;
unsigned svrmw_own0 : 2;
unsigned svrmw_own1 : 2;
unsigned svrmw_w0 : 2;
unsigned svrmw_m0 : 2;
unsigned svrmw_w1 : 2;
unsigned svrmw_m1 : 2;

active proctype t0_left() {
  bit r_r_0;
  goto L0;
L0: /* store x */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw_c0 & svrmw_f_c0 & svrmw_own0 & svrmw_a_c0 & 1) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      v_c0 = v_c0 & ~1;
      v_c1 = v_c1 | 1;
      v_a1 = v_a1 | 1;
      v_r1 = v_r1 | 1;
      v_w1 = v_w1 | 1;
      v_w0 = v_c0;
      v_w0 = v_w0 & ~1;
      sv_f_c0 = sv_f_c0 | 1;
      sv_f_c1 = sv_f_c1 | 1;
      sv_f_a1 = sv_f_a1 | 1;
      sv_f_r1 = sv_f_r1 | 1;
      sv_f_w0 = sv_f_w0 | 1;
      sv_f_w1 = sv_f_w1 | 1;
      sv_p_c0 = sv_p_c0 | 1;
      sv_p_c1 = sv_p_c1 | 1;
      sv_p_a1 = sv_p_a1 | 1;
      sv_p_r1 = sv_p_r1 | 1;
      sv_p_w0 = sv_p_w0 | 1;
      sv_p_w1 = sv_p_w1 | 1;
      sv_a_c0 = sv_a_c0 | 1;
      sv_a_c1 = sv_a_c1 | 1;
      sv_a_a1 = sv_a_a1 | 1;
      sv_a_r1 = sv_a_r1 | 1;
      sv_a_w0 = sv_a_w0 | 1;
      sv_a_w1 = sv_a_w1 | 1;
      sv_own0 = sv_own0 | 1;
      sv_own1 = sv_own1 | 1;
      sv_w0 = sv_w0 | 1;
      sv_m0 = sv_m0 | 1;
      sv_w1 = sv_w1 | 1;
      sv_m1 = sv_m1 | 1;
      sv_own0 = sv_own0 & sv_a_c0;
      sv_p_c0 = sv_p_c0 & sv_m0;
      sv_f_w0 = sv_f_c0;
      sv_p_w0 = sv_p_c0;
      sv_a_w0 = sv_a_c0;
      sv_a_w0 = sv_a_w0 & sv_own0;
      sv_own0 = sv_own0 & sv_m0;
      sv_own0 = sv_own0 & ~1;
      sv_m0 = sv_m0 & sv_f_c0;
      sv_m0 = sv_m0 & sv_own0;
      sv_w0 = sv_m0;
      vrmw_c0 = vrmw_c0 & ~1;
      vrmw_c1 = vrmw_c1 | 1;
      vrmw_a1 = vrmw_a1 | 1;
      vrmw_r1 = vrmw_r1 | 1;
      vrmw_w1 = vrmw_w1 | 1;
      vrmw_w0 = vrmw_c0;
      vrmw_w0 = vrmw_w0 & ~1;
      svrmw_f_c0 = svrmw_f_c0 | 1;
      svrmw_f_c1 = svrmw_f_c1 | 1;
      svrmw_f_a1 = svrmw_f_a1 | 1;
      svrmw_f_r1 = svrmw_f_r1 | 1;
      svrmw_f_w0 = svrmw_f_w0 | 1;
      svrmw_f_w1 = svrmw_f_w1 | 1;
      svrmw_p_c0 = svrmw_p_c0 | 1;
      svrmw_p_c1 = svrmw_p_c1 | 1;
      svrmw_p_a1 = svrmw_p_a1 | 1;
      svrmw_p_r1 = svrmw_p_r1 | 1;
      svrmw_p_w0 = svrmw_p_w0 | 1;
      svrmw_p_w1 = svrmw_p_w1 | 1;
      svrmw_a_c0 = svrmw_a_c0 | 1;
      svrmw_a_c1 = svrmw_a_c1 | 1;
      svrmw_a_a1 = svrmw_a_a1 | 1;
      svrmw_a_r1 = svrmw_a_r1 | 1;
      svrmw_a_w0 = svrmw_a_w0 | 1;
      svrmw_a_w1 = svrmw_a_w1 | 1;
      svrmw_own0 = svrmw_own0 | 1;
      svrmw_own1 = svrmw_own1 | 1;
      svrmw_w0 = svrmw_w0 | 1;
      svrmw_m0 = svrmw_m0 | 1;
      svrmw_w1 = svrmw_w1 | 1;
      svrmw_m1 = svrmw_m1 | 1;
      svrmw_own0 = svrmw_own0 & svrmw_a_c0;
      svrmw_p_c0 = svrmw_p_c0 & svrmw_m0;
      svrmw_f_w0 = svrmw_f_c0;
      svrmw_p_w0 = svrmw_p_c0;
      svrmw_a_w0 = svrmw_a_c0;
      svrmw_a_w0 = svrmw_a_w0 & svrmw_own0;
      svrmw_own0 = svrmw_own0 & svrmw_m0;
      svrmw_own0 = svrmw_own0 & ~1;
      svrmw_m0 = svrmw_m0 & svrmw_f_c0;
      svrmw_m0 = svrmw_m0 & svrmw_own0;
      svrmw_w0 = svrmw_m0;
      m_x_0 = 1;
    };
    goto L1
  fi;
L1: /* load y */
  if
  :: d_step {
      assert(!((vsc0 & 2) != 0 && (v_c0 & sv_f_c0 & sv_own0 & sv_a_c0 & 2) != 0));
      msc1 = msc1 | vsc0;
      vsc0 = vsc0 | wsc1;
      v_c0 = v_c0 & ~2;
      v_c0 = v_c0 & v_w1;
      sv_own0 = sv_own0 & sv_a_c0;
      sv_f_c0 = sv_f_c0 & sv_f_w1;
      sv_p_c0 = sv_p_c0 & sv_p_w1;
      sv_a_c0 = sv_a_c0 & sv_a_w1;
      sv_p_c0 = sv_p_c0 & sv_w1;
      sv_own0 = sv_own0 & sv_w1;
      sv_own0 = sv_own0 & ~2;
      sv_m1 = sv_m1 & sv_f_c0;
      sv_m1 = sv_m1 & sv_own0;
      vrmw_c0 = vrmw_c0 & ~2;
      vrmw_c0 = vrmw_c0 & vrmw_w1;
      svrmw_own0 = svrmw_own0 & svrmw_a_c0;
      svrmw_f_c0 = svrmw_f_c0 & svrmw_f_w1;
      svrmw_p_c0 = svrmw_p_c0 & svrmw_p_w1;
      svrmw_a_c0 = svrmw_a_c0 & svrmw_a_w1;
      svrmw_p_c0 = svrmw_p_c0 & svrmw_w1;
      svrmw_own0 = svrmw_own0 & svrmw_w1;
      svrmw_own0 = svrmw_own0 & ~2;
      svrmw_m1 = svrmw_m1 & svrmw_f_c0;
      svrmw_m1 = svrmw_m1 & svrmw_own0;
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
      assert(!((vsc1 & 2) != 0 && (vrmw_c1 & svrmw_f_c1 & 2) != 0));
      vsc1 = vsc1 | msc1;
      msc1 = vsc1;
      wsc1 = vsc1;
      vsc0 = vsc0 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      v_c1 = v_c1 & ~2;
      v_a1 = v_a1 & ~2;
      v_c0 = v_c0 | 2;
      v_r1 = v_r1 | 2;
      v_w0 = v_w0 | 2;
      v_w1 = v_r1;
      v_w1 = v_w1 & ~2;
      sv_f_c0 = sv_f_c0 | 2;
      sv_f_c1 = sv_f_c1 | 2;
      sv_f_a1 = sv_f_a1 | 2;
      sv_f_r1 = sv_f_r1 | 2;
      sv_f_w0 = sv_f_w0 | 2;
      sv_f_w1 = sv_f_w1 | 2;
      sv_p_c0 = sv_p_c0 | 2;
      sv_p_c1 = sv_p_c1 | 2;
      sv_p_a1 = sv_p_a1 | 2;
      sv_p_r1 = sv_p_r1 | 2;
      sv_p_w0 = sv_p_w0 | 2;
      sv_p_w1 = sv_p_w1 | 2;
      sv_a_c0 = sv_a_c0 | 2;
      sv_a_c1 = sv_a_c1 | 2;
      sv_a_a1 = sv_a_a1 | 2;
      sv_a_r1 = sv_a_r1 | 2;
      sv_a_w0 = sv_a_w0 | 2;
      sv_a_w1 = sv_a_w1 | 2;
      sv_own0 = sv_own0 | 2;
      sv_own1 = sv_own1 | 2;
      sv_w0 = sv_w0 | 2;
      sv_m0 = sv_m0 | 2;
      sv_w1 = sv_w1 | 2;
      sv_m1 = sv_m1 | 2;
      sv_p_c1 = sv_p_c1 & sv_m1;
      sv_p_a1 = sv_p_a1 & sv_m1;
      sv_f_w1 = sv_f_r1;
      sv_p_w1 = sv_p_r1;
      sv_a_w1 = sv_a_r1;
      sv_m1 = sv_m1 & sv_f_c1;
      sv_w1 = sv_m1;
      vrmw_c1 = vrmw_c1 & ~2;
      vrmw_a1 = vrmw_a1 & ~2;
      vrmw_c0 = vrmw_c0 | 2;
      vrmw_r1 = vrmw_r1 | 2;
      vrmw_w0 = vrmw_w0 | 2;
      vrmw_w1 = vrmw_r1;
      vrmw_w1 = vrmw_w1 & ~2;
      svrmw_f_c0 = svrmw_f_c0 | 2;
      svrmw_f_c1 = svrmw_f_c1 | 2;
      svrmw_f_a1 = svrmw_f_a1 | 2;
      svrmw_f_r1 = svrmw_f_r1 | 2;
      svrmw_f_w0 = svrmw_f_w0 | 2;
      svrmw_f_w1 = svrmw_f_w1 | 2;
      svrmw_p_c0 = svrmw_p_c0 | 2;
      svrmw_p_c1 = svrmw_p_c1 | 2;
      svrmw_p_a1 = svrmw_p_a1 | 2;
      svrmw_p_r1 = svrmw_p_r1 | 2;
      svrmw_p_w0 = svrmw_p_w0 | 2;
      svrmw_p_w1 = svrmw_p_w1 | 2;
      svrmw_a_c0 = svrmw_a_c0 | 2;
      svrmw_a_c1 = svrmw_a_c1 | 2;
      svrmw_a_a1 = svrmw_a_a1 | 2;
      svrmw_a_r1 = svrmw_a_r1 | 2;
      svrmw_a_w0 = svrmw_a_w0 | 2;
      svrmw_a_w1 = svrmw_a_w1 | 2;
      svrmw_own0 = svrmw_own0 | 2;
      svrmw_own1 = svrmw_own1 | 2;
      svrmw_w0 = svrmw_w0 | 2;
      svrmw_m0 = svrmw_m0 | 2;
      svrmw_w1 = svrmw_w1 | 2;
      svrmw_m1 = svrmw_m1 | 2;
      svrmw_p_c1 = svrmw_p_c1 & svrmw_m1;
      svrmw_p_a1 = svrmw_p_a1 & svrmw_m1;
      svrmw_f_w1 = svrmw_f_r1;
      svrmw_p_w1 = svrmw_p_r1;
      svrmw_a_w1 = svrmw_a_r1;
      svrmw_m1 = svrmw_m1 & svrmw_f_c1;
      svrmw_w1 = svrmw_m1;
      m_y_1 = 1;
      v_c1 = v_a1;
      v_r1 = v_c1;
      sv_f_c1 = sv_f_a1;
      sv_p_c1 = sv_p_a1;
      sv_a_c1 = sv_a_a1;
      sv_f_c1 = sv_f_c1 & v_c1;
      sv_f_c1 = sv_f_c1 & sv_p_c1;
      sv_f_a1 = sv_f_a1 & v_c1;
      sv_f_a1 = sv_f_a1 & sv_p_c1;
      sv_f_r1 = sv_f_c1;
      sv_p_r1 = sv_p_c1;
      sv_a_r1 = sv_a_c1;
      sv_a_r1 = sv_a_r1 & sv_own1;
      vrmw_c1 = vrmw_a1;
      vrmw_r1 = vrmw_c1;
      svrmw_f_c1 = svrmw_f_a1;
      svrmw_p_c1 = svrmw_p_a1;
      svrmw_a_c1 = svrmw_a_a1;
      svrmw_f_c1 = svrmw_f_c1 & vrmw_c1;
      svrmw_f_c1 = svrmw_f_c1 & svrmw_p_c1;
      svrmw_f_a1 = svrmw_f_a1 & vrmw_c1;
      svrmw_f_a1 = svrmw_f_a1 & svrmw_p_c1;
      svrmw_f_r1 = svrmw_f_c1;
      svrmw_p_r1 = svrmw_p_c1;
      svrmw_a_r1 = svrmw_a_c1;
      svrmw_a_r1 = svrmw_a_r1 & svrmw_own1;
    };
    goto L2
  fi;
L2: /* load x */
  if
  :: d_step {
      assert(!((vsc1 & 1) != 0 && (v_c1 & sv_f_c1 & 1) != 0));
      msc0 = msc0 | vsc1;
      vsc1 = vsc1 | wsc0;
      v_c1 = v_c1 & ~1;
      v_a1 = v_a1 & ~1;
      v_a1 = v_a1 & v_w0;
      sv_f_a1 = sv_f_a1 & sv_f_w0;
      sv_p_a1 = sv_p_a1 & sv_p_w0;
      sv_a_a1 = sv_a_a1 & sv_a_w0;
      sv_p_c1 = sv_p_c1 & sv_w0;
      sv_p_a1 = sv_p_a1 & sv_w0;
      sv_m0 = sv_m0 & sv_f_c1;
      vrmw_c1 = vrmw_c1 & ~1;
      vrmw_a1 = vrmw_a1 & ~1;
      vrmw_a1 = vrmw_a1 & vrmw_w0;
      svrmw_f_a1 = svrmw_f_a1 & svrmw_f_w0;
      svrmw_p_a1 = svrmw_p_a1 & svrmw_p_w0;
      svrmw_a_a1 = svrmw_a_a1 & svrmw_a_w0;
      svrmw_p_c1 = svrmw_p_c1 & svrmw_w0;
      svrmw_p_a1 = svrmw_p_a1 & svrmw_w0;
      svrmw_m0 = svrmw_m0 & svrmw_f_c1;
      r_r_0 = m_x_0;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}
