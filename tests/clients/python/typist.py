"""Types into a program on a terminal of its own and prints what the terminal was sent: text, then program and arguments.

The text is typed once the program has printed something, a pause in place of each \\x00 in it."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

PAUSE_S, LIMIT_S = 0.4, 20
ROWS, COLUMNS = 40, 160
pid, terminal = pty.fork()
if pid == 0:
    # Without a size, the program would ask the terminal where its cursor is.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[2], sys.argv[2:])


def show(seconds):
    """Hands on what the program writes until it has been silent for so long; False at its end."""
    while time.monotonic() - started < LIMIT_S and select.select([terminal], [], [], seconds)[0]:
        try:
            written = os.read(terminal, 65536)
        except OSError:
            return False
        if not written:
            return False
        sys.stdout.buffer.write(written)
    return True


started = time.monotonic()
select.select([terminal], [], [], LIMIT_S)
show(PAUSE_S)
for words in sys.argv[1].encode().decode("unicode_escape").split("\x00"):
    os.write(terminal, words.encode())
    show(PAUSE_S)
show(PAUSE_S)
sys.stdout.flush()
