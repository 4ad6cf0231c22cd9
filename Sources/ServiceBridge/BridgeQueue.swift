import DequeModule
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime

/// The queue of messages that are to be published in the other services of a server. All servers that share a backend have one queue (rules
/// BR-11, BR-12 and BR-21).
///
/// Each service adds its messages under the lock that also orders these messages in the service. Each server has a bridge, which publishes
/// messages in the server's other services. Only the bridge that joined first takes messages from the queue. When the server of this bridge
/// stops, the next bridge continues. Each message is therefore bridged once and in order. A bridged message is never added to the queue
/// again, so there are no loops.
package final class BridgeQueue: BridgeTap {
    private struct State {
        /// The bridges of all servers, in the order in which they joined. Only the first one takes messages.
        var bridges: [ServiceBridge] = []
        var waiting: Deque<BridgedMessage> = []
        /// Whether the first bridge is scheduled to take messages from the queue.
        var isScheduled = false
    }

    private let state = NIOLockedValueBox(State())

    /// The most messages that wait in the queue. If a service publishes faster than the other services can process messages, further
    /// messages are not bridged, but they are still published in their own service (rule BR-12).
    package static let capacity = 65_536
    /// How many messages are bridged at a time before the event loop does other work.
    private static let burst = 128

    package init() {}

    // MARK: Bridges

    func join(_ bridge: ServiceBridge) {
        state.withLockedValue { $0.bridges.append(bridge) }
    }

    /// Removes a bridge. The next bridge continues with the queue. If there is none, the waiting messages are published before this method
    /// returns.
    func leave(_ bridge: ServiceBridge) async {
        // The bridge is removed on its event loop, so that it has published all messages that it took before the next bridge begins.
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

    /// How many messages wait in the queue, for the metrics of the first bridge. 0 for every other bridge, so that each message is counted
    /// once.
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
            // The bridge that was read above, under an earlier lock, may have been removed since. The message is then taken by the bridge
            // that is the first one now.
            guard let bridge = state.bridges.first else { return }
            guard state.waiting.count < Self.capacity else { return bridge.drop() }
            state.waiting.append(message)
            guard !state.isScheduled else { return }
            state.isScheduled = true
            schedule(&state)
        }
    }

    // MARK: Passing on

    /// Schedules the first bridge to take messages from the queue. Called under the lock, because a removed bridge must not be called any
    /// more.
    private func schedule(_ state: inout State) {
        guard let bridge = state.bridges.first else { return }
        bridge.eventLoop?.execute { self.drain(bridge) }
    }

    private func drain(_ bridge: ServiceBridge) {
        // While the queue of an event loop of the server is full, the bridge waits. The messages that wait in the bridge's queue are
        // limited by its capacity, so waiting cannot use unlimited memory (rules BR-12 and SV-14).
        let isHeld = bridge.context.congestion.wait { [weak self] in
            guard let self else { return }
            state.withLockedValue { self.schedule(&$0) }
        }
        guard isHeld == nil else { return }
        let messages = state.withLockedValue { state in
            // If this bridge is no longer the first one, another bridge continues with the queue.
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
