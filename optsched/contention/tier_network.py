"""The network of a tiered cluster, and the hierarchy of rings of a job on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from optsched.contention.collectives import RingDimension
from optsched.contention.model_files import ModelTable, model_names, read_model
from optsched.core.rate_model import RateModel

__all__ = ["TierNetwork", "load_tiers", "tier_names", "tiers_title"]


@dataclass(frozen=True, slots=True)
class TierNetwork:
    """Rates and latencies of the tiers; the defaults are those of Dally's simulator.

    Parameters
    ----------
    group_gpus
        GPUs of a machine that are joined all to all.
    group_bytes_per_s, group_latency_s
        Of the links in such a group.
    machine_bytes_per_s, machine_latency_s
        Of the ring that joins the groups of a machine.
    rack_bytes_per_s, rack_latency_s
        Of the ring that joins the machines of a rack.
    network_bytes_per_s, network_latency_s
        Of the switch that joins racks.

    Examples
    --------
    16 GPUs on two machines of one rack: groups of 4, two of them in each machine, two machines.

    >>> [(one.units, one.tier) for one in TierNetwork().dimensions(16, machines=2, racks=1)]
    [(4, 'machine'), (2, 'machine'), (2, 'rack')]
    """

    group_gpus: int = 4
    group_bytes_per_s: float = 600e9
    group_latency_s: float = 0.0
    machine_bytes_per_s: float = 600e9
    machine_latency_s: float = 500e-9
    rack_bytes_per_s: float = 200e9
    rack_latency_s: float = 5e-6
    network_bytes_per_s: float = 400e9
    network_latency_s: float = 50e-6

    @classmethod
    def of(cls, model: RateModel) -> TierNetwork:
        """Read the network off the parameters of the rate model ``tiered``."""
        return cls(int(model.value("group_gpus")), *(model.value(key) for key in _RATE_KEYS))

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the rate model that stand for this network."""
        return {field.name: float(getattr(self, field.name)) for field in fields(self)}

    def dimensions(
        self,
        gpus: int,
        machines: int,
        racks: int,
        *,
        rack_factor: float = 1.0,
        network_factor: float = 1.0,
    ) -> tuple[RingDimension, ...]:
        """Return the hierarchy of rings of a job, the innermost first.

        What counts are the numbers of GPUs, machines and racks: at each level the GPUs are taken to
        be spread evenly. Where they cannot be, because the number does not divide, all GPUs of that
        level form one flat ring at its speed.

        Parameters
        ----------
        gpus, machines, racks
            What the job is spread over.
        rack_factor, network_factor
            How many times slower contention makes the links of these tiers.
        """
        return tuple(self._inwards(gpus, machines, racks, rack_factor, network_factor))[::-1]

    def _inwards(
        self, gpus: int, machines: int, racks: int, rack_factor: float, network_factor: float
    ) -> Iterator[RingDimension]:
        left = gpus
        if racks > 1:
            is_even = left % racks == 0
            units = racks if is_even else left
            rate = self.network_bytes_per_s / network_factor
            yield RingDimension(units, rate, self.network_latency_s, "network")
            if not is_even:
                return
            left //= racks
        if machines > racks:
            per_rack, over = divmod(machines, racks)
            is_even = over == 0 and left % per_rack == 0
            rate = self.rack_bytes_per_s / rack_factor
            units = per_rack if is_even else left
            yield RingDimension(units, rate, self.rack_latency_s, "rack")
            if not is_even:
                return
            left //= per_rack
        groups = -(-left // self.group_gpus)
        if left % groups:
            yield RingDimension(left, self.machine_bytes_per_s, self.machine_latency_s, "machine")
            return
        if groups > 1:
            yield RingDimension(groups, self.machine_bytes_per_s, self.machine_latency_s, "machine")
        if left > groups:
            grouped = left // groups
            yield RingDimension(grouped, self.group_bytes_per_s, self.group_latency_s, "machine")


#: In the order of the fields, after ``group_gpus``.
_RATE_KEYS = tuple(field.name for field in fields(TierNetwork) if field.name != "group_gpus")


def tier_names() -> list[str]:
    """Return the names of the tiered networks that ship with the package.

    Examples
    --------
    >>> "dally" in tier_names()
    True
    """
    return model_names("tiers")


def load_tiers(name: str | Path) -> TierNetwork:
    """Return a tiered network by name, or from a ``.toml`` file of one's own.

    Keys that a file does not give are as in Dally's simulator.

    Raises
    ------
    UnknownNameError
        If there is none of this name; the message offers the nearest.
    FileFormatError
        If its file is wrong; the message names the key.

    Examples
    --------
    >>> load_tiers("dally") == TierNetwork()
    True
    """
    table = _read(name)
    for key in _RATE_KEYS:
        if key.endswith("_bytes_per_s") and table.values.get(key) == 0:
            raise table.error(key, "a rate above 0", "0")
    if table.values.get("group_gpus") == 0:
        raise table.error("group_gpus", "a whole number of at least 1", "0")
    default = TierNetwork()
    group_gpus = table.count("group_gpus") if "group_gpus" in table else default.group_gpus
    rates = [table.amount(key, default=getattr(default, key)) for key in _RATE_KEYS]
    return TierNetwork(group_gpus, *rates)


def tiers_title(name: str | Path) -> str:
    """Return what a tiered network is, in a line."""
    return _read(name).text("title")


def _read(name: str | Path) -> ModelTable:
    table = read_model("tiers", "tiered network", name)
    table.check_keys(("title", "group_gpus", *_RATE_KEYS, "source"))
    source = table.table("source")
    for key in source.values:
        source.text(key)
    return table
