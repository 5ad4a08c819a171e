"""The law of the rate model ``tiered`` written out once more, sharing nothing with the package."""


def tiered_time_s(instance, job, allocation, others):
    """Return τ of a job on ``allocation`` (GPUs of each server) beside other allocations."""
    row, given = instance.jobs[job], instance.rate_model.mapping
    if row.gpus == 1:
        return row.compute_s
    racks = [server.rack for server in instance.cluster.servers]

    def factor(jobs):
        return jobs + instance.cluster.fabric.degradation * (jobs - 1)

    def links(one):
        """Return what an allocation loads: servers by number, racks by name."""
        used = {server for server, count in enumerate(one) if count}
        over = {racks[server] for server in used}
        gpus = sum(one)
        loaded = set()
        if len(over) > 1:
            loaded |= over
        if len(used) > len(over) and (len(over) == 1 or gpus % len(over) == 0):
            loaded |= used
        return loaded

    mine = links(allocation)
    shared = {link: 1 + sum(link in links(other) for other in others) for link in mine}
    if not given["contention"]:
        shared = dict.fromkeys(mine, 1)
    slow_rack = factor(max((n for link, n in shared.items() if isinstance(link, int)), default=1))
    slow_net = factor(max((n for link, n in shared.items() if isinstance(link, str)), default=1))

    used = [server for server, count in enumerate(allocation) if count]
    r, m, g = len({racks[server] for server in used}), len(used), row.gpus
    levels = []  # innermost first: units, bytes per second, latency
    inside = None
    if r > 1 and g % r:
        levels = [(g, given["network_bytes_per_s"] / slow_net, given["network_latency_s"])]
    else:
        per_rack = g // r
        if m > r and (m % r or per_rack % (m // r)):
            levels = [(per_rack, given["rack_bytes_per_s"] / slow_rack, given["rack_latency_s"])]
        else:
            inside = per_rack // (m // r)
            if m > r:
                levels = [(m // r, given["rack_bytes_per_s"] / slow_rack, given["rack_latency_s"])]
        if r > 1:
            levels.append((r, given["network_bytes_per_s"] / slow_net, given["network_latency_s"]))
    if inside is not None:
        machine = given["machine_bytes_per_s"], given["machine_latency_s"]
        groups = (inside + given["group_gpus"] - 1) // given["group_gpus"]
        if inside % groups:
            levels.insert(0, (inside, *machine))
        else:
            group = given["group_bytes_per_s"], given["group_latency_s"]
            levels = [(inside // groups, *group), (groups, *machine), *levels]

    layers = [[float(word) for word in text.split()] for text in given["layers.net"].split(";")]
    scale = given["compute_scale.net"]
    clock = scale * sum(layer[0] for layer in layers)
    free = 0.0
    for _, input_s, weight_s, size in layers[::-1]:
        clock += scale * weight_s
        duration, part = 0.0, size
        for units, rate, latency in levels:
            part /= units
            duration += 2 * (units - 1) * (part / rate + latency)
        free = max(free, clock) + (duration if size else 0.0)
        clock += scale * input_s
    compute = scale * sum(sum(layer[:3]) for layer in layers)
    return row.compute_s * max(free, clock) / compute
