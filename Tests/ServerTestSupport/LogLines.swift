import Logging
import NIOConcurrencyHelpers

/// What a server logs, for tests that wait for a line or look for what must not be in any.
final class LogLines: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(text: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = NIOLockedValueBox(State())

    var all: [String] { state.withLockedValue(\.lines) }

    func count(of text: String) -> Int { all.count { $0.contains(text) } }

    func logger(_ level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { _ in Handler(lines: self, logLevel: level) }
    }

    /// Returns when `count` lines with this text have come.
    func wait(for text: String, count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLockedValue { state in
                if state.lines.count(where: { $0.contains(text) }) >= count { return true }
                state.waiters.append((text, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func add(_ line: String) {
        let ready = state.withLockedValue { state in
            state.lines.append(line)
            let lines = state.lines
            let isReady = { (text: String, count: Int) in lines.count { $0.contains(text) } >= count }
            let ready = state.waiters.filter { isReady($0.text, $0.count) }
            state.waiters.removeAll { isReady($0.text, $0.count) }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.add("\(event.level) \(event.message) \(fields)")
        }
    }
}
