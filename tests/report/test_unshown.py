"""The share of rows whose answers say what nothing in them shows."""

from pathlib import Path

from measured import measured, talk, turn, weather

from generator.core.conversation import AssistantMessage, UserMessage


def test_rows_that_say_more_than_they_show_are_counted_and_named(tmp_path: Path):
    wind = [("get_weather", {"city": "Oslo"}, {"wind_kmh": 12, "high": 19})]
    report = measured(
        tmp_path,
        talk(*turn("How is it in Oslo?", wind, answer="There is a wind of 12 km/h, and it's up to 19°C.")),
        weather("How is it in Rome?", "Rome", "It is sunny, with 19°C.", unit="celsius"),
        talk(UserMessage(content="Thanks!"), AssistantMessage(content="That's $5.")),
        weather("How is it in Lima?", "Lima", "It is sunny, and a taxi costs $9."),
        weather("How is it in Bonn?", "Bonn"),
    )
    assert report.figures["unshown.rows"] == 25  # of four with calls; the tool itself tells of celsius
    assert report.metrics["unshown"].examples == {"nothing shows $ (currency)": [3]}
