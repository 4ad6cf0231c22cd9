import ServerCluster
import ServerRuntime

// The metrics of a server's place in a cluster (rule CR-33).
extension ClusterStatus {
    /// Why clients are not welcome; nil when they are.
    var unreadiness: Unreadiness? {
        isReady ? nil : trouble.isEmpty && !isRefused ? .leader : .redis
    }

    func write(to out: inout PrometheusText) {
        let gauges: [(String, String, Int)] = [
            ("redis_connected", "Whether both connections to Redis can be used.", trouble.isEmpty ? 1 : 0),
            ("redis_refusing_writes", "Whether Redis takes no writes.", isRefused ? 1 : 0),
            ("redis_evicting", "Whether Redis deletes keys when its memory is full.", evictionPolicy == nil ? 0 : 1),
            ("cluster_current", "Whether this server follows the log of the cluster without a hole.", isCurrent ? 1 : 0),
            ("cluster_leading", "Whether this server decides for the cluster.", role == .follower ? 0 : 1),
            ("cluster_generation", "Which leader this server follows.", Int(clamping: position?.generation ?? 0)),
            ("cluster_sequence", "The last batch of this leader that was applied.", Int(clamping: position?.sequence ?? 0)),
            ("cluster_requests_waiting", "Requests of this server that the leader has not answered.", waitingRequests),
            ("cluster_nodes", "Servers that take part, as their leader knows; 0 on others.", nodes),
            ("cluster_queued_bytes", "Bytes of decisions that wait for Redis; 0 on servers that do not lead.", queuedBytes),
        ]
        for (name, help, value) in gauges { out.value(name, .gauge, help, value) }
        let counters: [(String, String, Int)] = [
            ("cluster_repairs_total", "Times that missing messages were read from the log.", repairs),
            ("cluster_losses_total", "Losses of facts that were reported to clients.", losses),
            ("cluster_elections_total", "Times that this server was elected.", elections),
        ]
        for (name, help, value) in counters { out.value(name, .counter, help, value) }
    }
}
