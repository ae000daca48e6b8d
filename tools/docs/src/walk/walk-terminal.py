# A terminal for a test: bash on a pseudo-terminal. Types standard input into the terminal, and writes to standard
# output what the terminal shows. The terminal is wide, shows no prompts and doesn't echo. Bash has no line editor, so
# pasted text stays in the terminal until bash, or a command that asks a question, reads it.
import fcntl
import os
import pty
import select
import struct
import sys
import termios

ROWS, COLUMNS = 50, 2_000

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1="", PS2="", TERM="xterm")
    os.execvp("bash", ["bash", "--noprofile", "--norc", "--noediting", "-i"])

settings = termios.tcgetattr(terminal)
settings[3] &= ~termios.ECHO
termios.tcsetattr(terminal, termios.TCSANOW, settings)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
sources = [0, terminal]
typed = b""
while True:
    readable, writable, _ = select.select(sources, [terminal] if typed else [], [])
    if 0 in readable:
        data = os.read(0, 65_536)
        typed += data
        if data == b"":
            sources.remove(0)
    if writable:
        typed = typed[os.write(terminal, typed[:512]) :]
    if terminal in readable:
        try:
            shown = os.read(terminal, 65_536)
        except OSError:  # bash has ended
            break
        if shown == b"":
            break
        os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
