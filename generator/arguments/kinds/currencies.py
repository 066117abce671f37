"""The signs with which amounts are written; of a currency without one its code is written: "PLN 45"."""

from generator.core.yaml_values import own_data

SIGNS: dict[str, str] = own_data(__file__)
"""Code → sign."""
