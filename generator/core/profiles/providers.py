"""The limits of providers' APIs on tools that are sent with a request: the records of providers.yaml."""

import msgspec

from generator.core.profiles.profile import Profile
from generator.core.yaml_values import own_data

PROVIDERS = msgspec.convert(own_data(__file__), tuple[Profile, ...])
