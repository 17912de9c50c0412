"""A program on a pseudo-terminal, watched from outside."""
import fcntl, os, pty, re, select, signal, struct, subprocess, termios, time

ESCAPE = re.compile(rb"\x1b(\[[0-9;?<>=!]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-Za-z]|[ -~])")
HERE = os.path.dirname(os.path.abspath(__file__))
APUS = os.path.join(HERE, "..", "..", ".build", "release", "apus")


def bare_ncurses(folder):
    """The smallest ncurses program in C, built into a folder."""
    program = os.path.join(folder, "hello")
    source = os.path.join(HERE, "hello.c")
    subprocess.run(["cc", "-O2", "-o", program, source, "-lncursesw", "-ltinfo"], check=True)
    return program


def start(command, folder, columns=120, lines=40):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", HOME=folder, XDG_CACHE_HOME=folder)
        os.execv(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    return pid, fd


def first_frame(command, folder, text=None):
    """Milliseconds from exec to a text, or to 20 visible characters."""
    begun = time.perf_counter()
    pid, fd = start(command, folder)
    data, is_there = b"", False
    while not is_there:
        data += os.read(fd, 65536)
        visible = re.sub(rb"\s", b"", ESCAPE.sub(b"", data))
        is_there = text in visible if text else len(visible) >= 20
    return (time.perf_counter() - begun) * 1000, pid, fd


def read_for(fd, seconds):
    data, end = b"", time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        if select.select([fd], [], [], left)[0]:
            data += os.read(fd, 65536)
    return data


def processor_seconds(pid):
    fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid):
    return int(open("/proc/%d/statm" % pid).read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def finish(pid, fd):
    os.kill(pid, signal.SIGTERM)
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.close(fd)
    os.waitpid(pid, 0)
