"""Planted bugs: special tokens are found, cut out, numbered or read back wrongly."""

import unicodedata

import regex

from tests.known_wrong.base import WORDS, Base, comes_back, encodes, encodes_ordinary, trains

OVERLAPPING = {"<a": 300, "<a>": 301, "a><": 302}


class BadShortestSpecialFirst(Base):
    """At one place the shortest special token wins.

    Stands for: https://github.com/openai/tiktoken/issues/102
    """

    fault = "specials"
    witness = encodes("<a>", special_tokens=OVERLAPPING)

    @classmethod
    def special_at(cls, special_tokens, text, place):
        return min((token for token in special_tokens if text.startswith(token, place)), key=len, default=None)


class BadSpecialsInTableOrder(Base):
    """At one place the special token that stands first in the table wins.

    Stands for: https://github.com/openai/tiktoken/issues/102
    """

    fault = "specials"
    witness = encodes("<a>", special_tokens=OVERLAPPING)

    @classmethod
    def special_at(cls, special_tokens, text, place):
        return next((token for token in special_tokens if text.startswith(token, place)), None)


class BadSpecialOfLowestId(Base):
    """At one place the special token of the lowest id wins.

    Stands for: https://github.com/invergent-ai/surogate/issues/157
    """

    fault = "specials"
    witness = encodes("<i>x", special_tokens={"<i>": 300, "<i>x": 301})

    def split_specials(self, text):
        by_id = sorted(self.vocabulary.special_tokens, key=self.vocabulary.special_tokens.get)
        return BadSpecialsInTableOrder.cut(tuple(by_id), text)


class BadSpecialsByHash(Base):
    """At one place the special token of the lowest hash wins, so that it depends on the process.

    Stands for: https://github.com/openai/tiktoken/issues/102
    """

    fault = "specials"

    def witness(make):
        special_tokens = {"<" * size: 300 + size for size in range(1, 30)}
        return encodes("<" * 29, special_tokens=special_tokens)(make)

    @classmethod
    def special_at(cls, special_tokens, text, place):
        return min((token for token in special_tokens if text.startswith(token, place)), key=hash, default=None)


class BadSpecialsUnescaped(Base):
    """Puts special tokens into a regular expression without escaping them.

    Stands for: a trap of regular expressions built from text
    """

    fault = "specials"
    witness = encodes("<|s|>", special_tokens={"<|s|>": 300})

    @classmethod
    def cut(cls, special_tokens, text):
        if not special_tokens:
            return super().cut(special_tokens, text)
        longest_first = "|".join(sorted(special_tokens, key=len, reverse=True))
        return [part for part in regex.split(f"({longest_first})", text) if part]


class BadSpecialsLongestFirst(Base):
    """Looks for the longest special token in the whole text before the shorter ones, though those begin earlier.

    Stands for: a trap of one pass for each special token
    """

    fault = "specials"
    witness = encodes("<a>b", special_tokens={"<a": 300, "a>b": 301})

    @classmethod
    def cut(cls, special_tokens, text):
        longest = max((token for token in special_tokens if token in text), key=len, default=None)
        if longest is None:
            return [text] if text else []
        shorter = tuple(token for token in special_tokens if token != longest)
        parts = [part for between in text.split(longest) for part in [longest, *cls.cut(shorter, between)]]
        return parts[1:]


class BadSpecialsRightmostFirst(Base):
    """Finds special tokens from the end of the text.

    Stands for: a trap of scanning from the end
    """

    fault = "specials"
    witness = encodes("aaa", special_tokens={"aa": 300})

    @classmethod
    def cut(cls, special_tokens, text):
        backwards = super().cut(tuple(token[::-1] for token in special_tokens), text[::-1])
        return [part[::-1] for part in backwards[::-1]]


class BadSpecialsAfterPattern(Base):
    """Splits by the pattern first, so that only a piece that is a special token is one.

    Stands for: https://github.com/triton-inference-server/fastertransformer_backend/issues/45
    """

    fault = "specials"
    witness = encodes("a<s>b", special_tokens={"<s>": 300}, pattern=WORDS)

    def split_specials(self, text):
        return self.pretokenize(text)


class BadSpecialOnlyAlone(Base):
    """Recognises a special token only where it is the whole text.

    Stands for: https://github.com/gh-markt/cpp-tiktoken/issues/5
    """

    fault = "specials"
    witness = encodes("a<s>", special_tokens={"<s>": 300})

    def split_specials(self, text):
        return [text] if text else []


class BadSpecialsIgnored(Base):
    """Takes special tokens for text.

    Stands for: https://github.com/gh-markt/cpp-tiktoken/issues/5
    """

    fault = "specials"
    witness = encodes("<s>", special_tokens={"<s>": 300})

    def encode(self, text):
        return self.encode_ordinary(text)


class BadCursorAfterSpecial(Base):
    """After a special token it goes on one character too far.

    Stands for: https://github.com/gh-markt/cpp-tiktoken/issues/5
    """

    fault = "specials"
    witness = comes_back("<s>a", special_tokens={"<s>": 300})

    @classmethod
    def cut(cls, special_tokens, text):
        parts = super().cut(special_tokens, text)
        for i, part in enumerate(parts[1:], 1):
            if parts[i - 1] in special_tokens and part not in special_tokens:
                parts[i] = part[1:]
        return [part for part in parts if part]


class BadCursorNotReset(Base):
    """From the second special token on the text before the first one comes again.

    Stands for: https://github.com/gh-markt/cpp-tiktoken/issues/5
    """

    fault = "specials"
    witness = comes_back("a<s>b<s>", special_tokens={"<s>": 300})

    def split_specials(self, text):
        parts = super().split_specials(text)
        places = [i for i, part in enumerate(parts) if part in self.vocabulary.special_tokens]
        if len(places) < 2 or places[0] == 0:
            return parts
        return [*parts[: places[1]], parts[0], *parts[places[1] :]]


class BadSpecialInFailedMatch(Base):
    """Loses a special token that starts inside a failed longer match.

    Stands for: https://github.com/huggingface/transformers/issues/34499
    """

    fault = "specials"
    witness = encodes("pq-r", special_tokens={"pqr": 300, "q": 301})

    @classmethod
    def cut(cls, special_tokens, text):
        parts, start, place = [], 0, 0
        while place < len(text):
            token = cls.special_at(special_tokens, text, place)
            if token is None:
                place += max(1, cls.failed(special_tokens, text, place))
                continue
            parts += [text[start:place], token]
            start = place = place + len(token)
        return [part for part in [*parts, text[start:]] if part]

    @classmethod
    def failed(cls, special_tokens, text, place):
        """How many characters here are the beginning of a special token."""
        begun = (token[:size] for token in special_tokens for size in range(1, len(token)))
        return max((len(part) for part in begun if text.startswith(part, place)), default=0)


class BadSpecialOnce(Base):
    """Recognises each special token once in a text.

    Stands for: a trap of replacing once
    """

    fault = "specials"
    witness = encodes("<s><s>", special_tokens={"<s>": 300})

    def encode(self, text):
        ids, seen = [], set()
        for part in self.split_specials(text):
            special = self.special_id(part)
            ids += self.encode_text(part) if special is None or part in seen else [special]
            seen.add(part)
        return ids


class BadSpecialAtWordEdge(Base):
    """Recognises a special token only where no letter or digit stands beside it.

    Stands for: a trap of word boundaries
    """

    fault = "specials"
    witness = encodes("a<s>", special_tokens={"<s>": 300})

    @classmethod
    def special_at(cls, special_tokens, text, place):
        token = super().special_at(special_tokens, text, place)
        beside = text[max(place - 1, 0) : place] + text[place + len(token or "") :][:1]
        return None if any(character.isalnum() for character in beside) else token


class BadSpecialsInAnyCase(Base):
    """Recognises special tokens in capitals and small letters alike.

    Stands for: a trap of matching without case
    """

    fault = "specials"
    witness = comes_back("<S>", special_tokens={"<s>": 300})

    def encode(self, text):
        for token in self.vocabulary.special_tokens:
            text = regex.sub(regex.escape(token), lambda match, token=token: token, text, flags=regex.IGNORECASE)
        return super().encode(text)


class BadSpecialsByCanonicalForm(Base):
    """Recognises a special token in a text that is canonically equal to it.

    Stands for: https://github.com/huggingface/swift-transformers/pull/113
    """

    fault = "specials"
    witness = comes_back("<e\u0301>", special_tokens={"<\u00e9>": 300})

    def encode(self, text):
        for token in self.vocabulary.special_tokens:
            text = text.replace(unicodedata.normalize("NFD", token), token)
        return super().encode(text)


class BadSpecialTakesSpaceBefore(Base):
    """A special token swallows the white space before it.

    Stands for: https://github.com/NVIDIA/TensorRT-Model-Connect/pull/1317
    """

    fault = "specials"
    witness = comes_back("x <m>", special_tokens={"<m>": 300})

    def split_specials(self, text):
        parts = super().split_specials(text)
        for i, part in enumerate(parts[:-1]):
            if part not in self.vocabulary.special_tokens:
                parts[i] = part.rstrip()
        return [part for part in parts if part]


class BadSpecialTakesSpaceAfter(Base):
    """On decoding, a special token swallows the space after it.

    Stands for: https://github.com/huggingface/transformers/pull/26053
    """

    fault = "specials"
    witness = comes_back("<m> a", special_tokens={"<m>": 300})

    def decode_bytes(self, ids):
        data, special_ids = b"", set(self.vocabulary.special_tokens.values())
        before = None
        for token_id in ids:
            token = self.token_bytes(token_id)
            data += token.removeprefix(b" ") if before in special_ids else token
            before = token_id
        return data


class BadSpacesBetweenSpecials(Base):
    """Decodes with a space between two special tokens.

    Stands for: a trap of joining what was apart
    """

    fault = "specials"
    witness = comes_back("<s><s>", special_tokens={"<s>": 300})

    def decode(self, ids):
        ids, special_ids = list(ids), set(self.vocabulary.special_tokens.values())
        text = b""
        for i, token_id in enumerate(ids):
            text += b" " if i and {ids[i - 1], token_id} <= special_ids else b""
            text += self.token_bytes(token_id)
        return self.to_text(text)


class BadSpecialsOfWhiteSpace(Base):
    """Ignores special tokens of white space.

    Stands for: https://github.com/huggingface/tokenizers/issues/1354
    """

    fault = "specials"
    witness = encodes("a b", special_tokens={" ": 300})

    def split_specials(self, text):
        return self.cut(tuple(token for token in self.vocabulary.special_tokens if token.strip()), text)


class BadSpecialsSkippedOnDecode(Base):
    """Decodes special tokens to nothing.

    Stands for: a trap of decoders made for display
    """

    fault = "specials"
    witness = comes_back("a<s>", special_tokens={"<s>": 300})

    def decode_bytes(self, ids):
        special_ids = set(self.vocabulary.special_tokens.values())
        return super().decode_bytes(token_id for token_id in ids if token_id not in special_ids)


class BadSpecialsRenumbered(Base):
    """Numbers the special tokens on from the last merge, whatever ids they have.

    Stands for: https://github.com/huggingface/transformers/pull/48446
    """

    fault = "specials"
    witness = encodes("<s>", special_tokens={"<s>": 300})

    def special_id(self, part):
        special_tokens = list(self.vocabulary.special_tokens)
        first = len(self.vocabulary.base) + len(self.merges)
        return first + special_tokens.index(part) if part in special_tokens else None


class BadSpecialTakesTokensId(Base):
    """A special token that is spelled like a token takes that token's place.

    Stands for: https://github.com/huggingface/tokenizers/pull/286
    """

    fault = "specials"
    witness = encodes_ordinary("ab", "a b", special_tokens={"ab": 300})

    def id_of(self, token):
        by_bytes = {text.encode(): token_id for text, token_id in self.vocabulary.special_tokens.items()}
        return by_bytes.get(token, super().id_of(token))


class BadOrdinaryRecognises(Base):
    """Ordinary encoding recognises special tokens.

    Stands for: a trap of defaults
    """

    fault = "specials"
    witness = encodes_ordinary("<s>", special_tokens={"<s>": 300})

    def encode_ordinary(self, text):
        return self.encode(text)


class BadOrdinaryDropsSpecials(Base):
    """Ordinary encoding drops the text of special tokens.

    Stands for: a trap of defaults
    """

    fault = "specials"
    witness = encodes_ordinary("a<s>", special_tokens={"<s>": 300})

    def encode_ordinary(self, text):
        parts = [part for part in self.split_specials(text) if part not in self.vocabulary.special_tokens]
        return super().encode_ordinary("".join(parts))


class BadSpecialsJoinTheirSides(Base):
    """Takes special tokens out and splits the text around them as one.

    Stands for: a trap of joining what was apart
    """

    fault = "specials"
    witness = encodes("a<s>b", "a b", special_tokens={"<s>": 300})

    def encode(self, text):
        parts = self.split_specials(text)
        if len(parts) == 3 and parts[1] in self.vocabulary.special_tokens:
            return [*self.encode_text(parts[0] + parts[2]), self.special_id(parts[1])]
        return super().encode(text)


class BadLearnsSpecials(Base):
    """Training takes special tokens in the corpus for text.

    Stands for: https://github.com/huggingface/tokenizers/issues/1616
    """

    fault = "specials"
    witness = trains(["a<s>b"], special_tokens=["<s>"])

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return super().train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)


class BadLearnsAcrossSpecials(Base):
    """Training drops special tokens and joins the text on either side of them.

    Stands for: https://github.com/huggingface/tokenizers/issues/1616
    """

    fault = "specials"
    witness = trains(["a<s>b"], special_tokens=["<s>"])

    @classmethod
    def pieces(cls, corpus, pattern, special_tokens):
        for document in cls.documents(corpus):
            ordinary = [part for part in cls.cut(special_tokens, document) if part not in special_tokens]
            yield from cls.split(pattern, "".join(ordinary))


class BadLearnsSpaceForSpecials(Base):
    """Training puts a space in the place of a special token.

    Stands for: https://github.com/huggingface/tokenizers/issues/1616
    """

    fault = "specials"
    witness = trains(["a<s>b"], special_tokens=["<s>"])

    @classmethod
    def pieces(cls, corpus, pattern, special_tokens):
        for document in cls.documents(corpus):
            parts = [" " if part in special_tokens else part for part in cls.cut(special_tokens, document)]
            yield from cls.split(pattern, "".join(parts))


class BadCutsFirstSpecialOnly(Base):
    """Training cuts out only the first special token of the list.

    Stands for: https://github.com/huggingface/tokenizers/issues/1616
    """

    fault = "specials"
    witness = trains(["a<s>b<t>c"], special_tokens=["<s>", "<t>"])

    @classmethod
    def pieces(cls, corpus, pattern, special_tokens):
        return super().pieces(corpus, pattern, special_tokens[:1])
