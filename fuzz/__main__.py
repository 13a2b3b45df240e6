"""`python -m fuzz`: campaigns, and what they find."""

import importlib.util
import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from fuzz.findings import BrokenFinding, Finding, keep, path_of, stored
from fuzz.once import Request, ask
from fuzz.probe import Usage, probe
from fuzz.store import FolderBusy, Infrastructure
from fuzz.supervisor import ENGINES, FOUND, INFRASTRUCTURE, USAGE, Campaign, Options
from fuzz.targets import NoSuchTarget
from fuzz.targets import targets as targets_of
from properties.stored.regressions import REGRESSIONS, MalformedRegression

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Look for counterexamples for hours, and keep what is found."
)
OUT = Path("fuzz-out")
CANARY = str(Path(__file__).with_name("canary.py")) + ":Canary"


def span(text: str) -> float:
    """The seconds of `90`, `90s`, `10m`, `8h` or `1h30m`. Raises `ValueError`.

    >>> span("1h30m"), span("90"), span("0.5m")
    (5400.0, 90.0, 30.0)
    """
    if re.fullmatch(r"[\d.]+", text):
        return float(text)
    parts = re.fullmatch(r"(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s)?", text)
    if not text or parts is None:
        raise ValueError(f"{text!r} is no length of time, such as 8h, 10m, 90s or 1h30m")
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return 3600 * hours + 60 * minutes + seconds


def _shard(text: str) -> tuple[int, int]:
    parts = re.fullmatch(r"(\d+)/(\d+)", text)
    if parts is None or not 1 <= int(parts[1]) <= int(parts[2]):
        raise ValueError(f"--shard={text} is not of the form i/n with i from 1 to n")
    return int(parts[1]), int(parts[2])


def _engines(names: list[str]) -> list[str]:
    chosen = list(dict.fromkeys(name for part in names for name in part.split(",")))
    if "all" in chosen:
        return list(ENGINES)
    for name in chosen:
        if name not in ENGINES:
            raise ValueError(f"no engine named {name!r}; there are {', '.join(ENGINES)}, all")
    return chosen


def _fail(message: object, status: int) -> typer.Exit:
    typer.echo(f"fuzz: {message}", err=True)
    return typer.Exit(status)


@app.command()
def run(
    impl: Annotated[str, typer.Option(help="What to test: heap, pkg.module:Attr, path/to/file.py:Attr, cmd:PROGRAM.")],
    targets: Annotated[
        list[str] | None, typer.Option(help="Globs of claims, or state, files, ids. Repeatable.")
    ] = None,
    engine: Annotated[list[str] | None, typer.Option(help="blind (default), atheris, hypothesis or all.")] = None,
    time: Annotated[str, typer.Option(help="How long: 8h, 10m, 90s.")] = "1h",
    workers: Annotated[int, typer.Option(help="Processes; 0 for one each core.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="The campaign's folder.", show_default="fuzz-out/IMPL")] = None,
    shard: Annotated[str, typer.Option(help="i/n: the part of this machine of n that share a seed.")] = "1/1",
    corpus: Annotated[Path | None, typer.Option(help="A folder of inputs that machines share.")] = None,
    canary: Annotated[
        str | None, typer.Option(help="Search for a planted bug as well: [SPEC], or the one shipped.")
    ] = None,
    rss_limit: Annotated[int, typer.Option(help="Megabytes for a worker; 0 for no limit.", min=0)] = 2048,
    call_limit: Annotated[float, typer.Option(help="Seconds for one call of the plug-in.", min=0.01)] = 5.0,
    seed: Annotated[int, typer.Option(help="Case i of a seed is always the same case.")] = 0,
    database: Annotated[
        str | None, typer.Option(help="redis://… or a folder: failures that machines play one another.")
    ] = None,
    level: Annotated[str, typer.Option(help="must or all: which findings make the exit status 1.")] = "must",
    report_every: Annotated[str, typer.Option(help="How often lines are printed where there is no terminal.")] = "60s",
    stop_at: Annotated[int, typer.Option(help="Stop after so many findings; 0: go on.", min=0)] = 0,
    merge_every: Annotated[str, typer.Option(help="How often atheris' corpora are merged.")] = "10m",
) -> None:
    """Search. Exit status: 0 no finding, 1 findings, 2 usage, 3 something around it is broken, 130 interrupted."""
    from fuzz.view import View, closing, console

    try:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", impl.removeprefix("cmd:")).strip("-")[-80:]
        options = Options(
            impl=impl,
            out=out or OUT / name,
            targets=[glob for part in targets or [] for glob in part.split(",")],
            engines=_engines(engine or ["blind"]),
            seconds=span(time),
            workers=workers or os.cpu_count() or 1,
            shard=_shard(shard),
            corpus=corpus,
            canary=canary,
            rss_limit=rss_limit,
            call_limit=call_limit,
            seed=seed,
            database=database,
            level=level,
            report_every=span(report_every),
            merge_every=span(merge_every),
            stop_at=stop_at,
        )
        if level not in ("must", "all"):
            raise ValueError(f"no level named {level!r}; there are must, all")
        if "atheris" in options.engines and "all" not in (engine or []) and not _is_there("atheris"):
            raise Infrastructure("--engine atheris needs the package atheris (Linux): pip install -e '.[fuzz]'")
    except ValueError as error:
        raise _fail(error, USAGE) from None
    except Infrastructure as error:
        raise _fail(error, INFRASTRUCTURE) from None
    view = View(console(), options.report_every)
    try:
        campaign = Campaign(options, view.say)
        with view:
            status = campaign.run(view)
    except (Usage, FolderBusy, NoSuchTarget) as error:
        raise _fail(error, USAGE) from None
    except Infrastructure as error:
        raise _fail(error, INFRASTRUCTURE) from None
    for line in closing(campaign, status):
        print(line)
    raise typer.Exit(status)


def _is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


@app.command()
def findings(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of campaigns.", show_default="fuzz-out/*")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Each with its explanation.")] = False,
) -> None:
    """List the findings of campaigns; equal ones of several machines once."""
    seen: dict[str, tuple[Path, Finding, int]] = {}
    wrong: list[str] = []
    for folder in folders or sorted(path for path in OUT.glob("*") if path.is_dir()):
        found, broken = stored(folder / "findings" if (folder / "findings").is_dir() else folder)
        wrong += broken
        for path, finding in found:
            _, _, count = seen.get(finding.id, (path, finding, 0))
            seen[finding.id] = path, finding, count + finding.count
    for path, finding, count in seen.values():
        kept = f" [{path.parent.name}]" if path.parent.name in ("flaky", "kept") else ""
        typer.echo(
            f"{finding.id}{kept}  {finding.claim} ({finding.level})  {finding.kind}  {finding.impl}  met {count} times"
        )
        typer.echo(f"    {finding.replay(path)}")
        if full:
            typer.echo("\n".join(f"    {line}" for line in [*finding.explanation, finding.note] if line))
    for message in wrong:
        typer.echo(f"fuzz: {message}", err=True)
    if not seen:
        typer.echo("no findings")


@app.command()
def replay(
    finding: Annotated[str, typer.Argument(help="The file of a finding, or TARGET:SEED:INDEX of the blind engine.")],
    impl: Annotated[str | None, typer.Option(help="Another implementation than the one it was found on.")] = None,
) -> None:
    """Run a finding again in a fresh process, and explain it. Exit status: 1 it fails as before, 0 it does not."""
    try:
        request = _request(finding, impl)
        shown = Finding.load(Path(finding)) if request.finding else None
        verdict = ask(request)
    except (BrokenFinding, Usage, NoSuchTarget, ValueError) as error:
        raise _fail(error, USAGE) from None
    except Infrastructure as error:
        raise _fail(error, INFRASTRUCTURE) from None
    if not verdict.kind:
        typer.echo(f"{request.target} holds on this case for {request.impl}")
        raise typer.Exit(0)
    typer.echo(f"{request.target} fails on this case for {request.impl}: {verdict.kind} {verdict.message}".rstrip())
    for line in shown.explanation if shown is not None and impl is None else []:
        typer.echo(line)
    raise typer.Exit(FOUND)


def _request(finding: str, impl: str | None) -> Request:
    parts = re.fullmatch(r"([\w-]+):(\d+):(\d+)", finding)
    if parts is not None:
        probed = probe(impl or "heap", 5.0, [parts[1]])
        from fuzz.blind import Blind

        [target] = targets_of([parts[1]])
        data = Blind(int(parts[2]), target).data(int(parts[3]))
        return Request(impl or "heap", probed.name, target.name, probed.profile, data=data.hex())
    stored_one = Finding.load(Path(finding))
    name = stored_one.impl_name if impl is None else probe(impl, 5.0, [stored_one.claim]).name
    return Request(impl or stored_one.impl, name, stored_one.claim, finding=str(Path(finding).resolve()))


@app.command("keep")
def keep_finding(
    finding_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a finding.")],
    why: Annotated[str, typer.Option(help="What goes wrong. It may not be empty.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where the campaigns are.")] = OUT,
    regressions: Annotated[Path, typer.Option(help="Where to keep it.", show_default="regressions")] = REGRESSIONS,
) -> None:
    """Move a finding to the regressions: from now on every run asks every implementation about it."""
    path = path_of(folder, finding_id)
    if path is None:
        raise _fail(f"no finding {finding_id} under {folder}; `python -m fuzz findings {folder}` lists them", USAGE)
    try:
        impl = Finding.load(path).impl
        case, new = keep(path, why, regressions)
    except (BrokenFinding, MalformedRegression) as error:
        raise _fail(f"not kept: {error}", USAGE) from None
    typer.echo(str(case.path) if new else f"kept already: {case.place}, {case.id}: {case.why}")
    typer.echo(f"pytest properties -k {case.id} --impl='{impl}'")


@app.command()
def merge(
    into: Annotated[Path, typer.Argument(help="The folder of corpora to merge into.")],
    others: Annotated[list[Path], typer.Argument(help="Folders of corpora of other machines.")],
    impl: Annotated[str, typer.Option(help="What they were found on.")],
) -> None:
    """Merge corpora with libFuzzer's own merge: what adds coverage is copied. Exit status: 0 done, 3 it failed."""
    from fuzz.merging import merge_corpora

    try:
        for line in merge_corpora(impl, into, others):
            typer.echo(line)
    except Usage as error:
        raise _fail(error, USAGE) from None
    except Infrastructure as error:
        raise _fail(error, INFRASTRUCTURE) from None


@app.command("targets")
def list_targets() -> None:
    """List the targets."""
    for target in targets_of():
        typer.echo(f"{target.name}  {target.claim.sentence}{'' if target.drawn else '  (listed cases only)'}")


def main() -> None:
    """Run the command line; `--canary` alone means the canary that is shipped."""
    arguments = sys.argv
    for place, argument in enumerate(arguments):
        if argument == "--canary" and (place + 1 == len(arguments) or arguments[place + 1].startswith("-")):
            arguments[place] = f"--canary={CANARY}"
    app()


if __name__ == "__main__":
    main()
