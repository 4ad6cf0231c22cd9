import NIOConcurrencyHelpers
import ServerValues

/// Stores the number and size of the messages in the histories of a service's applications, for metrics. Also determines when the histories
/// are next reduced to their limits (rule SO-165).
package final class HistoryFigures: Sendable {
    /// The counts of messages in the histories of one application.
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

    /// The time between two rounds. A round reduces all histories to their limits and counts their messages.
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

    /// Returns whether the histories have to be reduced and counted now. If so, the caller must end this round with ``finish(_:)`` or
    /// ``fail()``.
    package func begins(at now: MonotonicInstant) -> Bool {
        state.withLockedValue { state in
            guard !state.isRunning, state.next.map({ now >= $0 }) ?? true else { return false }
            state.next = now.advanced(by: Self.interval)
            state.isRunning = true
            return true
        }
    }

    /// Ends a round of reducing and counting with the counts of each application. Counts of applications that share a slot in metrics are
    /// added up.
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

    /// Ends a round of reducing and counting in which the store has failed.
    ///
    /// - Returns: whether the previous round succeeded, so that this failure has to be logged.
    package func fail() -> Bool {
        state.withLockedValue { state in
            defer { state.hasFailed = true }
            state.isRunning = false
            return !state.hasFailed
        }
    }

    /// Writes the metrics of the last round in which the histories could be reduced and counted. A store that does not count its messages
    /// adds no samples.
    package func write(_ names: [ApplicationName], to out: inout PrometheusText) {
        let state = state.withLockedValue { $0 }
        func family(_ name: String, _ kind: PrometheusText.Kind, help: String, _ values: [MetricSlot: Int]) {
            out.family(name, kind, help: help) { samples in
                for (index, name) in names.enumerated() {
                    if let value = values[MetricSlot(index: index)] { samples.add(value, name.labels) }
                }
            }
        }
        family("history_messages", .gauge, help: "Messages that are stored in all histories of an application.", state.messages)
        family("history_bytes", .gauge, help: "Bytes of the stored messages, without the overhead of the store.", state.bytes)
        family(
            "history_removed_total", .counter, help: "Stored messages that were removed because a history exceeded its limit.",
            state.removed)
    }
}
