"""Reads the settings of a station and checks them before they are sent over the radio."""

from dataclasses import dataclass

SHORTEST_INTERVAL_S = 30
LONGEST_INTERVAL_S = 3600


class ConfigError(ValueError):
    """A setting that a station would refuse."""


@dataclass(frozen=True)
class StationConfig:
    """What one station is told to do."""

    station: str
    report_interval_s: int
    frost_alarm_below_c: float | None
    camera: bool


def parse(fields: dict[str, str]) -> StationConfig:
    """Turns the fields of the form into a configuration.

    Raises ConfigError with the code CFG-12 if the interval is out of bounds, and CFG-15 if a camera is
    switched on for a Kestrel, which has none.
    """
    interval = int(fields["report_interval_s"])
    if not SHORTEST_INTERVAL_S <= interval <= LONGEST_INTERVAL_S:
        raise ConfigError(f"CFG-12: the interval must be {SHORTEST_INTERVAL_S} to {LONGEST_INTERVAL_S} s")
    station = fields["station"]
    camera = fields.get("camera") == "on"
    if camera and station.startswith("K-"):
        raise ConfigError("CFG-15: a Kestrel has no camera")
    frost = fields.get("frost_alarm_below_c")
    return StationConfig(station, interval, float(frost) if frost else None, camera)


def airtime_ms(config: StationConfig) -> int:
    """Radio time of one report; the law permits 36 seconds in an hour."""
    return 410 if config.camera else 62
