#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Determines how many processors this process may use. Rule SO-50.
enum SystemProcessors {
    static var allowance: ProcessorAllowance {
        var allowance = ProcessorAllowance(processors: text("/proc/self/status").flatMap { AffinityFile.count($0) } ?? online)
        let place = ControlGroupFile.Place(text("/proc/self/cgroup") ?? "")
        for group in place.unified.map(ControlGroupFile.ancestry) ?? [] {
            allowance.limit(to: text("/sys/fs/cgroup\(group)/cpu.max").flatMap { ControlGroupFile.quota(cpuMax: $0) })
        }
        for group in place.processors.map(ControlGroupFile.ancestry) ?? [] {
            let folder = "/sys/fs/cgroup/cpu\(group)"
            guard let quota = text("\(folder)/cpu.cfs_quota_us"), let period = text("\(folder)/cpu.cfs_period_us") else {
                continue
            }
            allowance.limit(to: ControlGroupFile.quota(cfsQuota: quota, period: period))
        }
        return allowance
    }

    private static var online: Int { max(Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))), 1) }

    /// The first bytes of a small file as text; nil when the file cannot be read.
    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
