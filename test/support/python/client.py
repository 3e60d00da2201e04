"""Has a program run by `server.py`, with the streams, the environment and the folder of this process."""

import os
import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
socket.send_fds(connection, [b"."], [0, 1, 2])
entries = [f"{name}={value}" for name, value in os.environ.items()]
texts = [*entries, "", os.getcwd(), *sys.argv[2:]]
connection.sendall("".join(f"{text}\0" for text in texts).encode(errors="surrogateescape"))
connection.shutdown(socket.SHUT_WR)
code = connection.recv(1)
sys.exit(code[0] if code else 1)
