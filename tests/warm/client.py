"""A `python` whose processes begin with torch in memory, for tests in which the start of Python is not what is tested.

    FOLDER/python [python's arguments]     # this file, beside a socket

The program runs in a child of the process behind the socket (interpreter.py), with the arguments, the environment, the
folder and the streams of this one, which waits for its end, hands on interrupts, and ends as the child did. What that
process cannot do runs in an interpreter of its own.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main() -> None:
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    channel.connect(os.path.join(os.path.dirname(sys.argv[0]), "socket"))
    request = {
        "python": sys.argv[0],
        "arguments": sys.argv[1:],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    data = json.dumps(request).encode()
    socket.send_fds(channel, [len(data).to_bytes(8, "big")], [0, 1, 2])
    channel.sendall(data)
    answers = channel.makefile("r")
    process = json.loads(answers.readline())
    if process is None:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR2):
        signal.signal(number, lambda number, _: os.kill(process, number))
    status = json.loads(answers.readline())
    if status < 0:
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


main()
