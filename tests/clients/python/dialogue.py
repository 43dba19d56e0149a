"""Types into a program on a terminal of its own, each text once the one before it was answered, and prints what was shown.

Arguments: steps as JSON, [awaited, typed] each, then program and arguments. A text is awaited behind the last awaited one.
Exits with 1 if one was not shown."""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

LIMIT_S = 60
ROWS, COLUMNS = 40, 160
steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    # Without a size, the program would ask the terminal where its cursor is.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[2], sys.argv[2:])

shown = b""
end = time.monotonic() + LIMIT_S


def read():
    """Reads what the program writes; False at its end, or if the time is over."""
    global shown
    if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        return False
    try:
        written = os.read(terminal, 65536)
    except OSError:
        return False
    shown += written
    return bool(written)


at = 0
for awaited, typed in steps:
    while (found := shown.find(awaited.encode(), at)) == -1:
        if not read():
            break
    if found == -1:
        print(f"{awaited!r} is missing in:")
        break
    at = found + len(awaited.encode())
    os.write(terminal, typed.encode())
while found != -1 and read():
    pass
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(found == -1)
