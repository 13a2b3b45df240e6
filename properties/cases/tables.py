"""The characters and words that tokenizers get wrong, by the reason why they do.

Every table is a tuple of texts; the programs of `programs.py` draw from them by number.
"""

WHITE_SPACE = (
    *("  ", "\t", "\n", "\r\n", "\r", "\n\n", " \n", "\t\t", "\v", "\f"),
    *("\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u1680"),  # Python's \s knows U+001C-1F, Unicode does not
    *(chr(code) for code in range(0x2000, 0x200B)),
    *("\u2028", "\u2029", "\u202f", "\u205f", "\u3000"),
    *("\u180e", "\u200b", "\u2060", "\ufeff"),  # look like white space to some engines
)

UTF8_BORDERS = (
    *("\x00", "\x01", "\x7f", "\x80", "\xff", "\u0100", "\u07ff", "\u0800", "\ud7ff", "\ue000"),
    *("\ufdd0", "\ufffd", "\ufffe", "\uffff", "\U00010000", "\U0001ffff", "\U000e0001", "\U0010ffff"),
)

# One text, and what a tokenizer that normalises or folds case would make of it, side by side.
NORMALISATION = (
    *("é", "e\u0301", "ﬁ", "fi", "Å", "\u212b", "A\u030a", "①", "²", "½", "ｆ", "\uac00", "\u1100\u1161"),
    *("i\u0307", "İ", "ı", "ſ", "\u212a", "ß", "ẞ", "ς", "σ", "ǆ", "ǅ", "ŉ", "\u0345", "ͺ", "\u0340", "\u0958"),
)

COMBINING = (
    "\u0301" * 40,
    "\u0301",
    "\u0308",
    "\u20dd",
    "\u093f",
    "\u094d",
    "\u0e33",
    "\u200d",
    "\u200c",
    "\u034f",
    "\u0f71\u0f72",
)

EMOJI = (
    *("🙂", "🙃", "👍🏽", "👩‍👩‍👧", "🏳️‍🌈", "🇩🇪", "🇩", "1️⃣", "☕", "☕\ufe0f"),
    *("\U0001f3fb", "\U000e0067", "❤\ufe0f\u200d🔥"),
)

WORDS = (
    *("two", "The", "the", "hello", "HELLO", "don't", "I'll", "'s", "'S", "'ſ", "it's", "x", "ab", "café", "naïve"),
    *("1", "12", "123", "1234", "٣٤", "Ⅷ", "日本語", "中", "ไทย", "हिन्दी", "한국어", "עברית", "Ünïcödé", "ǅwords"),
    *("foo_bar", "fooBar", "a.b", "http://x.y/z?q=1", "<p>", "#", "##", "_", "/", "\\", "\\n", '"', "`", "%s", "{}"),
)

# What stands for something else in some tokenizer or some file: byte names, marks of spaces and word ends, escapes.
LOOKALIKES = (
    *("<0x41>", "<0xE2>", "<0x0A>", "\\x41", "\\u0041", "\\n", "&amp;", "&#65;", "%41", "\u0120", "\u0120a", "\u010a"),
    *(
        "\u2581",
        "\u2581a",
        "##a",
        "a@@",
        "a@@ a",
        "</w>",
        "a</w>",
        "_",
        "<unk>",
        "[UNK]",
        "<s>",
        "<|endoftext|>",
        "<pad>",
    ),
    *(
        "\u00c3\u00a9",
        "\u00ef\u00bb\u00bf",
        "\ufffd",
        "None",
        "nan",
        "0x41",
        "b'a'",
        "[a, b]",
        "{0}",
        "$1",
        "\\1",
        "a\tb",
    ),
)

PUNCTUATION = (".", ",", "!", "?", "...", "!!", "'", "’", "—", "(", ")", "[", "]", "$", "€", "+", "^", "|", "*", "\\d")

LINES = (
    "\n",
    "\r\n",
    "\r",
    "\u2028",
    "\x85",
    "\n\r",
    "\n \n",
    " \r\n ",
    "\x0b",
    "\x0c",
    "\ufeff",
    "\x00",
    "\x1a",
    "\x04",
)

SURROGATES = ("\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude42", "\ude42\ud83d", "\udc80")

# Special tokens of many shapes: overlapping, prefixes of one another, with regex characters, beside spaces.
SPECIAL_SETS: tuple[tuple[str, ...], ...] = (
    ("<|end|>",),
    ("<s>", "<s>>"),
    ("<s>", "</s>", "<s"),
    ("ab", "abc"),
    ("abc", "b"),
    ("aa", "a"),
    ("aba", "ba"),
    (".", ".*"),
    ("[x]+", "(x)"),
    (" ",),
    ("a b", " a"),
    ("<|a|>", "<|a|><|b|>", "<|b|>"),
    ("é", "e\u0301"),
    ("🙂", "\n"),
    ("|", "||", "|||"),
    ("$", "^", "\\"),
    ("<|end|>", "<|end|> ", " <|end|>"),
    ("<" + "s" * 40 + ">", "<" + "s" * 39 + ">"),
    ("<\r\n>", "\t"),
    ("<\x00s>", "<"),
    ("<\u00e9>", "<K>"),
)

# Alphabets of a few characters, so that pairs meet again and again. Bytes from 0x80 up and NUL are among them.
ALPHABETS: tuple[tuple[str, ...], ...] = (
    ("a", "b"),
    ("a", "b", "c"),
    ("a",),
    ("a", "b", "c", "d"),
    ("a", " "),
    ("a", "b", " "),
    ("a", "é"),
    ("é", "è"),
    ("\x00", "a"),
    ("\x00", "\x01", "a"),
    ("a", "\n", " "),
    ("\x7f", "\x80"),
    ("€", "₭"),
    ("🙂", "🙃"),
    ("0", "1", " "),
    ("i", "\u0307", "I"),
    ("a", "A", "1", "."),
    ("ÿ", "a", "þ"),
)

PIECE_LENGTHS = (16, 32, 64, 100, 127, 128, 129, 255, 256, 257, 500, 511, 512, 513, 1023, 1024, 1025)

# Texts that are equal once stripped, folded, normalised, cut short, hashed or looked up among inherited names.
ALIKE = (
    *("a", "A", "a ", " a", "a\t", "a\n", "aa", "a\x00", "a\x00b", "", " ", "  ", "\xa0", "é", "e\u0301", "ﬁ", "fi"),
    *("ß", "ss", "SS", "ſ", "s", "Å", "\u212b", "1", "01", "１", "-1", "-2", "1.0", "True", "None", "ab", "ba"),
    *("it", "items", "keys", "get", "pop", "copy", "__class__", "toString", "constructor", "__proto__", "length"),
    *("a" * 33, "a" * 32 + "b", "a" * 65, "a" * 64 + "b", "b" + "a" * 64),
    *("a" * 8 + "b" + "a" * 8, "a" * 9 + "b" + "a" * 7),
)

# Where the patterns of section 2 part from their look-alikes.
SPLITTING = (
    *(
        "we'llama 'llx l'l",
        "'RExy I'LLx it'Sx 'Tx 'VEx 'Mx 'Dx",
        "'rexy 'sx 'tx 'vex 'mx 'dx",
        "'ſx 'ſ",
        "don'T",
        "''s '' '",
    ),
    *(
        "a\t\tb",
        "a\n\nb",
        "a \n b",
        "a\r\n\r\nb",
        "a  b   c",
        "\tb",
        "\n\tb\n",
        " \n\n  \n x",
        "a\xa0\xa0b",
        "a \u3000b",
        "x \t",
    ),
    *(
        "12345 1234567 ٣٤٥٦ ²³ ⅧⅨ 1a2b",
        "1² 2٣4 Ⅷ9 ²! !²",
        "a1 1a _a a_ é1",
        "a.b,c!!\n\n??\n//",
        "...\r\n",
        "¿qué? «x»",
        "$5 €5 -5 +5",
    ),
    *(
        "a\U00031350b",
        "\U00011f04\U00011f05",
        "a\u0301b \u0301",
        "ǅx ʰx ªx",
        "हिन्दी ไทย 한국어 中文字",
        "FooBar fooBAR FOOb",
        "👍🏽👩‍👩‍👧 x",
    ),
    *(
        "\x00a\x00",
        "\x1c\x1d a",
        "\u180ea \u200ba \ufeffa",
        "\x85a\u2028b",
        "<s>a</s>",
        "a" * 70 + " " * 70,
        "'" * 40 + "s" * 40,
    ),
)

# Every table of texts that are entries on their own.
TEXTS = (WHITE_SPACE, UTF8_BORDERS, NORMALISATION, COMBINING, EMOJI, WORDS, LOOKALIKES, PUNCTUATION, LINES)
