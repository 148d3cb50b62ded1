# Commands of `assay replay --under gdb` for gdb: stop where the executor makes a finding or where the worst element is
# written, and show the kernel's line there.
import gdb


def in_kernel(frame):
    symtab = frame.find_sal().symtab
    return symtab is not None and symtab.filename.endswith((".cu", ".cuh"))


def select_kernel():
    frame = gdb.newest_frame()
    while frame is not None and not in_kernel(frame):
        frame = frame.older()
    if frame is None:
        return
    frame.select()
    gdb.execute("frame")


def register(name):
    return int(gdb.parse_and_eval("(unsigned long)$" + name))


class Watch(gdb.Breakpoint):
    def stop(self):
        print("assay: going on to where the worst element is written")
        gdb.Breakpoint("*(char (*)[%d])%d" % (register("rsi"), register("rdi")), gdb.BP_WATCHPOINT)
        return False


def on_stop(event):
    breakpoints = getattr(event, "breakpoints", [])
    if finding in breakpoints:
        print("assay: " + gdb.parse_and_eval("(char*)$rdi").string())
        sp, pc = register("rsi"), register("rdx")
        if pc != 0:
            print("assay: the thread waits; its stack is shown, and the program cannot go on from here")
            gdb.execute("set $rsp = %d" % sp)
            gdb.execute("set $rip = %d" % pc)
    select_kernel()


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("set print thread-events off")
gdb.execute("set debuginfod enabled off")
finding = gdb.Breakpoint("assay_finding")
Watch("assay_watch")
gdb.events.stop.connect(on_stop)
gdb.execute("run")
