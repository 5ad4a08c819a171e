"""Online schedulers: when a job starts, and which one; each policy is a few parts put together."""

from optsched.policies.composed import ComposedPolicy
from optsched.policies.dally import Dally
from optsched.policies.delay import Delay
from optsched.policies.fewest_gpus import FewestGpus
from optsched.policies.fifo import Fifo, FifoBackfill
from optsched.policies.gandiva import Gandiva
from optsched.policies.gavel_fifo import GavelFifo
from optsched.policies.las import Las
from optsched.policies.philly import Philly
from optsched.policies.qssf import Qssf
from optsched.policies.sjf import Sjf
from optsched.policies.srtf import Srtf
from optsched.policies.themis import Themis
from optsched.policies.tiresias import Tiresias

__all__ = [
    "ComposedPolicy",
    "Dally",
    "Delay",
    "FewestGpus",
    "Fifo",
    "FifoBackfill",
    "Gandiva",
    "GavelFifo",
    "Las",
    "Philly",
    "Qssf",
    "Sjf",
    "Srtf",
    "Themis",
    "Tiresias",
]
