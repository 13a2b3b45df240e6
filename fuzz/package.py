"""Targets as OSS-Fuzz and ClusterFuzzLite take them: a script for each, its seeds, and what PyInstaller must bring.

`python -m fuzz.package --impl heap --folder DIR ENC-2 state` writes NAME_fuzzer.py, NAME_fuzzer_seed_corpus.zip and
pyinstaller.options. A packaged target has no sources and no folder of ours beside it: it gets the profile and the
plug-in's module by name, and a failure raises, as libFuzzer expects.
"""

import json
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzz.blind import Blind, seeds
from fuzz.mined import ROOT, functions, own_modules
from fuzz.probe import probe
from fuzz.store import Infrastructure
from fuzz.targets import SEAM, Target, targets
from fuzz.worker import implementation_of, profile_from
from implementations.loader import resolve
from implementations.plugged import NotApplicable

SCRIPT = '''"""{name} of {impl}, for libFuzzer."""

import atheris

from fuzz.package import packaged

one = packaged(atheris, {impl!r}, {impl_name!r}, {name!r}, {profile!r})

if __name__ == "__main__":
    import sys

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
'''
SEEDS = 40


def packaged(atheris: Any, impl: str, impl_name: str, name: str, profile_text: str) -> Callable[[bytes], None]:
    """The function that libFuzzer calls: it raises where the target is refuted. The plug-in alone is instrumented."""
    implementation = implementation_of(impl, impl_name, 0)  # libFuzzer's own -timeout; its alarm must not be ours
    atheris.enabled_hooks.add("str")
    done = [
        atheris.instrument_func(function) for module in own_modules(implementation) for function in functions(module)
    ]
    print(f"instrumented {len(done)} functions of {impl_name}", file=sys.stderr)
    if not done:
        raise Infrastructure(f"{impl_name} has no Python code to watch")
    profile = profile_from(json.loads(profile_text))
    [target] = targets([name])

    def one(data: bytes) -> None:
        case = target.case(profile, data)
        try:
            target.claim.check(implementation, **case)
        except NotApplicable:
            return

    return one


def write_fuzzers(impl: str, folder: Path, names: Sequence[str]) -> list[Path]:
    """Write the scripts, the seeds and the options for PyInstaller; the scripts' paths.

    Raises `Infrastructure` for a target without drawn cases or a plug-in that cannot be packaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    probed = probe(impl, 5.0, [])
    module, attribute, paths = importable(impl)
    written = []
    for name in names:
        [target] = targets([name])
        if name not in probed.drawn:
            why = probed.not_applicable.get(name, "there are listed cases only")
            raise Infrastructure(f"{name} has no drawn cases for {impl}: {why}")
        stem = f"{name.lower().replace('-', '_')}_fuzzer"
        spec = f"{module}:{attribute}"
        short = f"{module.rpartition('.')[2]}.{attribute}"
        script = SCRIPT.format(name=name, impl=spec, impl_name=short, profile=json.dumps(probed.profile))
        (folder / f"{stem}.py").write_text(script, encoding="utf-8")
        _write_seeds(folder / f"{stem}_seed_corpus.zip", target)
        written.append(folder / f"{stem}.py")
    (folder / "pyinstaller.options").write_text(" ".join(options(module, paths)) + "\n", encoding="utf-8")
    return written


def importable(impl: str) -> tuple[str, str, list[Path]]:
    """The module and the attribute of a plug-in, by which a packaged target imports it, and where that module lies."""
    [implementation] = resolve(impl)
    make: Any = implementation.make
    attribute = getattr(make, "__qualname__", type(make).__name__)
    match = re.fullmatch(r"(.*\.py)(?::.*)?", impl)
    if match:
        path = Path(match[1]).resolve()
        return path.stem, attribute, [path.parent]
    if impl.startswith("cmd:"):
        raise Infrastructure("a program has no Python code to watch; there is nothing to package")
    return str(make.__module__), attribute, []


def _write_seeds(path: Path, target: Target) -> None:
    source = Blind(0, target)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for index in range(SEEDS):
            archive.writestr(f"blind-{index}", source.data(index * 17))
        for place, seed in enumerate(seeds()):
            first = source.data(place * 16).split(SEAM)[0]
            archive.writestr(f"seed-{place}", SEAM.join([first] + [seed] * (len(target.sizes) - 1)))


def options(module: str, paths: Sequence[Path] = ()) -> list[str]:
    """What PyInstaller does not see by itself: the claims are found by listing a folder, the plug-in by its name."""
    chosen = [f"--paths={path}" for path in (ROOT, *paths)]
    chosen += [f"--collect-submodules={package}" for package in ("reference", "properties")]
    chosen += [f"--exclude-module={name}" for name in ("matplotlib", "numpy", "PIL", "IPython")]
    chosen += [f"--hidden-import={name}" for name in ("fuzz.package", "implementations.command", module)]
    chosen += [f"--add-data={ROOT / data}:{data}" for data in ("regressions", "properties/cases/texts")]
    return chosen


def main(
    names: Annotated[list[str], typer.Argument()],
    impl: Annotated[str, typer.Option()] = "heap",
    folder: Annotated[Path, typer.Option()] = Path("fuzzers"),
) -> None:
    """Write fuzzers for some targets."""
    for path in write_fuzzers(impl, folder, names):
        typer.echo(str(path))


if __name__ == "__main__":
    typer.run(main)
