"""What an implementation declares, looked at once before anything is asked of it."""

import reference
from implementations.plugged import CallFailed, Implementation


class BadDeclaration(ValueError):
    """An implementation says of itself what the contract does not know, or cannot be asked; the message says what."""


def check_declared(implementation: Implementation) -> None:
    """Read all that an implementation declares. Raises `BadDeclaration`, so that nothing runs on a misunderstanding.

    >>> class Mine:
    ...     rank_by = "length"
    >>> check_declared(Implementation.of(Mine))
    Traceback (most recent call last):
        ...
    properties.declared.BadDeclaration: Mine cannot be used: rank_by is 'length'; the contract says 'pair' or 'bytes'
    """
    try:
        _ = implementation.version, implementation.title, implementation.algorithm, implementation.rank_by
        _ = implementation.own_vocabulary, implementation.whole_piece_first
        rules = implementation.tie_rules or ()
        _ = implementation.can
    except CallFailed as error:
        raise BadDeclaration(f"{implementation.name} cannot be used: {str(error).splitlines()[0]}") from None
    except Exception as error:
        raise BadDeclaration(f"{implementation.name} cannot be used: {type(error).__name__}: {error}") from None
    unknown = [rule for rule in rules if rule not in reference.TIE_RULES]
    if unknown:
        raise BadDeclaration(
            f"{implementation.name} cannot be used: tie_rules names {unknown[0]!r}; "
            f"there are {', '.join(reference.TIE_RULES)}"
        )
