# gcc has no switch to leave out the calls for plain accesses, so they are dropped when its output is assembled: `call` becomes
# a macro that emits nothing for them, and `callq`, which is the same instruction by another name, for everything else.
	.macro call target:vararg
	.ifc \target,__tsan_read8@PLT
	.else
	.ifc \target,__tsan_read8
	.else
	.ifc \target,__tsan_write8@PLT
	.else
	.ifc \target,__tsan_write8
	.else
	.ifc \target,__tsan_read4@PLT
	.else
	.ifc \target,__tsan_read4
	.else
	.ifc \target,__tsan_write4@PLT
	.else
	.ifc \target,__tsan_write4
	.else
	.ifc \target,__tsan_read1@PLT
	.else
	.ifc \target,__tsan_read1
	.else
	.ifc \target,__tsan_write1@PLT
	.else
	.ifc \target,__tsan_write1
	.else
	.ifc \target,__tsan_read2@PLT
	.else
	.ifc \target,__tsan_read2
	.else
	.ifc \target,__tsan_write2@PLT
	.else
	.ifc \target,__tsan_write2
	.else
	.ifc \target,__tsan_read16@PLT
	.else
	.ifc \target,__tsan_read16
	.else
	.ifc \target,__tsan_write16@PLT
	.else
	.ifc \target,__tsan_write16
	.else
	.ifc \target,__tsan_read_range@PLT
	.else
	.ifc \target,__tsan_read_range
	.else
	.ifc \target,__tsan_write_range@PLT
	.else
	.ifc \target,__tsan_write_range
	.else
	.ifc \target,__tsan_vptr_update@PLT
	.else
	.ifc \target,__tsan_vptr_update
	.else
	callq \target
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endif
	.endm
