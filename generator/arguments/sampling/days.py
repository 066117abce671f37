"""Dates and times of day as people use them: mostly near days, mostly on the quarter hour."""

from collections.abc import Callable
from datetime import date

from generator.core.seeds import Draw

Maker = Callable[[Draw], str]

_FIRST = date(1, 1, 1).toordinal()
_LAST = date(9999, 12, 31).toordinal()
_HOURS = (7, *[8] * 2, *[9] * 3, *[10] * 3, *[11] * 2, *[12] * 2, *[13] * 2, *[14] * 3, *[15] * 3, *[16] * 2, *[17] * 2, *[18] * 2, *[19] * 2, 20, 21)  # fmt: skip
_MINUTES = (*[0] * 10, *[30] * 8, *[15] * 4, *[45] * 4, 10, 20, 40, 50, 5)
TIMES = tuple(f"{hour:02d}:{minute:02d}" for hour in _HOURS for minute in _MINUTES)
"""Times of day, each as often as it is used."""
ALL_TIMES = tuple(f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in range(60))


def _day(ordinal: int) -> str:
    """Return a day as ISO 8601 writes it."""
    return date.fromordinal(min(max(ordinal, _FIRST), _LAST)).isoformat()


def make_date(when: str | None) -> Maker:
    """Return a maker of days, mostly near ones: after today (default), on such from Monday to Friday (`working`), before it (`past`), of birth."""
    if when == "birth":
        return lambda draw: _day(draw.today.toordinal() - 18 * 366 - int(draw.rand() * 60 * 365))
    if when == "past":
        return lambda draw: _day(draw.today.toordinal() - 1 - int((share := draw.rand()) * share * 120))

    def at_work(draw: Draw) -> str:
        """Draw a near day from Monday to Friday."""
        day = draw.today.toordinal() + 1 + int((share := draw.rand()) * share * 90)
        weekday = (day - 1) % 7
        return _day(day + 7 - weekday if weekday > 4 else day)

    return (
        at_work
        if when == "working"
        else lambda draw: _day(draw.today.toordinal() + 1 + int((share := draw.rand()) * share * 90))
    )


def make_edge_date(when: str | None) -> Maker:
    """Return a maker of days at the end and the beginning of months and years, near today; of birth: such days and leap days."""
    if when == "birth":
        return lambda draw: draw.choice(_EDGES_OF_BIRTH)

    def make(draw: Draw) -> str:
        """Draw the last or first day of a month or year near today."""
        year = draw.today.year
        if when == "past":
            return draw.choice((date(year - 1, 12, 31), date(year, 1, 1), _month_end(year - 1, 2))).isoformat()
        month_end = _month_end(year, draw.today.month)
        february = _month_end(year if draw.today.month < 3 else year + 1, 2)
        return draw.choice((month_end, date(year, 12, 31), date(year + 1, 1, 1), february)).isoformat()

    return make


_EDGES_OF_BIRTH = ("1960-01-01", "1976-02-29", "1984-02-29", "1999-12-31", "2000-01-01", "2000-02-29", "2004-02-29")


def _month_end(year: int, month: int) -> date:
    """Return the last day of a month."""
    first_of_next = date(year + month // 12, month % 12 + 1, 1)
    return date.fromordinal(first_of_next.toordinal() - 1)


def make_clock(template: str) -> Callable[[str | None], Maker]:
    """Return a maker of clock times, written as `template` says with `{time}`."""
    times = tuple(template.replace("{time}", time) for time in TIMES)
    count = len(times)

    def make(when: str | None) -> Maker:
        return lambda draw: times[int(draw.rand() * count)]

    return make


def make_month(when: str | None) -> Maker:
    """Return a maker of calendar months, YYYY-MM."""
    day = make_date(when)
    return lambda draw: day(draw)[:7]


def make_moment(template: str) -> Callable[[str | None], Maker]:
    """Return a maker of a day with a clock time, written as `template` says with `{day}` and `{time}`; who names a time means a near day."""
    before, _, rest = template.partition("{day}")
    middle, _, after = rest.partition("{time}")

    def make(when: str | None) -> Maker:
        """Return a maker of texts with a day and a clock time."""
        day = (
            make_date(when)
            if when
            else lambda draw: _day(draw.today.toordinal() + 1 + int((share := draw.rand()) * share * 21))
        )
        return lambda draw: f"{before}{day(draw)}{middle}{draw.choice(TIMES)}{after}"

    return make


def make_year(when: str | None) -> Callable[[Draw], int]:
    """Return a maker of calendar years near today's."""
    if when == "birth":
        return lambda draw: draw.today.year - 18 - int(draw.rand() * 60)
    if when == "past":
        return lambda draw: draw.today.year - int(draw.rand() * draw.rand() * 12)
    return lambda draw: draw.today.year + int(draw.rand() * 2.5) - int(draw.rand() * 2)
