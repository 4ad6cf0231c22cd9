import ServerCluster
import ServerRuntime

// The metrics of a server as a member of a cluster (rule CR-33).
extension ClusterStatus {
    /// Why the server is not ready for clients; nil when it is.
    var unreadiness: Unreadiness? {
        isReady ? nil : trouble.isEmpty && !isRefused ? .leader : .redis
    }

    func write(to out: inout PrometheusText) {
        let gauges: [(String, String, Int)] = [
            ("redis_connected", "1 while both connections to Redis can be used.", trouble.isEmpty ? 1 : 0),
            (
                "redis_refusing_writes",
                "1 while Redis refuses writes, because it is full, cannot save, or lacks replicas. Every server notices it.",
                isRefused ? 1 : 0
            ),
            (
                "redis_evicting",
                "1 while Redis deletes keys when its memory is full (maxmemory-policy other than noeviction). Checked every 10 s.",
                evictionPolicy == nil ? 0 : 1
            ),
            ("cluster_current", "1 while this server has read the whole log without a gap.", isCurrent ? 1 : 0),
            ("cluster_leading", "1 on the server that leads the cluster.", role == .follower ? 0 : 1),
            (
                "cluster_generation", "The number of the leader that this server follows.",
                Int(clamping: position?.generation ?? 0)
            ),
            (
                "cluster_sequence",
                "The last batch of the leader that this server applied. A lower value than on other servers is a lag.",
                Int(clamping: position?.sequence ?? 0)
            ),
            ("cluster_requests_waiting", "Requests of this server that the leader has not answered.", waitingRequests),
            ("cluster_nodes", "Servers that take part, as their leader knows; 0 on others.", nodes),
            ("cluster_queued_bytes", "Bytes of decisions that wait for Redis; 0 on servers that do not lead.", queuedBytes),
        ]
        for (name, help, value) in gauges { out.value(name, .gauge, help, value) }
        let counters: [(String, String, Int)] = [
            ("cluster_repairs_total", "How often missing messages were read from the log.", repairs),
            ("cluster_losses_total", "How often state was lost and clients were told so.", losses),
            ("cluster_elections_total", "How often this server was elected.", elections),
        ]
        for (name, help, value) in counters { out.value(name, .counter, help, value) }
    }
}
