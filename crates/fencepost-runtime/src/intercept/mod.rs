pub(crate) fn start() {}
pub(crate) struct Block { pub base: usize, pub size: usize, pub tid: u32, pub site: u32 }
pub(crate) fn block_of(_: usize) -> Option<Block> { None }
pub(crate) fn stack_owner(_: usize) -> Option<u32> { None }
