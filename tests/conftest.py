"""How tests run here: machines may be slow and shared, and shells start background jobs with SIGINT ignored."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("anywhere", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anywhere")

# children inherit an ignored signal, but not a handler
signal.signal(signal.SIGINT, signal.default_int_handler)
