"""Does for one service what systemd does: keeps its socket, starts it by LISTEN_FDS, and hears what it tells by sd_notify.

argv: the kind of socket (tcp, unix, udp, file or none), how many are said to be handed over, the command.
stdout: where it listens, then "started PID", "told DATAGRAM" and "ended STATUS". stdin: a line for each start.
"""

import os
import socket
import sys
import tempfile
import threading

KIND, COUNT, *COMMAND = sys.argv[1:]


def say(*words):
    print(*words, flush=True)


def listen(folder):
    if KIND == "file":
        return open(os.path.join(folder, "file"), "w")
    if KIND == "unix":
        kept = socket.socket(socket.AF_UNIX)
        kept.bind(os.path.join(folder, "listen"))
    else:
        kept = socket.socket(type=socket.SOCK_DGRAM if KIND == "udp" else socket.SOCK_STREAM)
        kept.bind(("127.0.0.1", 0))
    if KIND != "udp":
        kept.listen(4096)
    if KIND != "unix":
        say("listening", kept.getsockname()[1])
    return kept


def hear(told):
    while True:
        # What asks whether all was heard has its answer when its descriptor is closed, which it is here.
        if (text := told.recv(4096).decode().strip()) != "BARRIER=1":
            say("told", text)


def run(kept, notify):
    pid = os.fork()
    if pid == 0:
        os.dup2(kept.fileno(), 3)
        # It may be the same already, and then nothing was copied.
        os.set_inheritable(3, True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        given = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": COUNT, "NOTIFY_SOCKET": notify}
        os.execvpe(COMMAND[0], COMMAND, {**os.environ, **given})
    say("started", pid)
    _, status = os.waitpid(pid, 0)
    say("ended", os.waitstatus_to_exitcode(status))


with tempfile.TemporaryDirectory() as folder:
    kept = listen(folder)
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(os.path.join(folder, "notify"))
    threading.Thread(target=hear, args=[told], daemon=True).start()
    for _ in sys.stdin:
        run(kept, os.path.join(folder, "notify"))
