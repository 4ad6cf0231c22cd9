import Foundation

/// Counts and times. Used on the benchmark's queue only.
public final class Measurement {
    private let client: String
    private let measuresLatency: Bool
    private let launched = ContinuousClock.now
    private var started = ContinuousClock.now
    private var cpuAtStart = 0.0
    private var count = 0
    private var bytes = 0
    private var latencies: [Double] = []

    public init(client: String, measuresLatency: Bool) {
        self.client = client
        self.measuresLatency = measuresLatency
    }

    /// Whether the first event has come.
    public private(set) var isRunning = false

    public func start() {
        isRunning = true
        started = .now
        cpuAtStart = Self.cpu
    }

    public func tick(bytes size: Int, sentAt sent: Double?) {
        count += 1
        bytes += size
        guard measuresLatency, let sent else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        latencies.append((Double(now.tv_sec) * 1e9 + Double(now.tv_nsec) - sent) / 1e6)
    }

    public func report() {
        let elapsed = ContinuousClock.now - started
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let cpu = Self.cpu - cpuAtStart
        latencies.sort()
        var fields = [
            "\"client\":\"\(client)\"", "\"n\":\(count)", "\"secs\":\(seconds)",
            "\"msgs_per_s\":\(Int(Double(count) / seconds))",
            "\"cpu_us_per_msg\":\(cpu * 1e6 / Double(max(count, 1)))", "\"bytes\":\(bytes)",
        ]
        if !latencies.isEmpty {
            fields.append("\"p50_ms\":\(latencies[latencies.count / 2])")
            fields.append("\"p99_ms\":\(latencies[latencies.count * 99 / 100])")
        }
        print("{\(fields.joined(separator: ","))}")
        fflush(nil)
    }

    /// The value of `"t":` in a feeder's payload, in nanoseconds.
    public static func time(in data: String) -> Double? {
        guard let range = data.range(of: "\"t\":") else { return nil }
        return Double(data[range.upperBound...].prefix { $0.isNumber })
    }

    /// User and system time of this process, in seconds.
    private static var cpu: Double {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which Glibc and Darwin declare with different types.
        getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
