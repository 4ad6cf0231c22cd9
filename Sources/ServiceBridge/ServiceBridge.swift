import DequeModule
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime

/// Carries messages between the services of one server (rules BR-1 to BR-14).
///
/// Each service hands its messages over under the lock that orders them; they wait in one queue, and one event loop publishes them
/// to the other services with no lock held. What was carried is never handed over again, so nothing goes in circles.
package final class ServiceBridge: BridgeTap {
    package let textEvent: String
    private let context: ServerContext
    private let state = NIOLockedValueBox(State())

    private struct State {
        var fronts: [any BridgedFront] = []
        var waiting: Deque<BridgedMessage> = []
        var isScheduled = false
        var carried = 0
        var dropped = 0
    }

    /// More than these do not wait: a service that publishes faster than the others can take loses messages on the bridge, not its
    /// own (rule BR-12).
    package static let capacity = 65_536
    /// So many are carried before other work of the event loop has its turn.
    private static let burst = 128

    package init(textEvent: String, _ context: ServerContext) {
        self.textEvent = textEvent
        self.context = context
    }

    /// Names the services that are bridged. They hold the bridge as their tap, so ``end()`` has to follow.
    package func join(_ fronts: [any BridgedFront]) {
        state.withLockedValue { $0.fronts = fronts }
    }

    /// Carries nothing any more.
    package func end() {
        state.withLockedValue { state in
            state.fronts = []
            state.waiting = []
        }
    }

    /// What became of messages.
    package struct Counts: Hashable, Sendable {
        package var carried: Int
        /// Messages that were not carried because too many waited.
        package var dropped: Int
        package var queued: Int

        package init(carried: Int, dropped: Int, queued: Int) {
            self.carried = carried
            self.dropped = dropped
            self.queued = queued
        }
    }

    package var counts: Counts {
        state.withLockedValue { Counts(carried: $0.carried, dropped: $0.dropped, queued: $0.waiting.count) }
    }

    // MARK: Taking

    package func accepts(channel: String) -> Bool {
        state.withLockedValue(\.fronts).allSatisfy { $0.isPublic(channel: channel) }
    }

    package func carry(_ message: BridgedMessage) {
        let mustSchedule = state.withLockedValue { state in
            guard !state.fronts.isEmpty else { return false }
            guard state.waiting.count < Self.capacity else {
                state.dropped += 1
                if state.dropped == 1 {
                    context.logger.warning("the bridge drops messages: they come faster than they go")
                }
                return false
            }
            state.waiting.append(message)
            guard !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { schedule() }
    }

    // MARK: Passing on

    private func schedule() {
        context.loops.first?.eventLoop.execute { self.drain() }
    }

    private func drain() {
        // What waits here is bounded by itself, so the other services can be slowed down (rules BR-12 and SV-14).
        let isHeld = context.congestion.wait { [weak self] in self?.schedule() }
        if isHeld == nil { passOn() }
    }

    private func passOn() {
        let (fronts, messages): ([any BridgedFront], [BridgedMessage]) = state.withLockedValue { state in
            let count = min(state.waiting.count, Self.burst)
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            state.carried += count
            state.isScheduled = !state.waiting.isEmpty
            return (state.fronts, taken)
        }
        for message in messages {
            for front in fronts where front.bridgeName != message.origin && !front.publish(message) {
                context.logger.debug(
                    "not carried by the bridge", metadata: ["from": "\(message.origin)", "to": "\(front.bridgeName)"])
            }
        }
        if state.withLockedValue(\.isScheduled) { schedule() }
    }
}

extension ServiceBridge {
    /// Adds the bridge's families to the metrics.
    package func write(to out: inout PrometheusText) {
        let counts = counts
        out.value("bridge_messages_total", .counter, "Messages carried to other services.", counts.carried)
        out.value(
            "bridge_messages_dropped_total", .counter, "Messages not carried because too many waited.", counts.dropped)
        out.value("bridge_messages_queued", .gauge, "Messages that wait to be carried.", counts.queued)
    }
}
