import DequeModule
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime

/// Messages between the services of the servers that share a backend, on their way to the server that carries them (rules BR-11, BR-12
/// and BR-21).
///
/// Each service hands its messages over under the lock that orders them. They wait in one queue, from which the first server that has
/// a bridge takes them: so each is carried once and in order, also when that server stops and the next one goes on. What was carried is
/// never handed over again, so nothing goes in circles.
package final class BridgeQueue: BridgeTap {
    private struct State {
        /// In the order in which they joined. The first one carries.
        var bridges: [ServiceBridge] = []
        var waiting: Deque<BridgedMessage> = []
        /// Whether the first bridge is scheduled to process the queue.
        var isScheduled = false
    }

    private let state = NIOLockedValueBox(State())

    /// More than these do not wait: a service that publishes faster than the others can take loses messages on the bridge, not its
    /// own (rule BR-12).
    package static let capacity = 65_536
    /// How many messages are carried before other work of the event loop has its turn.
    private static let burst = 128

    package init() {}

    // MARK: Bridges

    func join(_ bridge: ServiceBridge) {
        state.withLockedValue { $0.bridges.append(bridge) }
    }

    /// Ends a bridge. The next one continues with the queue; the last one publishes it before this returns.
    func leave(_ bridge: ServiceBridge) async {
        // On its event loop, so that nothing that it took from the queue is still on its way when the next one begins.
        try? await bridge.eventLoop?.submit {
            let rest = self.state.withLockedValue { state -> Deque<BridgedMessage> in
                state.bridges.removeAll { $0 === bridge }
                guard state.bridges.isEmpty else {
                    if state.isScheduled { self.schedule(&state) }
                    return []
                }
                defer { state = State() }
                return state.waiting
            }
            bridge.publish(rest)
        }.get()
    }

    /// How many messages wait for a bridge.
    func count(for bridge: ServiceBridge) -> Int {
        state.withLockedValue { $0.bridges.first === bridge ? $0.waiting.count : 0 }
    }

    // MARK: Taking

    package func carry(
        from service: String, application: String, channel: String, _ message: (_ textEvent: String) -> BridgedMessage?
    ) {
        guard let bridge = state.withLockedValue(\.bridges.first),
            bridge.takes(channel: channel, of: application, from: service), let message = message(bridge.textEvent)
        else { return }
        state.withLockedValue { state in
            // The first bridge may have left meanwhile.
            guard let bridge = state.bridges.first else { return }
            guard state.waiting.count < Self.capacity else { return bridge.drop() }
            state.waiting.append(message)
            guard !state.isScheduled else { return }
            state.isScheduled = true
            schedule(&state)
        }
    }

    // MARK: Passing on

    /// Schedules the first bridge to read the queue. Called under the lock, because a bridge that has left must not be called any more.
    private func schedule(_ state: inout State) {
        guard let bridge = state.bridges.first else { return }
        bridge.eventLoop?.execute { self.drain(bridge) }
    }

    private func drain(_ bridge: ServiceBridge) {
        // The queue here is bounded, so the other services can be slowed down (rules BR-12 and SV-14).
        let isHeld = bridge.context.congestion.wait { [weak self] in
            guard let self else { return }
            state.withLockedValue { self.schedule(&$0) }
        }
        guard isHeld == nil else { return }
        let messages = state.withLockedValue { state in
            // Another bridge continues with the queue.
            guard state.bridges.first === bridge else { return [BridgedMessage]() }
            let count = min(state.waiting.count, Self.burst)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        bridge.publish(messages)
        state.withLockedValue { state in
            guard state.bridges.first === bridge else { return }
            state.isScheduled = !state.waiting.isEmpty
            if state.isScheduled { schedule(&state) }
        }
    }
}
