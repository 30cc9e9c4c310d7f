"""Compile pool: compiles artifacts in worker processes, which see their text only.

A compiler like Triton's holds the interpreter's lock, and importing it costs more than compiling a
small kernel: so workers are processes, started when they are first needed. They serve all threads
of this process and stay for later calls, until they have had nothing to do for a while. An artifact
that takes too long, or takes its worker down, is dropped alone.

No worker outlives this process: it ends them when it ends, and where it is killed, they end
themselves. A process that is forked off it has workers of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ninetoothed import config
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.errors import DeviceError, NineToothedError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain.process import CompileProcess

IDLE_SECONDS = 30.0
"""How long a worker that has nothing to do is kept."""

# What ends a worker takes so long at most.
_END_SECONDS = 2.0

Result: TypeAlias = Binary | str
"""A binary, or the reason why there is none."""

_Done: TypeAlias = Callable[[str, Result], None]


def compile(
    artifacts: Iterable[Artifact], on_done: Callable[[int, Result], None] | None = None
) -> list[Result]:
    """The binary of each artifact, or the reason why it has none, in order.

    What was compiled before is found on disk. The rest goes to ``config.compile_workers()``
    processes, each artifact as soon as ``artifacts`` gives it: what makes the next one goes on
    beside them. With none of them, or where none can be started, it is compiled here, one artifact
    after the other. ``on_done`` is told the position and the result of each artifact as soon as it
    is there. What ends this early (Ctrl-C too) ends what was being compiled for this call alone.

    Raises:
        DeviceError: the compiler is not installed, or too old.
    """
    results: dict[str, Result] = {}
    positions: dict[str, list[int]] = {}
    keys: list[str] = []

    def tell(position: int, result: Result) -> None:
        if on_done is not None:
            on_done(position, result)

    def done(key: str, result: Result) -> None:
        results[key] = result
        for position in positions[key]:
            tell(position, result)

    def missing() -> Iterator[tuple[str, Artifact]]:
        for position, artifact in enumerate(artifacts):
            key = toolchain.binary_key(artifact)
            keys.append(key)
            if key in results:
                tell(position, results[key])
                continue
            positions.setdefault(key, []).append(position)
            if len(positions[key]) > 1:
                continue
            binary = artifact_store.load_binary(key)
            if binary is None:
                yield key, artifact
            else:
                done(key, binary)

    if workers := config.compile_workers():
        _pool.compile(missing(), workers, done)
    else:
        for key, artifact in missing():
            done(key, _pool.compile_here(key, artifact))
    return [results[key] for key in keys]


def prestart(target: Target | None = None) -> None:
    """Starts a worker, if there is none, without waiting for it.

    For where something will soon be compiled, most likely for ``target``. What goes wrong is told
    when it is.
    """
    with contextlib.suppress(NineToothedError):
        if config.compile_workers() and any(one.available() for one in toolchain.every()):
            _pool.prestart(target)


@dataclass(eq=False)
class _Job:
    """An artifact that waits for a worker, or has one; and where its result is waited for."""

    key: str
    artifact: Artifact
    timeout: int
    mailboxes: list[_Mailbox] = field(default_factory=list["_Mailbox"])
    server: _Server | None = None


@dataclass(frozen=True)
class _NotStarted:
    """In the place of a result: no worker can be started, and why."""

    reason: str


_Mailbox: TypeAlias = "queue.SimpleQueue[tuple[str, Result | _NotStarted | BaseException]]"


class _Pool:
    """The jobs, and the servers that take them."""

    def __init__(self) -> None:
        # Held for everything below. Entered by itself, not through the condition, whose methods in
        # Python an interrupt may end between taking the lock and giving it back.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiting: deque[_Job] = deque()
        # Those that wait and those that have a server, by key.
        self._jobs: dict[str, _Job] = {}
        # Those that take jobs, and those that have a process, which may be about to end.
        self._serving: set[_Server] = set()
        self._alive: set[_Server] = set()
        self._environment: object = None
        # Held while this process compiles.
        self._here = threading.Lock()

    def compile(self, wanted: Iterable[tuple[str, Artifact]], workers: int, done: _Done) -> None:
        """Compiles what is ``wanted``, each with a key, with at most ``workers`` processes."""
        mailbox: _Mailbox = queue.SimpleQueue()
        left: dict[str, Artifact] = {}
        timeout = config.compile_timeout()
        try:
            for key, artifact in wanted:
                left[key] = artifact
                with self._lock:
                    self._renew()
                    job = self._jobs.get(key)
                    if job is None:
                        job = self._jobs[key] = _Job(key, artifact, timeout, [mailbox])
                        self._waiting.append(job)
                    else:
                        job.mailboxes.append(mailbox)
                    self._start(min(workers, len(self._jobs)) - len(self._serving))
                    self._changed.notify_all()
            while left:
                key, result = mailbox.get()
                artifact = left.pop(key)
                if isinstance(result, BaseException):
                    raise result
                if isinstance(result, _NotStarted):
                    _warn(result.reason)
                    result = self.compile_here(key, artifact)
                done(key, result)
        finally:
            if left:
                self._abandon(mailbox)

    def compile_here(self, key: str, artifact: Artifact) -> Result:
        """Compiles in this process."""
        with self._here:
            binary = artifact_store.load_binary(key)
            if binary is not None:
                return binary
            try:
                binary = toolchain.of(artifact.target).compile_binary(artifact)
            except DeviceError:
                raise
            except NineToothedError as error:
                return error.message
            artifact_store.store_binary(key, binary)
            return binary

    def prestart(self, target: Target | None) -> None:
        """Starts a server, if none is there."""
        with self._lock:
            self._renew()
            if not self._serving:
                self._start(1, target)

    def close(self) -> None:
        """Ends all processes. What is being compiled has no result."""
        with self._lock:
            self._retire()
            servers = list(self._alive)
        for server in servers:
            server.kill()
        for server in servers:
            server.join(_END_SECONDS)

    def forget(self) -> None:
        """In a forked process: lets go of what belongs to its parent."""
        for server in self._alive:
            server.forget()

    def take(self, server: _Server) -> _Job | None:
        """The next job for a server; None: it should end."""
        with self._lock:
            deadline = time.monotonic() + IDLE_SECONDS
            while server in self._serving:
                if self._waiting:
                    job = self._waiting.popleft()
                    job.server = server
                    return job
                left = deadline - time.monotonic()
                if left <= 0:
                    self._serving.discard(server)
                    break
                self._changed.wait(left)
            return None

    def finish(self, job: _Job, result: Result | BaseException) -> None:
        """Sends the result to those who wait for it."""
        with self._lock:
            # What was given up has gone, and another of its name may have come.
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
            for mailbox in job.mailboxes:
                mailbox.put((job.key, result))

    def left(self, server: _Server, failure: str | None) -> None:
        """A server ends; ``failure``: why it could not start."""
        with self._lock:
            self._alive.discard(server)
            if server not in self._serving:
                return
            self._serving.discard(server)
            if failure is None:
                # A job has taken its process down: the others need another.
                self._replace(1)
            elif not self._serving:
                self._refuse(failure)

    def _start(self, count: int, target: Target | None = None) -> None:
        """Starts servers. With the lock held."""
        atexit.unregister(_close)
        atexit.register(_close)
        for _ in range(count):
            server = _Server(self, target)
            try:
                server.start()
            except RuntimeError as error:
                # No more threads: there are too many, or the interpreter is ending.
                if not self._serving:
                    self._refuse(str(error))
                return
            # An interrupt that comes before leaves one that ends by itself.
            self._serving.add(server)
            self._alive.add(server)

    def _replace(self, count: int) -> None:
        """Starts servers for as many that have gone, if jobs wait for them. With the lock held."""
        self._start(min(len(self._waiting), count))

    def _refuse(self, reason: str) -> None:
        """Gives the waiting jobs back. With the lock held."""
        while self._waiting:
            job = self._waiting.popleft()
            del self._jobs[job.key]
            for mailbox in job.mailboxes:
                mailbox.put((job.key, _NotStarted(reason)))

    def _renew(self) -> None:
        """Retires servers whose processes run in another environment. With the lock held."""
        settings = [one.settings(os.environ) for one in toolchain.every()]
        environment = (settings, config.cache_dir())
        if environment != self._environment:
            self._environment = environment
            self._retire()

    def _retire(self) -> None:
        """Lets servers end behind their jobs. With the lock held."""
        self._serving.clear()
        self._changed.notify_all()

    def _abandon(self, mailbox: _Mailbox) -> None:
        """Ends what only ``mailbox`` waits for."""
        servers: list[_Server] = []
        with self._lock:
            for job in list(self._jobs.values()):
                if mailbox not in job.mailboxes:
                    continue
                job.mailboxes.remove(mailbox)
                if job.mailboxes:
                    continue
                # Whoever asks for it from now on has it compiled anew.
                del self._jobs[job.key]
                if job.server is not None:
                    servers.append(job.server)
                # An interrupt may have come before it was put there.
                elif job in self._waiting:
                    self._waiting.remove(job)
            # What is killed takes nothing else first.
            self._serving.difference_update(servers)
            self._replace(len(servers))
            alone = not self._jobs
        if alone:
            # Nobody else compiles: nothing at all is left behind.
            self.close()
        for server in servers:
            server.kill()


class _Server(threading.Thread):
    """Sends jobs to one process. The process is this thread's child and ends before it does."""

    def __init__(self, pool: _Pool, target: Target | None) -> None:
        super().__init__(name="ninetoothed-compile", daemon=True)
        self._pool = pool
        self._target = target
        self._lock = threading.Lock()
        self._process: CompileProcess | None = None
        self._killed = False

    def run(self) -> None:
        """Serves until there is nothing to do, or the process has ended."""
        failure: str | None = None
        try:
            failure = self._begin()
            process = self._process
            while failure is None and process is not None and not process.ended:
                job = self._pool.take(self)
                if job is None:
                    break
                self._pool.finish(job, _result(process, job))
        finally:
            if self._process is not None:
                self._process.close()
            self._pool.left(self, failure)

    def kill(self) -> None:
        """Ends the process at once, or keeps it from starting. May be called from any thread."""
        with self._lock:
            self._killed = True
            process = self._process
        if process is not None:
            process.kill()

    def forget(self) -> None:
        """In a forked process: closes what it has inherited."""
        if self._process is not None:
            self._process.forget()

    def _begin(self) -> str | None:
        """Starts the process; None once it takes artifacts, or why it never will."""
        with self._lock:
            if self._killed:
                return "it was ended"
            try:
                self._process = CompileProcess(self._target)
            # Whatever it is, there is no process.
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        return self._process.wait_until_ready()


def _result(process: CompileProcess, job: _Job) -> Result | BaseException:
    """Result of a job; an exception is for those who wait for it."""
    try:
        # Another process may have compiled it since it was asked for.
        binary = artifact_store.load_binary(job.key)
        if binary is not None:
            return binary
        result = process.compile(job.artifact, job.timeout)
        if isinstance(result, Binary):
            artifact_store.store_binary(job.key, result)
        return result
    except BaseException as error:
        return error


def _warn(reason: str) -> None:
    warnings.warn(
        f"configurations are compiled one after the other: no process can be started for them "
        f"({reason}); NINETOOTHED_COMPILE_WORKERS=0 compiles without any",
        RuntimeWarning,
        stacklevel=4,
    )


_pool = _Pool()


def _close() -> None:
    _pool.close()


def _forget() -> None:
    global _pool
    inherited, _pool = _pool, _Pool()
    inherited.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
