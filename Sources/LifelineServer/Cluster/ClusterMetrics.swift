import ServerCluster
import ServerRuntime

// The metrics of a server as a member of a cluster, one status for each partition (rules CR-33 and CR-58).
extension [ClusterStatus] {
    /// Why the server is not ready for clients; nil if any partition is ready. If one partition made all servers unready, a load balancer
    /// would remove them all, and the applications of the other partitions could not be reached.
    var unreadiness: Unreadiness? {
        contains(where: \.isReady) ? nil : first.map { $0.trouble.isEmpty && !$0.isRefused ? .leader : .redis }
    }

    func write(to out: inout PrometheusText) {
        let gauges: [(String, String, (ClusterStatus) -> Int)] = [
            ("redis_connected", "1 while both connections to Redis can be used.", { $0.trouble.isEmpty ? 1 : 0 }),
            (
                "redis_refusing_writes",
                "1 while Redis refuses writes, because it is full, cannot save, or lacks replicas. Every server notices it.",
                { $0.isRefused ? 1 : 0 }
            ),
            (
                "redis_evicting",
                "1 while Redis deletes keys when its memory is full (maxmemory-policy other than noeviction). Checked every 10 s.",
                { $0.evictionPolicy == nil ? 0 : 1 }
            ),
            ("cluster_current", "1 while this server has read the whole cluster log without a gap.", { $0.isCurrent ? 1 : 0 }),
            ("cluster_leading", "1 on the server that leads the cluster.", { $0.role == .follower ? 0 : 1 }),
            (
                "cluster_generation", "The term of the leader that this server follows. Each new leader has a higher term.",
                { Int(clamping: $0.position?.generation ?? 0) }
            ),
            (
                "cluster_sequence",
                "The number of the leader's last batch of decisions that this server applied. A server lags if others have a higher number.",
                { Int(clamping: $0.position?.sequence ?? 0) }
            ),
            ("cluster_requests_waiting", "Requests of this server that the leader has not answered.", \.waitingRequests),
            ("cluster_nodes", "Servers that belong to the cluster, as counted by its leader; 0 on other servers.", \.nodes),
            (
                "cluster_queued_bytes",
                "Bytes of cluster changes that the leader has not yet written to Redis; 0 on servers that do not lead.",
                \.queuedBytes
            ),
        ]
        for (name, help, value) in gauges { write(name, .gauge, help: help, value, to: &out) }
        let counters: [(String, String, (ClusterStatus) -> Int)] = [
            ("cluster_repairs_total", "How often this server read missed cluster updates from the log in Redis.", \.repairs),
            (
                "cluster_losses_total",
                "How often cluster updates were lost, so that clients reconnected or were told that messages may be missing.",
                \.losses
            ),
            ("cluster_elections_total", "How often this server was elected as the leader.", \.elections),
        ]
        for (name, help, value) in counters { write(name, .counter, help: help, value, to: &out) }
    }

    /// Writes one family of metrics. Samples have a label for the partition only if there are several partitions, so that the series of
    /// other clusters keep their names.
    private func write(
        _ name: String, _ kind: PrometheusText.Kind, help: String, _ value: (ClusterStatus) -> Int, to out: inout PrometheusText
    ) {
        out.family(name, kind, help: help) { samples in
            for status in self {
                if let partition = status.partition {
                    samples.add(value(status), ["partition": "\(partition)"])
                } else {
                    samples.add(value(status))
                }
            }
        }
    }
}
