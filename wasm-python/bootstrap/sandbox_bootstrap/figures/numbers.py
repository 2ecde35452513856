"""Numbers and names of a figure as short text."""

from typing import Any

_NAME_LENGTH = 60
_CATEGORIES_NAMED = 8


def number(value: Any) -> str:
    """A number with four significant digits."""
    text = f"{float(value):.4g}"
    return "0" if text == "-0" else text


def quoted(text: object) -> str:
    """A label in quotation marks, on one line, shortened."""
    label = " ".join(str(text).split())
    if len(label) > _NAME_LENGTH:
        label = label[: _NAME_LENGTH - 1] + "…"
    return f'"{label}"'


def on_axis(axis: Any, value: Any) -> str:
    """A position as its axis means it: a date, a category, or a number."""
    try:
        converter = axis.get_converter()
        kind = type(converter).__name__ if converter is not None else ""
        if "Date" in kind or "Period" in kind:
            return _date(axis, value)
        if kind == "StrCategoryConverter":
            names = {position: name for name, position in axis.units._mapping.items()}
            return names.get(round(float(value)), number(value))
    except Exception:
        pass
    return number(value)


def _date(axis: Any, value: Any) -> str:
    if "Period" in type(axis.get_converter()).__name__:  # pandas draws periods at their ordinals
        from pandas import Period

        return str(Period(ordinal=int(value), freq=axis.freq))
    from matplotlib.dates import num2date

    moment = num2date(value).replace(tzinfo=None)
    if moment == moment.replace(hour=0, minute=0, second=0, microsecond=0):
        return moment.date().isoformat()
    return moment.isoformat(" ", "minutes")


def axis_range(axes: Any, name: str) -> str:
    """Label, range and scale of one axis, such as `x "time" 0 to 10 (log)`."""
    axis = getattr(axes, f"{name}axis")
    if not axis.get_visible():
        return ""
    parts = [name]
    label = axis.get_label_text().strip()
    if label:
        parts.append(quoted(label))
    low, high = getattr(axes, f"get_{name}lim")()
    shown = getattr(axes, "_axis3don", axes.axison)
    categories = tick_names(axis, low, high) if shown else []
    if categories:
        count = len(categories)
        more = f", … ({count})" if count > _CATEGORIES_NAMED else ""
        parts.append("of " + ", ".join(categories[:_CATEGORIES_NAMED]) + more)
    elif shown:
        parts.append(f"{on_axis(axis, low)} to {on_axis(axis, high)}")
    elif not label:
        return ""
    scale = axis.get_scale()
    if scale != "linear":
        parts.append(f"({scale})")
    return " ".join(parts)


def tick_names(axis: Any, low: float, high: float) -> list[str]:
    """The tick labels of an axis of categories; empty for one of numbers or dates."""
    names = tick_names_by_position(axis)
    low, high = min(low, high), max(low, high)
    return [name for position, name in names.items() if low <= position <= high]


def tick_names_by_position(axis: Any) -> dict[float, str]:
    """Fixed, non-numeric tick labels by their position."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    formatter = axis.get_major_formatter()
    if not isinstance(formatter, (FixedFormatter, StrCategoryFormatter, FuncFormatter)):
        return {}
    positions = axis.get_majorticklocs()
    names = [str(name).strip() for name in formatter.format_ticks(positions)]
    if not isinstance(formatter, StrCategoryFormatter) and all(map(_is_number, names)):
        return {}
    pairs = zip(positions, names, strict=False)
    return {float(position): name for position, name in pairs if name}


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").replace(",", "").rstrip("%") or "0")
    except ValueError:
        return False
    return True
