"""Settings that are on or off, as git reads them (config.c, git_parse_maybe_bool)."""


def is_on(value: str | None, *, default: bool) -> bool:
    """Read a value; None is a setting that is not there. What git would call an error is off."""
    if value is None:
        return default
    word = value.lower()
    if word in ("true", "yes", "on"):
        return True
    return word.lstrip("+-").isdigit() and int(word) != 0
