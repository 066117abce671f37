"""How tests run here: machines may be slow and shared, and shells start background jobs with SIGINT ignored."""

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile("anywhere", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci", parent=settings.get_profile("anywhere"), derandomize=True
)  # a change is judged by the same examples each time
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")

# children inherit an ignored signal, but not a handler
signal.signal(signal.SIGINT, signal.default_int_handler)
