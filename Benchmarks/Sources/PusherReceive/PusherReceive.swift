import Dispatch
import Foundation
import PusherSwift

/// Subscribes a `PusherSwift` client to one channel of a feeder and prints one line of JSON when the event `end` comes.
///
/// Usage: PusherReceive PORT CHANNEL. The feeder's channels are `feed-COUNT-SIZE` (as fast as it can) and `pace-COUNT-SIZE-MS`
/// (one every MS milliseconds, with the time of sending in `t`). With any other channel it stays subscribed, for measuring
/// reconnects from the server's side.
@main struct PusherReceive {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            print("usage: PusherReceive PORT CHANNEL")
            exit(2)
        }
        let channelName = arguments[2]
        let queue = DispatchQueue(label: "benchmark")
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: port, useTLS: false)
        options.callbackQueue = queue
        let pusher = Pusher(key: "key", options: options)
        let measurement = Measurement(measuresLatency: channelName.hasPrefix("pace-"))
        let channel = pusher.subscribe(channelName)
        _ = channel.bind(eventName: "pusher:subscription_succeeded") { _ in measurement.start() }
        _ = channel.bind(eventName: "tick") { event in measurement.tick(event) }
        _ = channel.bind(eventName: "end") { _ in
            measurement.report()
            exit(0)
        }
        pusher.connect()
        withExtendedLifetime(pusher) { dispatchMain() }
    }
}

/// Counts and times. Used on the benchmark's queue only.
final class Measurement {
    private let measuresLatency: Bool
    private let launched = ContinuousClock.now
    private var started = ContinuousClock.now
    private var cpuAtStart = 0.0
    private var count = 0
    private var bytes = 0
    private var latencies: [Double] = []

    init(measuresLatency: Bool) {
        self.measuresLatency = measuresLatency
    }

    func start() {
        started = .now
        cpuAtStart = Self.cpu
    }

    func tick(_ event: PusherEvent) {
        count += 1
        guard let data = event.data else { return }
        bytes += data.utf8.count
        guard measuresLatency, let sent = Self.time(in: data) else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        latencies.append((Double(now.tv_sec) * 1e9 + Double(now.tv_nsec) - sent) / 1e6)
    }

    func report() {
        let elapsed = ContinuousClock.now - started
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let cpu = Self.cpu - cpuAtStart
        latencies.sort()
        var fields = [
            "\"client\":\"PusherSwift\"", "\"n\":\(count)", "\"secs\":\(seconds)",
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
    private static func time(in data: String) -> Double? {
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
