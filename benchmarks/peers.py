"""What the tests of other projects would have found of the planted bugs.

`python -m benchmarks.peers --out benchmarks/peers.md` runs, on every planted bug, checks of the kinds that the test
suites of minbpe, tiktoken, rustbpe, Hugging Face tokenizers and Stanford's CS336 make, as they are described in public.
The checks are written anew: the same kinds of inputs and assertions, for this contract and on vocabularies trained
here. Each that compares with stored values is given perfect ones: what the reference says.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import reference
from implementations.loader import resolve
from implementations.plugged import Implementation, NotApplicable
from properties.cases.sample import sample_texts
from properties.strength.runs import implementations_of
from reference.model import Merge, Vocabulary
from reference.pretokenize import PATTERNS

CALL_LIMIT = 5.0
Check = Callable[[Implementation], None]
SUITES: dict[str, list[Check]] = {}


def of(suite: str) -> Callable[[Check], Check]:
    """Enter a check into a suite."""

    def register(check: Check) -> Check:
        SUITES.setdefault(suite, []).append(check)
        return check

    return register


@cache
def prose() -> str:
    """Real text, some thousand characters, as these suites train on."""
    texts = sample_texts()
    return "\n".join(text[:2500] for name, text in texts.items() if text.isascii() or "latin" in name)[:6000] or max(
        texts.values(), key=len
    )


@cache
def trained(pattern: str, count: int = 200, specials: tuple[str, ...] = ()) -> Vocabulary:
    """Merges learned from the prose; any correct trainer would do, and only the reference judges."""
    merges = resolve("heap")[0].train([prose()], count, pattern=PATTERNS[pattern], tie_rule="first-seen")
    return Vocabulary(merges, {text: 256 + count + place for place, text in enumerate(specials)}, PATTERNS[pattern])


@cache
def golden_ids(vocabulary: Vocabulary, text: str) -> list[int]:
    """The stored value: made once, before any tokenizer is tried."""
    return reference.encode(vocabulary, text)


@cache
def golden_merges(
    corpus: tuple[str, ...], count: int, pattern: str | None, tie_rule: str, specials: tuple[str, ...] = ()
) -> tuple[Merge, ...]:
    """The stored merges."""
    return reference.train(corpus, count, pattern=pattern, tie_rule=tie_rule, special_tokens=specials)


def trains(
    impl: Implementation,
    corpus: Iterable[str],
    count: int,
    pattern: str | None,
    wanted: str,
    specials: tuple[str, ...] = (),
    *,
    once: bool = False,
) -> tuple[Merge, ...]:
    """Training gives the stored merges, under the tie rule wanted or one that is offered."""
    corpus, rule = tuple(corpus), wanted if wanted in (impl.tie_rules or ()) else (impl.tie_rules or (wanted,))[0]
    given = iter(corpus) if once else list(corpus)
    merges = impl.train(given, count, pattern=pattern, tie_rule=rule, special_tokens=specials)
    if impl.tie_rules:  # else ties may fall as they like, and there is no stored value
        assert merges == golden_merges(corpus, count, pattern, rule, specials)
    return merges


def agrees(impl: Implementation, vocabulary: Vocabulary, text: str) -> None:
    """Encoding gives the stored ids, and decoding the text."""
    tokenizer = impl(vocabulary)
    ids = tokenizer.encode(text)
    assert ids == golden_ids(vocabulary, text)
    assert tokenizer.decode(ids) == text


# --- minbpe: round trips of four texts, the example of Wikipedia, save and load ------------------------------------

MINBPE_TEXTS = ("", "?", "hello world!!!? (안녕하세요!) lol123 😉")


@of("minbpe")
def _minbpe_identity(impl: Implementation) -> None:
    for pattern in ("none", "gpt2", "cl100k_base"):
        for text in (*MINBPE_TEXTS, prose()[:1500] if pattern == "none" else prose()):
            tokenizer = impl(trained(pattern))
            assert tokenizer.decode(tokenizer.encode(text)) == text


@of("minbpe")
def _minbpe_published_vocabulary(impl: Implementation) -> None:
    for text in (*MINBPE_TEXTS, prose()):
        agrees(impl, trained("cl100k_base"), text)


@of("minbpe")
def _minbpe_special_tokens(impl: Implementation) -> None:
    vocabulary = trained("cl100k_base", 200, ("<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>"))
    text = "<|endoftext|>One document\n<|endoftext|>And another\n<|fim_prefix|>with<|fim_suffix|> more tokens."
    agrees(impl, vocabulary, text)
    agrees(impl, vocabulary, "Hello and a comma, no special token")


@of("minbpe")
def _minbpe_wikipedia(impl: Implementation) -> None:
    merges = trains(impl, ["aaabdaaabac"], 3, None, "first-seen")
    agrees(impl, Vocabulary(merges), "aaabdaaabac")


@of("minbpe")
def _minbpe_save_and_load(impl: Implementation) -> None:
    vocabulary = trained("gpt2", 64, ("<|endoftext|>",))
    tokenizer = impl(vocabulary)
    text = "<|endoftext|>" + prose()[:800]
    with TemporaryDirectory() as folder:
        tokenizer.save(Path(folder) / "saved")
        assert impl.load(Path(folder) / "saved").encode(text) == tokenizer.encode(text)


# --- tiktoken: short texts, long repetitions, round trips of random text, batches, special tokens ------------------


@of("tiktoken")
def _tiktoken_simple(impl: Implementation) -> None:
    for pattern in ("gpt2", "cl100k_base"):
        for text in (
            "hello world",
            "hello <|endoftext|>",
            "rer",
            "'rer",
            "today\n ",
            "today\n \n",
            "today\n  \n",
            " \x850",
            "",
        ):
            agrees(impl, trained(pattern), text)


@of("tiktoken")
def _tiktoken_repetition(impl: Implementation) -> None:
    tokenizer = impl(trained("gpt2"))
    for unit in ("^", "0", "a", "'s", " ", "\n"):
        long = unit * 2_000
        for text in (long, f" {long}", f"{long}\n"):
            assert tokenizer.decode(tokenizer.encode(text)) == text


@of("tiktoken")
def _tiktoken_round_trips(impl: Implementation) -> None:
    for pattern in ("gpt2", "cl100k_base"):
        for text in (
            "hello",
            "hello ",
            "hello  ",
            " hello",
            " hello ",
            " hello  ",
            "hello world",
            "请考试我的软件！12345",
        ):
            agrees(impl, trained(pattern), text)


@of("tiktoken")
def _tiktoken_random_text(impl: Implementation) -> None:
    tokenizer = impl(trained("cl100k_base"))

    @seed(0)
    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.text())
    def round_trip(text: str) -> None:
        assert tokenizer.decode(tokenizer.encode(text)) == text

    round_trip()


@of("tiktoken")
def _tiktoken_single_tokens(impl: Implementation) -> None:
    vocabulary = trained("cl100k_base")
    tokenizer = impl(vocabulary)
    for token_id, token in vocabulary.bytes_of.items():
        assert tokenizer.decode_bytes([token_id]) == token


@of("tiktoken")
def _tiktoken_batches(impl: Implementation) -> None:
    tokenizer = impl(trained("cl100k_base"))
    for batch in (["hello world", "goodbye world"], ["hello world"] * 5, [], ["", "a"]):
        assert tokenizer.encode_batch(batch) == [tokenizer.encode(text) for text in batch]


@of("tiktoken")
def _tiktoken_special_tokens(impl: Implementation) -> None:
    vocabulary = trained("cl100k_base", 200, ("<|endoftext|>", "<|fim_prefix|>"))
    tokenizer = impl(vocabulary)
    text = "<|endoftext|> hello <|fim_prefix|> there <|endoftext|>"
    agrees(impl, vocabulary, text)
    assert not set(vocabulary.special_tokens.values()) & set(tokenizer.encode_ordinary(text))
    assert tokenizer.decode(tokenizer.encode_ordinary(text)) == text


@of("tiktoken")
def _tiktoken_surrogates(impl: Implementation) -> None:
    tokenizer = impl(trained("cl100k_base"))
    assert tokenizer.decode(tokenizer.encode("👍")) == "👍"
    with suppress(ValueError):
        assert tokenizer.decode(tokenizer.encode("\ud83d")) == "\ud83d"


# --- rustbpe: training against a slow trainer, encoding against the same -------------------------------------------


@of("rustbpe")
def _rustbpe_training(impl: Implementation) -> None:
    for corpus in (["hello world hello there"], [prose()[:1200]], ["aaa aaa aaa", "ab ab"], [""]):
        for count in (0, 8, 30):
            trains(impl, corpus, count, PATTERNS["gpt2"], "smallest-ids")


@of("rustbpe")
def _rustbpe_encoding(impl: Implementation) -> None:
    for text in ("hello world", "", "a", "aaaa", "naïve café 🙂", "  two  spaces", prose()[:800]):
        agrees(impl, trained("gpt2"), text)


@of("rustbpe")
def _rustbpe_batches(impl: Implementation) -> None:
    tokenizer = impl(trained("gpt2"))
    texts = ["hello", "", "world " * 20, prose()[:200]]
    assert tokenizer.encode_batch(texts) == [tokenizer.encode(text) for text in texts]


@of("rustbpe")
def _rustbpe_one_shot_corpus(impl: Implementation) -> None:
    trains(impl, ["ab ab abc", "abd"], 5, PATTERNS["gpt2"], "smallest-ids", once=True)


# --- Hugging Face: words with counts, one list of merges, splitting of a sentence, added tokens --------------------


@of("Hugging Face")
def _hf_training(impl: Implementation) -> None:
    words = {
        "roses": 1,
        "are": 2,
        "red": 1,
        "violets": 1,
        "blue": 1,
        "BERT": 1,
        "is": 2,
        "big": 1,
        "and": 1,
        "so": 1,
        "GPT-2": 1,
    }
    corpus = [word for word, times in words.items() for _ in range(times)]
    trains(impl, corpus, 12, None, "smallest-ids")


@of("Hugging Face")
def _hf_merges(impl: Implementation) -> None:
    spelled = ["r e", "a t", "e d", "u n", "at ed", "re l", "rel ated", "un related"]
    vocabulary = Vocabulary(tuple(tuple(side.encode() for side in merge.split()) for merge in spelled))  # type: ignore[misc]
    for count in (0, 4, 8):
        agrees(impl, Vocabulary(vocabulary.merges[:count]), "unrelated")


@of("Hugging Face")
def _hf_splitting(impl: Implementation) -> None:
    tokenizer = impl(Vocabulary(pattern=PATTERNS["gpt2"]))
    for text in (
        "Hello my friend, how is your day going?",
        "Hello there\nHello there",
        "Hello there       dear",
        "i⭢j",
        "Hello my friend",
    ):
        assert tokenizer.pretokenize(text) == reference.pretokenize(PATTERNS["gpt2"], text)
        agrees(impl, Vocabulary(pattern=PATTERNS["gpt2"]), text)


@of("Hugging Face")
def _hf_added_tokens(impl: Implementation) -> None:
    vocabulary = trained("gpt2", 100, ("[SPECIAL]", "my_tok", "my_tok_longer"))
    for text in ("Hi [SPECIAL] there", "my_tok_longer my_tok", "[SPECIAL][SPECIAL]", "a[SPECIAL"):
        agrees(impl, vocabulary, text)


@of("Hugging Face")
def _hf_decoding(impl: Implementation) -> None:
    tokenizer = impl(trained("gpt2"))
    for text in ("Hello", "ʃ 界", "A Nuskhuri abbreviation"):
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert "".join(tokenizer.stream_decode(ids)) == text


@of("Hugging Face")
def _hf_save_and_load(impl: Implementation) -> None:
    with TemporaryDirectory() as folder:
        tokenizer = impl(trained("gpt2"))
        tokenizer.save(Path(folder) / "saved")
        loaded = impl.load(Path(folder) / "saved")
    assert loaded.encode("Hello there, friend") == tokenizer.encode("Hello there, friend")


# --- CS336: round trips and stored ids, special tokens that overlap, training with stored merges -------------------

CS336_TEXTS = ("", "s", "🙃", "Hello, how are you?", "Héllò hôw are ü? 🙃")


@of("CS336")
def _cs336_texts(impl: Implementation) -> None:
    for text in (*CS336_TEXTS, *(text[:1500] for text in sample_texts().values())):
        agrees(impl, trained("gpt2"), text)


@of("CS336")
def _cs336_special_tokens(impl: Implementation) -> None:
    text = "Héllò hôw <|endoftext|><|endoftext|> are ü? 🙃<|endoftext|>"
    agrees(impl, trained("gpt2", 200, ("<|endoftext|>",)), text)
    agrees(impl, trained("gpt2", 200, ("<|endoftext|>", "<|endoftext|><|endoftext|>")), text)
    for trailing in ("\n\n<|endoftext|>\n\n", "a <|endoftext|>\n\n b\n\n"):
        agrees(impl, trained("gpt2", 200, ("<|endoftext|>",)), trailing)


@of("CS336")
def _cs336_training(impl: Implementation) -> None:
    words = ["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6
    for corpus in ([prose()[:2500]], [" ".join(words)]):
        trains(impl, corpus, 40, PATTERNS["gpt2"], "largest-bytes")


@of("CS336")
def _cs336_training_with_special_tokens(impl: Implementation) -> None:
    corpus = ["one fine day<|endoftext|>another fine day <|endoftext|> and one more"]
    merges = trains(impl, corpus, 20, PATTERNS["gpt2"], "largest-bytes", ("<|endoftext|>",))
    assert not any(b"<|" in left + right for left, right in merges)


# --- the run -------------------------------------------------------------------------------------------------------


def found_by(suite: str, impl: Implementation) -> tuple[bool, float, str]:
    """Whether a suite fails on a tokenizer, after how long, and in which check."""
    start = time.perf_counter()
    impl.call_limit = CALL_LIMIT
    for check in SUITES[suite]:
        random.seed(0)
        try:
            check(impl)
        except NotApplicable:
            continue
        except Exception:
            return True, time.perf_counter() - start, check.__name__
    return False, time.perf_counter() - start, ""


def _work(job: tuple[str, str]) -> tuple[str, dict[str, tuple[bool, float, str]]]:
    spec, name = job
    [impl] = [one for one in resolve(spec) if one.name == name]
    return name, {suite: found_by(suite, impl) for suite in SUITES}


def results(specs: list[str], processes: int) -> Iterator[tuple[str, dict[str, tuple[bool, float, str]]]]:
    """What each suite finds of each tokenizer, each in a process of its own."""
    jobs = [(one.spec, one.name) for spec in specs for one in implementations_of(spec)]
    for suite in SUITES:  # so that the stored values are there
        found_by(suite, resolve("heap")[0])
    with multiprocessing.get_context("fork").Pool(processes, maxtasksperchild=1) as pool:
        yield from pool.imap(_work, jobs, chunksize=1)


def table(
    rows: dict[str, dict[str, tuple[bool, float, str]]], right: dict[str, dict[str, tuple[bool, float, str]]]
) -> str:
    """How many of each kind each suite finds, with the median time and the false alarms."""
    kinds = Counter(name.partition(".")[0] for name in rows)
    lines = ["| | planted | " + " | ".join(SUITES) + " | all together |", "|---" * (len(SUITES) + 3) + "|"]

    def counted(names: list[str]) -> str:
        found = [sum(rows[name][suite][0] for name in names) for suite in SUITES]
        return " | ".join(map(str, [*found, sum(any(rows[name][suite][0] for suite in SUITES) for name in names)]))

    for kind, count in kinds.items():
        lines.append(f"| {kind} | {count} | {counted([name for name in rows if name.partition('.')[0] == kind])} |")
    lines.append(f"| **all** | **{len(rows)}** | {counted(list(rows))} |")
    seconds = [median(rows[name][suite][1] for name in rows) for suite in SUITES]
    lines.append("| median seconds | | " + " | ".join(f"{one:.2f}" for one in seconds) + " | |")
    alarms = [sum(right[name][suite][0] for name in right) for suite in SUITES]
    lines.append(f"| false alarms | of {len(right)} right ones | " + " | ".join(map(str, alarms)) + " | |")
    return "\n".join(lines)


def main() -> None:
    """Run all, print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the table there")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("specs", nargs="*", default=["tests/known_wrong/*.py:Bad*"])
    options = parser.parse_args()
    right = dict(results(["tests/known_right/*.py:Right*"], options.processes))
    rows = dict(results(options.specs, options.processes))
    missed = [name for name in rows if not any(found for found, _, _ in rows[name].values())]
    text = "\n".join(
        [
            HEAD,
            table(rows, right),
            "",
            f"None of them finds {len(missed)}:",
            "",
            ", ".join(f"`{n}`" for n in missed),
            "",
        ]
    )
    if options.out:
        options.out.write_text(text)
    sys.stdout.write(text)


HEAD = """# Against the tests of other projects

Generated by `python -m benchmarks.peers --out benchmarks/peers.md`; do not edit.

The checks are of the kinds that these projects' own test suites make, written anew for the contract of this suite and
run on the same planted bugs. Vocabularies and merges that those suites store are replaced by ones trained here on the
sample of the suite, and every stored value by what the reference gives: no peer misses a bug for want of a value. A
peer that checks a published vocabulary of a hundred thousand merges has more merges than these; the kind is the same.
How this suite does on the same bugs is in [docs/strength.md](../docs/strength.md).
"""

if __name__ == "__main__":
    main()
