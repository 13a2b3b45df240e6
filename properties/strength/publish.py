"""The two long runs of `strength`: the kill matrix that is published, and the ratchet that holds the suite to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from implementations.plugged import Implementation
from properties.claims import Claim, all_claims
from properties.strength.document import document_of
from properties.strength.matrix import Matrix, jobs_of, write_order
from properties.strength.progress import rows_of, with_progress
from properties.strength.ratchet import (
    blind_claims,
    calibration,
    complaints,
    read_record,
    record_of,
    witness_jobs,
    write_record,
)
from properties.strength.runs import AT_ONCE, Job, claims_in_order, implementations_of
from properties.strength.table import Row

PLANTED = "tests/known_wrong/*.py:Bad*"
RIGHT = "tests/known_right/*.py:Right*"
NULLS = "tests/known_wrong/nulls.py:Null*"
NOT_IN_THE_MATRIX = ("ENC-20", "GRO", "PUB")  # seconds for each tokenizer, or asked of published vocabularies only
LIMIT = 300.0  # seconds for one tokenizer

Named = dict[tuple[str, str], Implementation]


def publish(path: Path, call_limit: float, journal: Path | None, processes: int = AT_ONCE) -> list[Row]:
    """Try every planted bug on every claim, write the document, the order of the claims and the record."""
    loop = calibration()
    planted, right, nulls = (_named(spec) for spec in (PLANTED, RIGHT, NULLS))
    claims = [claim for claim in all_claims() if not claim.id.startswith(NOT_IN_THE_MATRIX)]
    matrix = matrix_of(planted, claims, call_limit, journal, processes)
    write_order(matrix)
    rows = first_refutations(planted, call_limit, journal, processes)
    passing = _passed_by(nulls, claims, call_limit, journal, processes)
    checked = rows_of(_until_refuted(right, 10.0, "must", "passed"), right, "passed", journal, processes)
    write_record(record_of(matrix, rows, (loop + calibration()) / 2))
    by_name = {name: one for (_, name), one in planted.items()}
    path.write_text(document_of(matrix, rows, checked, passing, by_name, "quick"))
    return rows


def hold(call_limit: float, journal: Path | None, processes: int = AT_ONCE) -> list[str]:
    """What the ratchet complains of: survivors, claims that went blind, slower kills. Empty where all is well."""
    record = read_record()
    planted = _named(PLANTED)
    loop = calibration()
    jobs = witness_jobs(record, planted, call_limit)
    blind = blind_claims(record, list(with_progress(jobs, planted, journal, processes)))
    rows = first_refutations(planted, call_limit, journal, processes)
    return complaints(record, rows, blind, (loop + calibration()) / 2)


def matrix_of(
    implementations: Named, claims: Sequence[Claim], call_limit: float, journal: Path | None, processes: int
) -> Matrix:
    """Every tokenizer on every claim with the quick budget; what survives that once more with the default one."""
    matrix = Matrix()
    for budget in ("quick", "default"):
        left = [one for one in implementations.values() if one.name not in matrix.cells or one.name in matrix.survivors]
        jobs = jobs_of(left, claims, budget, call_limit, LIMIT)
        for job, run in with_progress(jobs, implementations, journal, processes):
            matrix.add(job, run)
    return matrix


def first_refutations(implementations: Named, call_limit: float, journal: Path | None, processes: int) -> list[Row]:
    """Each tokenizer until it is refuted, with the default budget."""
    jobs = _until_refuted(implementations, call_limit, "all")
    return rows_of(jobs, implementations, "refuted", journal, processes)


def _until_refuted(implementations: Named, call_limit: float, level: str, expect: str = "refuted") -> list[Job]:
    order = tuple(claim.id for claim in claims_in_order((), level))
    return [Job(spec, name, order, 0, "default", call_limit, LIMIT, expect) for spec, name in implementations]


def _passed_by(
    nulls: Named, claims: Sequence[Claim], call_limit: float, journal: Path | None, processes: int
) -> Mapping[str, list[str]]:
    passed: dict[str, list[str]] = {name: [] for _, name in nulls}
    jobs = jobs_of(nulls.values(), claims, "quick", call_limit, LIMIT)
    for job, run in with_progress(jobs, nulls, journal, processes):
        if run.refuted is False and run.examples:
            passed[job.name].append(job.claims[0])
    return {name: sorted(ids, key=[claim.id for claim in claims].index) for name, ids in passed.items()}


def _named(spec: str) -> Named:
    return {(one.spec, one.name): one for one in implementations_of(spec)}
