/// The number of processors that a process may use, according to files of the system (rule SO-50).
///
/// Two event loops on one processor have twice the overhead of one and are slower, so the server starts this number of event loops.
struct ProcessorAllowance: Hashable, Sendable {
    /// The processors on which the scheduler may run the process: fewer than the machine has if `taskset` or a CPU set limits them.
    var processors: Int
    /// The lowest quota of all control groups that contain the process, in processors; nil for no limit.
    var quota: Double?

    /// The number of processors, at least 1. A quota is rounded up: with a quota of 1.5, two event loops can each be busy for 75 % of the
    /// time.
    var count: Int {
        // A quota above the number of processors has no effect.
        max(1, quota.map { Int(min($0, Double(processors)).rounded(.up)) } ?? processors)
    }

    mutating func limit(to other: Double?) {
        guard let other else { return }
        quota = min(quota ?? other, other)
    }
}

/// Parses the limits of processor time in the files of control groups.
enum ControlGroupFile {
    /// The lowest accepted quota in processors. Lower quotas do not occur on real systems; zero and negative quotas are invalid.
    private static let least = 0.001

    /// The quota in `cpu.max` of version 2, such as `max 100000` or `150000 100000`: microseconds in each period. Nil when there is no
    /// limit, or when the text is invalid.
    static func quota(cpuMax text: some StringProtocol) -> Double? {
        let words = words(text)
        guard words.count == 2 else { return nil }
        return quota(words[0], period: words[1])
    }

    /// The quota in `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1. A quota of -1 means no limit, which is nil.
    static func quota(cfsQuota quota: some StringProtocol, period: some StringProtocol) -> Double? {
        let (quota, period) = (words(quota), words(period))
        guard quota.count == 1, period.count == 1 else { return nil }
        return self.quota(quota[0], period: period[0])
    }

    private static func quota(_ quota: String, period: String) -> Double? {
        guard let quota = Int64(quota), let period = Int64(period), quota > 0, period > 0 else { return nil }
        return max(Double(quota) / Double(period), least)
    }

    /// The paths of a process in the hierarchies of version 2 and of version 1's CPU controller, from `/proc/self/cgroup`.
    struct Place: Hashable, Sendable {
        var unified: String?
        var processors: String?

        init(_ text: some StringProtocol) {
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3, parts[2].hasPrefix("/") else { continue }
                if parts[0] == "0", parts[1].isEmpty {
                    unified = String(parts[2])
                } else if parts[1].split(separator: ",").contains("cpu") {
                    processors = String(parts[2])
                }
            }
        }
    }

    /// The group at `path` and all groups that contain it, because each may have a limit: `/a/b`, `/a` and the root, whose path is empty.
    static func ancestry(of path: String) -> [String] {
        var steps = path.split(separator: "/")
        // A path outside of the container's namespace contains `..`. Its files are not accessible in the container.
        guard !steps.contains("..") else { return [""] }
        var found: [String] = []
        while !steps.isEmpty {
            found.append("/" + steps.joined(separator: "/"))
            steps.removeLast()
        }
        return found + [""]
    }

    private static func words(_ text: some StringProtocol) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { String($0) }
    }
}

/// Parses the processors that the scheduler may use for a process, from `/proc/self/status`.
enum AffinityFile {
    /// The number of processors in the line `Cpus_allowed_list:`, such as `0-3,8`. Nil without a valid line.
    static func count(_ status: some StringProtocol) -> Int? {
        for line in status.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0] == "Cpus_allowed_list" else { continue }
            var count = 0
            for range in parts[1].split(separator: ",") {
                let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { end in
                    UInt16(String(end.drop(while: \.isWhitespace)))
                }
                guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
                    return nil
                }
                count += Int(last - first) + 1
            }
            return count > 0 ? count : nil
        }
        return nil
    }
}
