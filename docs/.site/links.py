"""A hook of mkdocs: what the pages link to outside docs/ is not on the site, so it stands as text there."""

import re

_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!docs/)[^)]*\)")


def on_page_markdown(markdown, page, config, files):
    """The page with such links replaced by their text; links inside docs/ stay."""
    depth = page.file.src_uri.count("/")

    def replaced(match):
        target = match[0].rpartition("](")[2].rstrip(")")
        outside = target.count("../") > depth
        return match[1] if outside else match[0]

    return _OUTSIDE.sub(replaced, markdown)
