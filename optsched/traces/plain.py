"""The plainest table of jobs: when, how many GPUs, how long."""

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.trace_format import CsvFormat

__all__ = ["PLAIN"]

#: The default cluster is small, 4 servers with 8 GPUs; a table of one's own wants its own.
PLAIN = CsvFormat(
    name="plain",
    description="a table of one's own: job_id, submit_s, gpus, duration_s",
    default_cluster=ClusterShape(4, 8),
    submit="submit_s",
    gpus="gpus",
    duration="duration_s",
    job_id="job_id",
)
