"""Domains of training: a corpus, how many merges, a pattern, a tie rule."""

from collections.abc import Iterator

from properties.cases import tables
from properties.cases.domains.domain import Case, Domain, covering, encodable
from properties.cases.programs import Profile, lesson_of, merges_of
from properties.oracle.fast import trainable
from reference.model import Merge, Vocabulary

CORPUS_PROGRAM = (10, 44)


def _corpus(profile: Profile, corpus: str) -> Case:
    lesson = lesson_of(corpus, profile)
    return {
        "corpus": lesson.corpus,
        "num_merges": lesson.num_merges,
        "pattern": lesson.pattern,
        "tie_rule": lesson.tie_rule,
    }


TRAINING = ("corpus", "num_merges", "pattern", "tie_rule")


def is_training(case: Case) -> bool:
    """A case that the claims on training admit."""
    return covering(case["pattern"]) and all(map(encodable, case["corpus"])) and case["num_merges"] >= 0


def _listed_by_every_rule(profile: Profile) -> Iterator[Case]:
    """The smallest corpora that expose each known bug of incremental trainers."""
    corpora = ["aaa", "baa", "aab", "aaaa", "aaaaa", "abbb", "aa"]
    weighted = [("aab",) * 3, ("aa", "aa"), ("aa", "ab", "ab", "ab"), ("aaab",), ("aaab", "ab"), ("ab", "abbb")]
    ties = [
        (" a", "bc"),
        ("ab", "é"),
        ("é", "ab"),
        ("\x00a", "ab"),
        ("~a", " a", "!a"),
        ("aB", "Ab", "a b"),
        ("þ", "ÿ"),
        ("abc", "cb"),
    ]
    ties += [("ab ba", "bc"), ("a~", "a", "ā", "aa"), ("abab", "cdcd", "ab", "cd"), ("hello", "yellow", "oh")]
    for corpus in [*((text,) for text in corpora), *weighted, *ties, ()]:
        for rule in profile.tie_rules or ("first-seen",):
            yield {"corpus": corpus, "num_merges": 10, "pattern": None, "tie_rule": rule}


def _listed_by_one_rule(profile: Profile) -> Iterator[Case]:
    """The same for what no tie decides: each corpus under one of the rules, in turn."""
    rules = max(1, len(profile.tie_rules))
    for place, case in enumerate(_listed_by_every_rule(profile)):
        if place % rules == place // rules % rules:
            yield case


def _large_listed(profile: Profile) -> Iterator[Case]:
    """Counts beyond a byte and beyond two, many different pieces, many documents, long documents, many ties."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    many = [chr(0x4E00 + place) for place in range(300)]
    corpora: list[tuple[str, ...]] = [
        (letters, letters[::-1]),
        ("ab" * 256, *["cd"] * 3),
        ("ab" * 128, *["cd"] * 3),
        (*["ab"] * 255, *["cd"] * 256, "ab" * 20),
        (*["ab"] * 257, *["cd"] * 2),
        (*["aab"] * 300, *["cab"] * 290, *["aac"] * 280),
        (*many, *["ab"] * 301, *["cd"] * 300),
        (*["cd"] * 1000, *["ab"] * 1001),
        ("x" + "\u4e00" * 85 + "ab" * 300,),
        tuple(one + two for one in letters[:18] for two in letters[:18]),
        ("".join(chr(0x4E00 + place) for place in range(140)),),
        (*["ab"] * 65_536, *["cd"] * 3),
    ]
    rules = profile.tie_rules or ("first-seen",)
    for place, corpus in enumerate(corpora):
        asked = rules if place == 0 else (rules[place % len(rules)],)
        for rule in asked:
            yield {
                "corpus": corpus,
                "num_merges": 30 if place == 0 else 300 if place == 10 else 4,
                "pattern": None,
                "tie_rule": rule,
            }


def _large(profile: Profile, corpus: str) -> Case:
    """A drawn corpus, its documents many times over, each a different number of times."""
    case = _corpus(profile, corpus)
    times = (1, 8, 127, 128, 255, 256, 257, 300)
    documents = [document for place, document in enumerate(case["corpus"][:6]) for _ in range(times[place * 3 % 8])]
    return case | {"corpus": tuple(documents), "num_merges": min(case["num_merges"], 12)}


LARGE_CORPORA = Domain(TRAINING, _large, (CORPUS_PROGRAM,), is_training, _large_listed)


CORPORA_OF_TIES = Domain(TRAINING, _corpus, (CORPUS_PROGRAM,), is_training, _listed_by_every_rule)
CORPORA = Domain(TRAINING, _corpus, (CORPUS_PROGRAM,), is_training, _listed_by_one_rule)


def _two_corpora(profile: Profile, corpus: str, other: str) -> Case:
    return _corpus(profile, corpus) | {"other": lesson_of("\x00" * 4 + other, profile).corpus}


TWO_CORPORA = Domain(
    (*TRAINING, "other"),
    _two_corpora,
    (CORPUS_PROGRAM, (2, 24)),
    lambda case: is_training(case) and all(map(encodable, case["other"])),
)


def _shuffled(profile: Profile, corpus: str, order: str) -> Case:
    case = _corpus(profile, corpus)
    keyed = sorted(range(len(case["corpus"])), key=lambda i: (order[i : i + 1], -i))
    return case | {"other": tuple(case["corpus"][i] for i in keyed)}


SHUFFLED = Domain(
    (*TRAINING, "other"),
    _shuffled,
    (CORPUS_PROGRAM, (4, 24)),
    lambda case: is_training(case) and sorted(case["corpus"]) == sorted(case["other"]),
)


def _planted(profile: Profile, merges: str, order: str) -> Case:
    """A trainable list over ASCII, so that every token is a text; the claim builds the corpus of it."""
    symbols = (b"a", b"b", b"c")[: 2 + len(order) % 2]
    made = merges_of(merges, symbols, trainable=True)[:10]
    rules = profile.tie_rules or ("first-seen",)
    pattern = profile.train_patterns[len(order) % len(profile.train_patterns)]  # a word of letters is one piece in each
    return {"merges": made, "pattern": pattern, "tie_rule": rules[len(merges) % len(rules)], "order": order}


def _is_trainable(merges: tuple[Merge, ...]) -> bool:
    try:
        vocabulary = Vocabulary(merges)
    except ValueError:
        return False
    return trainable(vocabulary) and all(set(left + right) <= set(b"abc") for left, right in merges)


PLANTED = Domain(
    ("merges", "pattern", "tie_rule", "order"),
    _planted,
    ((2, 30), (0, 20)),
    lambda case: _is_trainable(tuple(case["merges"])) and covering(case["pattern"]),
)


def _to_saturation(profile: Profile, corpus: str) -> Case:
    return _corpus(profile, corpus) | {"num_merges": 1000}


TO_SATURATION = Domain(
    TRAINING, _to_saturation, (CORPUS_PROGRAM,), lambda case: is_training(case) and case["num_merges"] == 1000
)


def _nothing_to_learn(profile: Profile) -> Iterator[Case]:
    for rule in profile.tie_rules or ("first-seen",):
        for pattern in profile.train_patterns:
            for corpus, num_merges in (((), 5), (("",), 5), (("", "a", ""), 5), (("abab",), 0), ((), 0)):
                yield {"corpus": corpus, "num_merges": num_merges, "pattern": pattern, "tie_rule": rule}


def _teaches_nothing(case: Case) -> bool:
    return case["num_merges"] == 0 or all(len(document.encode()) < 2 for document in case["corpus"])


NO_LESSON = Domain(TRAINING, admits=_teaches_nothing, listed=_nothing_to_learn)


def _hash_seeds(profile: Profile) -> Iterator[Case]:
    """Corpora full of ties, all in one case: each process costs as much as a thousand of them."""
    words = ["abcd", "dcba", "bcad", "xyz", "zyx", "ab cd", "é è", "aa bb cc dd", "badc", "qwertyuiop"]
    corpora = tuple(tuple(words[i : i + n]) for i in range(len(words)) for n in (1, 2, 5))
    rules = profile.tie_rules or ("first-seen",)
    yield {"corpora": corpora, "num_merges": 12, "pattern": profile.train_patterns[0], "tie_rule": rules[0]}


HASH_SEEDS = Domain(("corpora", "num_merges", "pattern", "tie_rule"), listed=_hash_seeds)


def _corpus_with_specials(profile: Profile, corpus: str, specials: str) -> Case:
    case = _corpus(profile, corpus)
    texts = tables.SPECIAL_SETS[len(specials) % len(tables.SPECIAL_SETS)]
    documents = []
    for i, document in enumerate(case["corpus"]):
        inserted = texts[i % len(texts)]
        place = (ord(specials[i % len(specials)]) if specials else i) % (len(document) + 1)
        documents.append(document[:place] + inserted + document[place:])
    return case | {"corpus": tuple(documents), "special_tokens": texts}


CORPORA_WITH_SPECIALS = Domain(
    (*TRAINING, "special_tokens"), _corpus_with_specials, (CORPUS_PROGRAM, (1, 20)), is_training
)
