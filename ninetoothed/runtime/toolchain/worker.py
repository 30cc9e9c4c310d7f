"""A compile worker's own code: compiles one artifact after the other.

Run as ``python -m ninetoothed.runtime.toolchain.worker FOLDER``, where ``FOLDER`` is the one for
its temporary files and for those of what it runs. It writes ``{"ready": true}`` once the compiler
is imported. Then it reads lines of JSON: for ``{"artifact": text}`` it writes ``{"binary": text}``,
or ``{"reason": text}`` where it cannot be compiled; ``{"target": …}`` has no answer, and lets it
compile a kernel of nothing for that target as long as nothing else is asked for, since what a
compiler does first takes it longer.

It imports neither torch nor user code. When stdin ends, or its parent has gone, it ends at once,
and what it runs (ptxas) with it; and it removes the folder, since a parent that was killed cannot.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import shutil
import signal
import sys
import threading
from typing import Any

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import NineToothedError
from ninetoothed.runtime import toolchain

# A parent whose pipe another process holds open is missed after so long.
_PARENT_SECONDS = 0.5


def main(folder: str) -> None:
    """Serves requests until stdin ends, and then removes ``folder``."""
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    # A compiler lets other threads run while it compiles.
    threading.Thread(target=_listen, args=(requests, folder), daemon=True).start()
    # Compilers print to stdout: the replies go to a copy of it, and stdout joins stderr.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    for one in toolchain.every():
        if one.available():
            one.prepare()
    reply({"ready": True})
    while True:
        request = requests.get()
        if "target" in request:
            _warm_up(Target(**request["target"]), requests)
        else:
            reply(_compiled(request["artifact"]))


def _compiled(text: str) -> dict[str, str]:
    try:
        artifact = Artifact.from_json(text)
        return {"binary": toolchain.of(artifact.target).compile_binary(artifact).to_json()}
    except NineToothedError as error:
        return {"reason": error.message}


def _warm_up(target: Target, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    # What is wrong shows with the first artifact.
    with contextlib.suppress(Exception):
        for _ in toolchain.of(target).rehearse(target):
            if not requests.empty():
                return


def _listen(requests: queue.SimpleQueue[dict[str, Any]], folder: str) -> None:
    try:
        _receive(requests)
    finally:
        # Whatever the reason is: nobody else would notice that the parent has gone.
        _end(folder)


def _receive(requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queues the requests, until there can be none."""
    parent = os.getppid()
    received = b""
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], _PARENT_SECONDS)
        if not ready:
            continue
        part = os.read(0, 1 << 16)
        if not part:
            return
        *lines, received = (received + part).split(b"\n")
        for line in lines:
            requests.put(json.loads(line))


def _end(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
