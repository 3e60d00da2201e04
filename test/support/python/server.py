"""Runs Python programs of the tests in copies of a process that has the large libraries loaded.

A connection sends its standard streams, then its environment, an empty text, its folder and its words, each ended by a
NUL; it gets the exit code. Ends with its standard input.
"""

import atexit
import importlib
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import traceback

# None of them starts threads when it is imported: a copy of the process would not have them.
LIBRARIES = [
    "netCDF4",
    "xarray",
    "geopandas",
    "pycontrails.models.cocip",
    "pycontrails.models.cocipgrid",
    "pycontrails.models.humidity_scaling",
    "pycontrails.models.ps_model",
]  # fmt: skip


def serve(path: str) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    waiting = selectors.DefaultSelector()
    waiting.register(server, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    while not any(key.fileobj is sys.stdin for key, _ in waiting.select()):
        connection, _ = server.accept()
        load_libraries()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            server.close()
            answer(connection)
        connection.close()


def load_libraries() -> None:
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # A program that needs it says so.


def answer(connection: socket.socket) -> None:
    code = 1
    try:
        environment, folder, words = receive(connection)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
        code = run(words)
    except BaseException:
        traceback.print_exc()
    # What the interpreter does at its end: pools end their threads first, and the others are waited for.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([code & 0xFF]))
    os._exit(0)


def receive(connection: socket.socket) -> tuple[dict[str, str], str, list[str]]:
    data, streams, _, _ = socket.recv_fds(connection, 1, 3)
    for own, stream in enumerate(streams):
        os.dup2(stream, own)
        os.close(stream)
    with connection.makefile("rb") as file:
        texts = file.read().decode(errors="surrogateescape").split("\0")[:-1]
    end = texts.index("")
    folder, *words = texts[end + 1 :]
    return dict(entry.split("=", 1) for entry in texts[:end]), folder, words


def run(words: list[str]) -> int:
    """As `python -c TEXT …` or `python FILE …` does."""
    try:
        if words[0] == "-c":
            sys.argv = ["-c", *words[2:]]
            sys.path.insert(0, "")
            exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = words
            sys.path.insert(0, os.path.dirname(os.path.abspath(words[0])))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return ending.code or 0
        print(ending.code, file=sys.stderr)
        return 1
    return 0


serve(sys.argv[1])
