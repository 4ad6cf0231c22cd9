import DequeModule
import Logging
import NIOConcurrencyHelpers
import NexconnProtocol
import RealtimeHub

/// Carries messages between the services of one server (rules BR-1 to BR-14).
///
/// Each service hands its messages over under the lock that orders them; they wait in one queue, and one event loop publishes them
/// to the other services with no lock held. What was carried is never handed over again, so nothing goes in circles.
final class ServiceBridge: Sendable {
    let settings: Bridge
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    private struct State {
        weak var core: ServerCore?
        var waiting: Deque<BridgedMessage> = []
        var isScheduled = false
        var carried = 0
        var dropped = 0
    }

    /// More than these do not wait: a service that publishes faster than the others can take loses messages on the bridge, not its
    /// own (rule BR-12).
    static let capacity = 65_536
    /// So many are carried before other work of the event loop has its turn.
    private static let burst = 128

    init(_ settings: Bridge, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    /// Names the server whose services are bridged.
    func join(_ core: ServerCore) {
        state.withLockedValue { $0.core = core }
    }

    /// What became of messages.
    struct Counts: Hashable, Sendable {
        var carried: Int
        /// Messages that were not carried because too many waited.
        var dropped: Int
        var queued: Int
    }

    var counts: Counts {
        state.withLockedValue { Counts(carried: $0.carried, dropped: $0.dropped, queued: $0.waiting.count) }
    }

    // MARK: Taking

    /// An event of Pusher's.
    func carry(event: String, data: String, channel: String, application: Application) {
        guard application.id == settings.applicationID, BridgedMessage.accepts(channel: channel) else { return }
        enqueue(BridgedMessage(event: event, data: data, channel: channel))
    }

    /// A message of PubNub's.
    func carry(_ message: StoredMessage) {
        guard BridgedMessage.accepts(channel: message.channel) else { return }
        if let message = BridgedMessage(message, settings: settings) { enqueue(message) }
    }

    /// A message in an open channel of chat.
    func carry(_ message: NexconnMessage) {
        guard BridgedMessage.accepts(channel: message.to) else { return }
        enqueue(BridgedMessage(message, settings: settings))
    }

    private func enqueue(_ message: BridgedMessage) {
        let core: ServerCore? = state.withLockedValue { state in
            guard state.waiting.count < Self.capacity else {
                state.dropped += 1
                if state.dropped == 1 { logger.warning("the bridge drops messages: they come faster than they go") }
                return nil
            }
            state.waiting.append(message)
            guard !state.isScheduled else { return nil }
            state.isScheduled = state.core != nil
            return state.core
        }
        if let core { schedule(core) }
    }

    // MARK: Passing on

    private func schedule(_ core: ServerCore) {
        core.outlets.first?.eventLoop.execute { self.drain() }
    }

    private func drain() {
        // What waits here is bounded by itself, so the other services can be slowed down (rules BR-12 and SV-14).
        let core = state.withLockedValue(\.core)
        let isHeld = core?.congestion.wait { [weak self, weak core] in
            if let self, let core { self.schedule(core) }
        }
        if isHeld == nil { passOn() }
    }

    private func passOn() {
        let (core, messages): (ServerCore?, [BridgedMessage]) = state.withLockedValue { state in
            let count = min(state.waiting.count, Self.burst)
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            state.carried += count
            state.isScheduled = !state.waiting.isEmpty
            return (state.core, taken)
        }
        guard let core else { return }
        for message in messages { publish(message, core) }
        if state.withLockedValue(\.isScheduled) { schedule(core) }
    }

    private func publish(_ message: BridgedMessage, _ core: ServerCore) {
        for service in BridgedService.allCases where service != message.origin {
            let fits =
                switch service {
                case .pusher: publishToPusher(message, core)
                case .pubnub: publishToPubNub(message, core)
                case .nexconn: publishToChat(message, core)
                }
            if !fits {
                logger.debug(
                    "not carried by the bridge",
                    metadata: ["from": "\(message.origin.rawValue)", "to": "\(service.rawValue)"])
            }
        }
    }

    private func publishToPusher(_ message: BridgedMessage, _ core: ServerCore) -> Bool {
        guard let id = settings.applicationID else { return true }
        guard let application = core.configuration.applications.application(id: id), message.fits(application.limits) else {
            return false
        }
        core.publish(
            event: message.event, data: message.data.text, to: message.channel, application: application, user: message.user,
            origin: message.origin)
        return true
    }

    private func publishToPubNub(_ message: BridgedMessage, _ core: ServerCore) -> Bool {
        guard let key = settings.subscribeKey else { return true }
        guard let application = core.pubnub.application(subscribeKey: key), let draft = message.pubnubDraft else { return false }
        PubNubPublishing(application: application).publish(draft, origin: message.origin) { _ in }
        return true
    }

    private func publishToChat(_ message: BridgedMessage, _ core: ServerCore) -> Bool {
        guard let key = settings.chatKey else { return true }
        guard let application = core.nexconn.application(key: key), let draft = message.chatDraft(settings) else { return false }
        // Where nobody made the open channel there is nobody to tell.
        application.send(draft, by: .bridge(service: message.origin.rawValue, user: message.chatUser)) { _ in }
        return true
    }
}
