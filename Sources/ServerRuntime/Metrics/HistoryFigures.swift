import NIOConcurrencyHelpers
import ServerValues

/// How much the histories of a service's applications have, and when they are brought within their limits next (rule SO-165).
package final class HistoryFigures: Sendable {
    /// The figures of one application.
    package struct Figure: Sendable {
        package var slot: MetricSlot
        package var messages: Int
        package var bytes: Int
        /// The number of messages that were removed because of a limit since the last report.
        package var removed: Int

        package init(slot: MetricSlot, messages: Int, bytes: Int, removed: Int) {
            self.slot = slot
            self.messages = messages
            self.bytes = bytes
            self.removed = removed
        }
    }

    /// The time between two rounds.
    package static let interval: Duration = .seconds(10)

    private struct State: Sendable {
        var next: MonotonicInstant?
        var isRunning = false
        var hasFailed = false
        var messages: [MetricSlot: Int] = [:]
        var bytes: [MetricSlot: Int] = [:]
        var removed: [MetricSlot: Int] = [:]
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Whether a round begins now, which has to end with ``finish(_:)`` or ``fail()``.
    package func begins(at now: MonotonicInstant) -> Bool {
        state.withLockedValue { state in
            guard !state.isRunning, state.next.map({ now >= $0 }) ?? true else { return false }
            state.next = now.advanced(by: Self.interval)
            state.isRunning = true
            return true
        }
    }

    /// Ends a round with what each history has. Applications that share a slot are added up.
    package func finish(_ figures: [Figure]) {
        state.withLockedValue { state in
            state.isRunning = false
            state.hasFailed = false
            state.messages = [:]
            state.bytes = [:]
            for figure in figures {
                state.messages[figure.slot, default: 0] += figure.messages
                state.bytes[figure.slot, default: 0] += figure.bytes
                state.removed[figure.slot, default: 0] += figure.removed
            }
        }
    }

    /// Ends a round whose store has failed.
    ///
    /// - Returns: whether the round before it has not failed, so that the failure has to be told.
    package func fail() -> Bool {
        state.withLockedValue { state in
            defer { state.hasFailed = true }
            state.isRunning = false
            return !state.hasFailed
        }
    }

    /// Writes what is known. A store that does not count its histories has no samples.
    package func write(_ names: [ApplicationName], to out: inout PrometheusText) {
        let state = state.withLockedValue { $0 }
        func family(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ values: [MetricSlot: Int]) {
            out.family(name, kind, help) { samples in
                for (index, name) in names.enumerated() {
                    if let value = values[MetricSlot(index: index)] { samples.add(value, name.labels) }
                }
            }
        }
        family("history_messages", .gauge, "Stored messages of all histories of an application.", state.messages)
        family("history_bytes", .gauge, "Bytes of the stored messages, without the overhead of the store.", state.bytes)
        family(
            "history_removed_total", .counter, "Stored messages that were removed because of a limit of the history.",
            state.removed)
    }
}
