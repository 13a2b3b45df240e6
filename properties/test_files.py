"""Section 8: files."""

import tempfile
from pathlib import Path

from implementations.plugged import CallFailed
from properties.cases.domains import CUT_FILES, HOSTILE, SAVED
from properties.claims import claim
from reference.model import Vocabulary


def saved_and_loaded(impl, tokenizer, other=None):
    """The tokenizer, once through a file. With an `other`, that file held it before, and another file holds it now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.model"
        if other is not None:
            other.save(path)
            impl.load(path)
        try:
            tokenizer.save(path)
        except FileExistsError:  # saving over a file may be refused
            path = Path(folder) / "new.model"
            tokenizer.save(path)
        if other is not None:
            other.save(Path(folder) / "other.model")
        return impl.load(path)


@claim("FIL-1", SAVED, needs=["save"], share=0.1)
def test_saving_and_loading_changes_nothing(impl, vocabulary, text):
    """A tokenizer saved and loaded encodes and decodes as before."""
    tokenizer = impl(vocabulary)
    loaded = saved_and_loaded(impl, tokenizer, impl(Vocabulary(pattern=vocabulary.pattern)))
    ids = tokenizer.encode(text)
    assert loaded.encode(text) == ids
    assert loaded.decode(ids) == tokenizer.decode(ids)


@claim("FIL-2", HOSTILE, needs=["save"], share=0.1)
def test_files_keep_every_token(impl, vocabulary):
    """Saving and loading keeps every token, whatever white space, line end, control character or # it holds."""
    fresh = impl(vocabulary)
    loaded = saved_and_loaded(impl, impl(vocabulary))
    for token_id, token in vocabulary.bytes_of.items():
        assert loaded.decode([token_id]) == token.decode(errors="replace")
    for token, token_id in vocabulary.id_of.items():
        if token_id >= len(vocabulary.base) and token.isascii() and token.decode() not in vocabulary.special_tokens:
            assert loaded.encode(token.decode()) == fresh.encode(token.decode())


@claim("FIL-3", CUT_FILES, level="should", needs=["save"], share=0.1)
def test_a_file_cut_short_does_no_harm(impl, vocabulary, text, cut):
    """Loading a file that was cut short raises an exception or gives a tokenizer whose round trip holds; it does not
    hang.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.model"
        impl(vocabulary).save(path)
        if not path.is_file():  # it saves to several files or to another name: nothing that could be cut here
            return
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * cut // 100])
        try:
            loaded = impl.load(path)
            text_again = loaded.decode(loaded.encode(text))
        except CallFailed:
            raise
        except Exception:
            return
    assert text_again == text
