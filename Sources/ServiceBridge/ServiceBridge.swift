import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime

/// Publishes the messages of each service of a server in its other services (rules BR-1 to BR-21). It takes messages from the queue that
/// all servers of a backend share, and publishes them on one event loop, without holding a lock.
package final class ServiceBridge: Sendable {
    package let textEvent: String
    let context: ServerContext
    private let fronts: [any BridgedFront]
    private let queue: BridgeQueue
    private let tally = NIOLockedValueBox((carried: 0, dropped: 0))

    /// Makes a bridge and adds it to the queue. The queue keeps the bridge and its services alive until ``end()`` is called.
    ///
    /// - Parameters:
    ///   - fronts: the services of the server.
    ///   - textEvent: the event name for plain texts from services whose messages have no event names.
    package init(_ fronts: [any BridgedFront], textEvent: String, _ context: ServerContext, queue: BridgeQueue) {
        self.fronts = fronts
        self.textEvent = textEvent
        self.context = context
        self.queue = queue
        queue.join(self)
    }

    /// Stops bridging. Call it when the services no longer accept messages. If this is the last bridge of the queue, the waiting messages
    /// are published before the function returns; otherwise the remaining bridges publish them.
    package func end() async {
        await queue.leave(self)
    }

    /// Numbers of messages: those that this bridge has passed to other services, those that were dropped, and those that wait in the
    /// queue now.
    package struct Counts: Hashable, Sendable {
        package var carried: Int
        /// Messages that were not bridged because the queue was full.
        package var dropped: Int
        package var queued: Int
    }

    package var counts: Counts {
        let (carried, dropped) = tally.withLockedValue { $0 }
        return Counts(carried: carried, dropped: dropped, queued: queue.count(for: self))
    }

    var eventLoop: (any EventLoop)? { context.loops.first?.eventLoop }

    // MARK: Called by the queue

    /// Whether messages of a channel are bridged: only if every service treats the channel as public (rule BR-4).
    package func accepts(channel: String) -> Bool {
        fronts.allSatisfy { $0.isPublic(channel: channel) }
    }

    func takes(channel: String, of application: String, from service: String) -> Bool {
        fronts.contains { $0.bridgeName == service && $0.bridgedApplication?.isExactly(application) == true }
            && accepts(channel: channel)
    }

    func publish(_ messages: some Collection<BridgedMessage>) {
        guard !messages.isEmpty else { return }
        tally.withLockedValue { $0.carried += messages.count }
        for message in messages {
            for front in fronts where front.bridgeName != message.origin {
                guard let application = front.bridgedApplication,
                    !front.publish(message, to: application, textEvent: textEvent)
                else { continue }
                context.logger.debug(
                    "the bridge skipped a message that the receiving service cannot carry",
                    metadata: ["from": "\(message.origin)", "to": "\(front.bridgeName)"])
            }
        }
    }

    /// Counts a message that was dropped because the queue is full; logs a warning for the first one.
    func drop() {
        let isFirst = tally.withLockedValue { tally in
            tally.dropped += 1
            return tally.dropped == 1
        }
        if isFirst { context.logger.warning("the queue of the bridge between services is full: new messages are dropped") }
    }
}

extension ServiceBridge {
    /// Adds the bridge's metrics to a Prometheus answer.
    package func write(to out: inout PrometheusText) {
        let counts = counts
        out.value("bridge_messages_total", .counter, help: "Messages that the bridge passed to other services.", counts.carried)
        out.value(
            "bridge_messages_dropped_total", .counter, help: "Messages that the bridge dropped because its queue was full.",
            counts.dropped)
        out.value(
            "bridge_messages_queued", .gauge, help: "Messages that wait in the queue of the bridge between services.",
            counts.queued)
    }
}
