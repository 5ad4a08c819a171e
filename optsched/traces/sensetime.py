"""The SenseTime jobs of Dally's simulator (Sharma et al.), sizes from the Helios log."""

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat

__all__ = ["SENSETIME"]

#: ``trace_duration_s`` is the time on one GPU: the gang's own, without loss to the network, is
#: that over GPUs. No job keeps the name of its model, because a job's profile has to be a file of
#: ``models/dnn``; the report has the mix.
#: The default cluster has 128 GPUs: 16 servers with 8, half of them in each of two racks.
SENSETIME = CsvFormat(
    name="sensetime",
    description="SenseTime jobs of Dally's simulator: trace_duration_s is one-GPU time",
    default_cluster=ClusterShape(16, 8, racks=2),
    submit="arrival_s",
    gpus="gpus",
    duration="trace_duration_s",
    job_id="job_id",
    duration_is_one_gpu=True,
    counted=("model",),
    kept=("total_iterations", "time_per_iteration_s"),
    notes=("duration = trace_duration_s / GPUs: what a gang takes that never waits for a network",),
)
