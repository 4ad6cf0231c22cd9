import Foundation
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// What the SQLite store takes and gives: messages stored and acknowledged in a second, and pages of history from a million.
///
/// `StoreBenchmark [chat] [DIRECTORY [MESSAGES]]`; without a directory in a temporary one that is removed again. With `chat` it is
/// the chat store: commits, and pages of an inbox with as many messages.
@main struct StoreBenchmark {
    static func main() async throws {
        let isChat = CommandLine.arguments.dropFirst().first == "chat"
        let arguments = CommandLine.arguments.dropFirst(isChat ? 2 : 1)
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let given = arguments.first
        let directory = given ?? FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID())").path
        defer { if given == nil { try? FileManager.default.removeItem(atPath: directory) } }
        if isChat { return try await ChatWorkload.run(directory: directory, count: count) }
        let store = try SQLiteMessageStore(directory: directory)
        // Tokens of now, so that a restart finds all of them recent.
        let workload = Workload(store: store, first: max(try await store.restore().highestTimetoken + 1, systemTicks()))
        for inFlight in [1, 8, 64] { await workload.append(20_000, inFlight: inFlight, "append, \(inFlight) in flight") }
        await workload.append(count, inFlight: 1024, "append, 1024 in flight")
        await workload.history(20_000, "history of 100, nothing else")
        let writing = Task { await workload.appendUntilCancelled(perSecond: 5000) }
        await workload.history(20_000, "history of 100, 5,000 appends/s beside it")
        writing.cancel()
        await writing.value
        try await workload.startup()
        await store.close()
    }
}

/// Half of the messages go to one channel, half to a thousand.
struct Workload: Sendable {
    let store: SQLiteMessageStore
    let first: UInt64
    private let next: NIOLockedValueBox<UInt64>
    private let payload = Array("{\"text\":\"\(String(repeating: "x", count: 130))\",\"n\":1}".utf8)

    init(store: SQLiteMessageStore, first: UInt64) {
        self.store = store
        self.first = first
        next = NIOLockedValueBox(first)
    }

    private func message() -> StoredMessage {
        let token = next.withLockedValue { next in
            defer { next += 1 }
            return next
        }
        return StoredMessage(timetoken: token, channel: channel(token), publisher: "benchmark", payload: payload)
    }

    private func channel(_ token: UInt64) -> Identifier {
        token % 2 == 0 ? "one" : Identifier("channel \(token &* 0x9E37_79B9_7F4A_7C15 >> 32 % 1000)")
    }

    /// Appends with a fixed number of messages that wait for their acknowledgement.
    func append(_ count: Int, inFlight: Int, _ title: String) async {
        let cpu = CPU.used()
        let latencies = NIOLockedValueBox<[Double]>([])
        latencies.withLockedValue { $0.reserveCapacity(count) }
        let clock = ContinuousClock()
        let remaining = NIOLockedValueBox(count)
        let time = await clock.measure {
            await withCheckedContinuation { continuation in
                @Sendable func one() {
                    let sent = clock.now
                    store.append(message(), application: "demo") { error in
                        guard error == nil else { fatalError("append failed: \(String(describing: error))") }
                        let done = latencies.withLockedValue { latencies in
                            latencies.append((clock.now - sent).inSeconds)
                            return latencies.count == count
                        }
                        if done { continuation.resume() }
                        let more = remaining.withLockedValue { remaining in
                            remaining -= 1
                            return remaining >= 0
                        }
                        if more { one() }
                    }
                }
                remaining.withLockedValue { $0 -= inFlight }
                for _ in 0..<inFlight { one() }
            }
        }
        let rate = Double(count) / time.inSeconds
        let each = (CPU.used() - cpu) / Double(count)
        print("\(title): \(Int(rate))/s, \(micro(each)) µs CPU each, \(quantiles(latencies.withLockedValue { $0 }))")
    }

    /// Appends in bursts every 10 ms.
    func appendUntilCancelled(perSecond: Int) async {
        while !Task.isCancelled {
            for _ in 0..<perSecond / 100 { store.append(message(), application: "demo") { _ in } }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Pages of random channels from random places, one after the other.
    func history(_ count: Int, _ title: String) async {
        var latencies: [Double] = []
        latencies.reserveCapacity(count)
        let clock = ContinuousClock()
        let last = next.withLockedValue { $0 }
        let cpu = CPU.used()
        var messages = 0
        for _ in 0..<count {
            let token = UInt64.random(in: first..<last)
            let query = HistoryQuery(channel: channel(token), start: token, limit: 100)
            let time = await clock.measure { messages += (try? await store.history(query, application: "demo").count) ?? 0 }
            latencies.append(time.inSeconds)
        }
        let each = (CPU.used() - cpu) / Double(count)
        print("\(title): \(messages / count) messages a page, \(micro(each)) µs CPU each, \(quantiles(latencies))")
    }

    /// What a restart reads.
    func startup() async throws {
        var kept = 0
        let time = try await ContinuousClock().measure {
            kept = try await store.restore().recent.values.reduce(0) { $0 + $1.count }
        }
        print("restore: \(kept) recent messages in \(Int(time.inSeconds * 1000)) ms")
    }

}

func quantiles(_ values: [Double]) -> String {
    let sorted = values.sorted()
    func at(_ part: Double) -> String { micro(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) }
    return "p50 \(at(0.5)) µs, p99 \(at(0.99)) µs, max \(micro(sorted.last ?? 0)) µs"
}

func micro(_ seconds: Double) -> String { String(format: "%.1f", seconds * 1e6) }

enum CPU {
    /// Seconds of processor time that this process has used.
    static func used() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
