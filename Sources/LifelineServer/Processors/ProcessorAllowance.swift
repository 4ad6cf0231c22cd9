/// How many processors a process may use, by the system's files. Rule SO-50.
///
/// Two event loops on one processor do twice the work of one and are slower than it, so this is how many the server starts.
struct ProcessorAllowance: Hashable, Sendable {
    /// The processors on which the scheduler may run the process; fewer than the machine has with `taskset` or a CPU set.
    var processors: Int
    /// The time that control groups leave it, in processors; nil for no limit. The least of all groups that it is in.
    var quota: Double?

    /// A quota of one and a half keeps two loops busy for three quarters of the time.
    var count: Int {
        // A quota above the number of processors is not rounded.
        max(1, quota.map { Int(min($0, Double(processors)).rounded(.up)) } ?? processors)
    }

    mutating func limit(to other: Double?) {
        guard let other else { return }
        quota = min(quota ?? other, other)
    }
}

/// Reads the limits of processor time from the files of control groups.
enum ControlGroupFile {
    /// The least quota that counts; a smaller one is not a number of a real system, and none of them is less than nothing.
    private static let least = 0.001

    /// `cpu.max` of version 2: `max 100000` or `150000 100000`, microseconds in each period. Nil when there is no limit, and when the
    /// text makes no sense.
    static func quota(cpuMax text: some StringProtocol) -> Double? {
        let words = words(text)
        guard words.count == 2 else { return nil }
        return quota(words[0], period: words[1])
    }

    /// `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1; a quota of -1 is no limit.
    static func quota(cfsQuota quota: some StringProtocol, period: some StringProtocol) -> Double? {
        let (quota, period) = (words(quota), words(period))
        guard quota.count == 1, period.count == 1 else { return nil }
        return self.quota(quota[0], period: period[0])
    }

    private static func quota(_ quota: String, period: String) -> Double? {
        guard let quota = Int64(quota), let period = Int64(period), quota > 0, period > 0 else { return nil }
        return max(Double(quota) / Double(period), least)
    }

    /// Where a process is in the trees of version 2 and of the processors' controller of version 1, from `/proc/self/cgroup`.
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

    /// The group at `path` and all that it lies in, each of which may have a limit: `/a/b`, `/a` and the root, which is empty.
    static func ancestry(of path: String) -> [String] {
        var steps = path.split(separator: "/")
        // A path of the host's, seen from a container beside it, has such steps. Nobody knows what lies there.
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

/// The processors that the scheduler may give a process, from `/proc/self/status`.
enum AffinityFile {
    /// How many there are in the line `Cpus_allowed_list:`, such as `0-3,8`. Nil without a line that makes sense.
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
