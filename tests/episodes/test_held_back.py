"""Episodes that end with a question for a value: who asks nothing does not pass."""

from pathlib import Path

from played import ROOT, opened

from generator.episodes.player import play_idle, play_reference


def test_the_missing_value_must_be_asked_for(tmp_path: Path):
    path = tmp_path / "recipe.yaml"
    tools = [str(ROOT / "tool_specs" / name) for name in ("weather.json", "tickets.yaml")]
    path.write_text(f"name: held\nrows: 12\ntools: {tools}\nscenarios: [held_back]\n")
    tasks = opened(path)
    episode, asking = tasks.episode(), 0
    for index in range(12):
        asks = bool(tasks.task(index).opening.proof.asks)
        asking += asks
        episode.reset(index)
        play_reference(episode)
        assert episode.score().reward == 1.0
        episode.reset(index)
        play_idle(episode)
        score = episode.score()
        assert (score.parts.get("asked"), score.reward < 1.0) == ((0.0, True) if asks else (None, False))
    episode.close()
    assert 0 < asking < 12
