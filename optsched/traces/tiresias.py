"""The job lists of the Tiresias simulator (Gu et al., NSDI 2019)."""

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat

__all__ = ["TIRESIAS"]

#: ``duration`` is the time running; ``iterations`` is not in step with it, so it is not used.
#: The default cluster, 4 servers with 4 GPUs, keeps a list of 60 such jobs busy (load 0.94).
TIRESIAS = CsvFormat(
    name="tiresias",
    description="job list of the Tiresias simulator: num_gpu, submit_time, duration in seconds",
    default_cluster=ClusterShape(4, 4),
    submit="submit_time",
    gpus="num_gpu",
    duration="duration",
    job_id="job_id",
    counted=("model_name",),
)
