//! Palettes of orders. A program whose orders are drawn one by one is a bit of
//! everything; people use few kinds at a time. So each program draws its
//! palette first: relaxed accesses between fences, SC accesses only, and so on.

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};

use crate::random::Random;

/// The orders that occur in one program.
#[derive(Clone, Debug)]
pub struct Palette {
    /// Of loads, waits and failed compare-and-swaps.
    pub reads: &'static [ReadOrder],
    /// Of stores.
    pub writes: &'static [WriteOrder],
    /// Of read-modify-writes.
    pub rmws: &'static [RmwOrder],
    /// Of fences, with weights.
    pub fences: &'static [(usize, FenceOrder)],
    /// In a hundred: an acquire fence after a relaxed read, or a release fence before a relaxed
    /// write.
    pub fenced: usize,
}

const MOSTLY_FULL_FENCES: &[(usize, FenceOrder)] =
    &[(31, FenceOrder::Sc), (3, FenceOrder::Acq), (3, FenceOrder::Rel), (3, FenceOrder::AcqRel)];
const FULL_FENCES: &[(usize, FenceOrder)] = &[(1, FenceOrder::Sc)];
const ALL_FENCES: &[(usize, FenceOrder)] =
    &[(2, FenceOrder::Acq), (2, FenceOrder::Rel), (3, FenceOrder::AcqRel), (2, FenceOrder::Sc)];

impl Palette {
    /// Any order for every access.
    pub const MIXED: Palette = Palette {
        reads: ReadOrder::ALL,
        writes: WriteOrder::ALL,
        rmws: RmwOrder::ALL,
        fences: MOSTLY_FULL_FENCES,
        fenced: 0,
    };

    /// Relaxed accesses.
    pub const RELAXED: Palette = Palette {
        reads: &[ReadOrder::Rlx],
        writes: &[WriteOrder::Rlx],
        rmws: &[RmwOrder::Rlx],
        fences: MOSTLY_FULL_FENCES,
        fenced: 0,
    };

    /// Relaxed accesses between fences.
    pub const FENCED: Palette = Palette { fences: ALL_FENCES, fenced: 45, ..Palette::RELAXED };

    /// Release/acquire accesses and SC fences, so that the orders say what `ra` reads into any
    /// program.
    pub const RELEASE_ACQUIRE: Palette = Palette {
        reads: &[ReadOrder::Acq],
        writes: &[WriteOrder::Rel],
        rmws: &[RmwOrder::AcqRel],
        fences: FULL_FENCES,
        fenced: 0,
    };

    /// Everything but SC accesses.
    pub const WITHOUT_SC: Palette = Palette {
        reads: &[ReadOrder::Rlx, ReadOrder::Acq],
        writes: &[WriteOrder::Rlx, WriteOrder::Rel],
        rmws: &[RmwOrder::Rlx, RmwOrder::Acq, RmwOrder::Rel, RmwOrder::AcqRel],
        fences: ALL_FENCES,
        fenced: 15,
    };

    /// Neither SC accesses nor SC fences.
    pub const WITHOUT_S: Palette = Palette {
        fences: &[(1, FenceOrder::Acq), (1, FenceOrder::Rel), (1, FenceOrder::AcqRel)],
        ..Palette::WITHOUT_SC
    };

    /// Many SC accesses and SC fences among others.
    pub const MOSTLY_S: Palette = Palette {
        reads: &[ReadOrder::Rlx, ReadOrder::Acq, ReadOrder::Sc, ReadOrder::Sc],
        writes: &[WriteOrder::Rlx, WriteOrder::Rel, WriteOrder::Sc, WriteOrder::Sc],
        rmws: &[RmwOrder::Rlx, RmwOrder::AcqRel, RmwOrder::Sc, RmwOrder::Sc],
        fences: MOSTLY_FULL_FENCES,
        fenced: 0,
    };

    /// SC accesses, as C++ has them by default.
    pub const SC: Palette = Palette {
        reads: &[ReadOrder::Sc],
        writes: &[WriteOrder::Sc],
        rmws: &[RmwOrder::Sc],
        fences: MOSTLY_FULL_FENCES,
        fenced: 0,
    };

    /// SC stores, cheap loads.
    pub const SC_STORES: Palette = Palette { reads: &[ReadOrder::Rlx, ReadOrder::Rlx, ReadOrder::Acq], ..Palette::SC };

    /// SC loads, cheap stores.
    pub const SC_LOADS: Palette = Palette {
        writes: &[WriteOrder::Rlx, WriteOrder::Rel],
        rmws: &[RmwOrder::Rlx, RmwOrder::AcqRel],
        ..Palette::SC
    };

    /// SC and release/acquire accesses.
    pub const SC_AND_RELEASE_ACQUIRE: Palette = Palette {
        reads: &[ReadOrder::Acq, ReadOrder::Sc, ReadOrder::Sc],
        writes: &[WriteOrder::Rel, WriteOrder::Sc, WriteOrder::Sc],
        rmws: &[RmwOrder::AcqRel, RmwOrder::Sc],
        fences: MOSTLY_FULL_FENCES,
        fenced: 0,
    };

    pub(super) fn draw(random: &mut Random) -> Self {
        const PALETTES: [(usize, &Palette); 9] = [
            (20, &Palette::MIXED),
            (8, &Palette::RELAXED),
            (22, &Palette::FENCED),
            (12, &Palette::RELEASE_ACQUIRE),
            (12, &Palette::WITHOUT_SC),
            (6, &Palette::SC),
            (5, &Palette::SC_STORES),
            (4, &Palette::SC_LOADS),
            (11, &Palette::SC_AND_RELEASE_ACQUIRE),
        ];
        random.weighted(&PALETTES).clone()
    }
}
