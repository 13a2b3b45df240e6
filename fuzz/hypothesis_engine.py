"""The Hypothesis engine: rounds of fresh seeds, each in a fresh process, for one long run grows without bound.

Hypothesis draws the programs; ours shrinks and stores. A failure is raised the first time, so that the database keeps
it and the next machine that shares the database plays it first; known failures are swallowed, and the search goes on.
"""

import contextlib
import time
import zlib
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase, MultiplexedDatabase

from fuzz.blind import LONG_BYTE
from fuzz.store import Infrastructure
from fuzz.targets import SEAM, Target
from fuzz.worker import Worker
from properties.cases.programs import PROGRAM_ALPHABET, op, to_bytes

CASES = 10_000  # of a round
FROM_CORPUS = 200  # inputs of the corpus that a round plays first
ALPHABET = PROGRAM_ALPHABET.replace(op(0xFF), "")  # that byte is the seam


class _Keeping(ExampleDatabase):
    """A database from which nothing is deleted: what is masked here is still news to the next machine."""

    def __init__(self, database: ExampleDatabase) -> None:
        super().__init__()
        self.database = database

    def fetch(self, key: bytes) -> Any:
        """What is stored."""
        return self.database.fetch(key)

    def save(self, key: bytes, value: bytes) -> None:
        """Store it."""
        self.database.save(key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Keep it."""


class _Over(BaseException):
    """Ends a round."""


def run_hypothesis(worker: Worker) -> None:
    """One round for each target in focus."""
    for number in worker.job.focus:
        end = time.monotonic() + worker.job.seconds
        started = time.monotonic()
        _play_corpus(worker, number, end)
        with contextlib.suppress(_Over):
            _round(worker, number, end)
        worker.counts[number].seconds += time.monotonic() - started
        worker.flush(number)


def _play_corpus(worker: Worker, number: int, end: float) -> None:
    """What other engines found worth keeping."""
    folder = worker.folder.corpus / worker.targets[number].name
    paths = sorted(folder.glob("*"))[worker.job.rounds % 7 :: 7][:FROM_CORPUS] if folder.is_dir() else []
    for path in paths:
        if time.monotonic() < end and not worker.stopped and path.is_file():
            worker.attempt(number, -1, path.read_bytes()[:4096])


def _round(worker: Worker, number: int, end: float) -> None:
    job, target = worker.job, worker.targets[number]
    tried, news = 0, set[tuple[str, ...]]()

    def body(programs: tuple[str, ...]) -> None:
        nonlocal tried
        if programs in news:  # Hypothesis tries once more what failed: it must fail again
            raise AssertionError("news")
        tried += 1
        if worker.stopped or worker.renew or time.monotonic() > end:
            raise _Over
        if tried % 16 == 0:
            worker.flush(number)
        seen = len(worker.known)
        held = worker.attempt(number, tried, SEAM.join(map(to_bytes, programs)))
        if not held and len(worker.known) > seen:
            worker.flush(number)
            news.add(programs)
            raise AssertionError("news")

    # The key of the database is a digest of this function: it must differ from target to target and plug-in to plug-in.
    body.__qualname__ = body.__name__ = f"fuzz_{target.name}".replace("-", "_")
    test: Any = given(_programs(target))(body)
    test.hypothesis.inner_test._hypothesis_internal_add_digest = f"{target.name} {job.impl_name}".encode()
    test = seed(zlib.crc32(f"{job.seed} {target.name} {job.rounds * job.step + job.first}".encode()))(test)
    # A round ends for many reasons; what counts is in the journal.
    try:
        settings(
            max_examples=CASES,
            database=database_of(job.database, worker),
            deadline=None,
            derandomize=False,
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            print_blob=False,
        )(test)()
    except AssertionError as error:
        if str(error) != "news":
            raise


def _programs(target: Target) -> st.SearchStrategy[tuple[str, ...]]:
    texts = [st.text(ALPHABET, min_size=low, max_size=high) for low, high in target.sizes]
    if len(texts) > 1:  # now and then a long one
        low, high = target.sizes[1]
        long = st.text(ALPHABET, min_size=low, max_size=high - 1).map(lambda text: op(LONG_BYTE) + text)
        texts[1] = st.one_of([texts[1]] * 15 + [long])
    return st.tuples(*texts)


def database_of(address: str | None, worker: Worker) -> ExampleDatabase:
    """The folder's own database, and with it the one that several machines share.

    Raises `Infrastructure` where that cannot be reached.
    """
    own = DirectoryBasedExampleDatabase(worker.folder.root / "hypothesis")
    if address is None:
        return _Keeping(own)
    return _Keeping(MultiplexedDatabase(own, shared_database(address)))


def shared_database(address: str) -> ExampleDatabase:
    """Hypothesis' own Redis database, or a folder. Raises `Infrastructure` where it cannot be reached."""
    if not address.startswith(("redis://", "rediss://", "unix://")):
        return DirectoryBasedExampleDatabase(address)
    try:
        import redis
        from hypothesis.extra.redis import RedisExampleDatabase
    except ImportError:
        raise Infrastructure("--database redis:// needs the package redis: pip install -e '.[redis]'") from None
    client = redis.Redis.from_url(address, socket_timeout=10)
    try:
        client.ping()
    except redis.RedisError as error:
        raise Infrastructure(f"no Redis answers at {address}: {error}") from None
    return RedisExampleDatabase(client)
