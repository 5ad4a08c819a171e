"""Microsoft's Philly trace (Jeon et al., ATC 2019), reduced to one line a job."""

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat

__all__ = ["PHILLY"]

#: The duration is a sum over attempts, so what passed between attempts is not in it. Rows that
#: are equal are different jobs: the file has neither ids nor users to tell.
#: The default cluster, 352 servers with 8 GPUs, has room for the largest job (128 GPUs) and is of
#: the size of the clusters such logs come from.
PHILLY = CsvFormat(
    name="philly",
    description="Philly log reduced to timestamp, duration, num_gpus, gpu_time, cluster",
    default_cluster=ClusterShape(352, 8),
    submit="timestamp",
    gpus="num_gpus",
    duration="duration",
    times_are_dates=True,
    counted=("cluster",),
    filters={"virtual_cluster": "cluster"},
    notes=("a timestamp without a zone is read as UTC",),
)
