import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

/// The settings of the Pusher service. Sizes are in bytes.
package struct PusherServiceSettings: Sendable {
    package var applications: any ApplicationRegistry
    /// After this time without a message from the server, a client sends a ping to check the connection. Clients receive the value in whole
    /// seconds.
    package var activityTimeout: Duration
    /// How long the server waits after `activityTimeout` before it sends a ping, and then for the client's answer.
    package var pongTimeout: Duration
    package var maximumMessageBytes: Int
    /// The close code that clients receive when the server stops.
    package var drainCode: UInt16
    /// The id of the application whose public channels are shared with other services of this server; nil for none.
    package var bridgedID: String?

    package init(
        applications: any ApplicationRegistry, activityTimeout: Duration, pongTimeout: Duration, maximumMessageBytes: Int,
        drainCode: UInt16, bridgedID: String? = nil
    ) {
        self.applications = applications
        self.activityTimeout = activityTimeout
        self.pongTimeout = pongTimeout
        self.maximumMessageBytes = maximumMessageBytes
        self.drainCode = drainCode
        self.bridgedID = bridgedID
    }
}

extension ServiceName {
    package static let pusher = ServiceName(rawValue: "pusher")
}

/// The numbers of events of one application that a server has accepted.
package struct EventCounts: Hashable, Sendable {
    /// Events published by the application's servers, counted once for each channel.
    var published = 0
    /// The number of client events: events that clients have sent.
    var relayed = 0

    static func += (left: inout EventCounts, right: EventCounts) {
        left.published += right.published
        left.relayed += right.relayed
    }
}

/// The Pusher service of one server: applications, access to channels and to every event loop.
///
/// The backend decides about channels and users (``ChannelBackend``). This service sends it commands, and applies the changes that result
/// from all servers' commands to its own connections.
package final class PusherService: Sendable {
    let context: ServerContext
    let settings: PusherServiceSettings
    let mailboxes: [EventLoopMailbox<PusherLoop>]
    let webhooks: PusherWebhookService
    /// Channels, members and users. Several servers may share one backend.
    let channels: any ChannelBackend
    let requestKinds: PusherRequestKinds
    let webSockets: WebSocketService
    /// Forwards requests of the HTTP API to the leaders of a cluster; nil when this service answers them itself.
    let forwarder: RequestForwarder?
    /// The numbers of events that this server has accepted, by application id.
    let eventCounts = NIOLockedValueBox<[Identifier: EventCounts]>([:])
    let shares: AddressShares
    private let shared = NIOLockedValueBox<[Identifier: SharedApplication]>([:])

    /// Forwards a request of an application. The answer may be delivered on any thread.
    package typealias RequestForwarder =
        @Sendable (HTTPRequest, _ application: Application, _ answer: @escaping @Sendable (HTTPAnswer) -> Void) -> Void

    /// Makes the service and adds it to the servers that share the channels.
    ///
    /// - Parameter forwarder: forwards requests of the HTTP API to the leaders of a cluster; nil when the service answers them itself.
    package convenience init(
        _ settings: PusherServiceSettings, _ context: ServerContext, channels: any ChannelBackend,
        forwarder: RequestForwarder? = nil
    ) {
        self.init(settings, context, channels: channels, forwarder: forwarder, webhooks: nil)
    }

    /// Makes the service, with a store for webhook events.
    ///
    /// - Parameter records: stores webhook events, so that another process can send them after the end of this one; nil for none.
    init(
        _ settings: PusherServiceSettings, _ context: ServerContext, channels: any ChannelBackend,
        forwarder: RequestForwarder? = nil, webhooks records: PusherWebhookRecords?
    ) {
        self.context = context
        self.forwarder = forwarder
        self.channels = channels
        self.settings = settings
        shares = AddressShares(clock: context.clock, limitsLoopback: context.settings.limitsLoopback)
        mailboxes = context.loops.map { EventLoopMailbox($0.queue, PusherLoop($0)) }
        webhooks = PusherWebhookService(settings.applications, context: context, records: records)
        requestKinds = PusherRequestKinds(context.requestKinds)
        // The server waits longer than the client before it sends `pusher:ping`. So a client that sends its own pings, but never answers
        // `pusher:ping`, is not disconnected.
        webSockets = WebSocketService(
            context, of: .pusher, messageBytes: settings.maximumMessageBytes,
            silence: settings.activityTimeout + settings.pongTimeout, pongTimeout: settings.pongTimeout, ping: PusherWire.ping)
        channels.join(self)
    }

    var now: MonotonicInstant { context.now }

    /// The close reason when the server stops.
    var drainFarewell: PusherCloseReason { .draining(code: settings.drainCode) }

    /// Returns the shared copy of an application to which connections refer. A changed application gets a new copy.
    func share(_ application: Application) -> SharedApplication {
        shared.withLockedValue { shared in
            let id = Identifier(application.id)
            if let known = shared[id], known.value == application { return known }
            let new = SharedApplication(application, slot: context.names.slot(.pusher, application.id))
            shared[id] = new
            return new
        }
    }

    /// Closes connections of this server: all of them, those of one application, or those of one of its signed-in users.
    func close(_ farewell: PusherCloseReason, application: String? = nil, user: String? = nil) {
        for mailbox in mailboxes { mailbox.enqueue(.close(farewell, application: application, user: user)) }
    }

    /// Closes every connection with a `pusher:error` and a close frame.
    ///
    /// - Parameter code: a close code in 4000 ... 4999.
    package func disconnectAll(code: UInt16, reason: String) {
        var farewell = PusherCloseReason(code, reason)
        farewell.concernsAll = code == 4200
        close(farewell)
    }

    /// Applies changed applications to the open connections: each connection gets the current configuration, or is closed (rule SO-21).
    package func applicationsChanged() {
        webhooks.applicationsChanged()
        for mailbox in mailboxes {
            mailbox.enqueue(
                .review { [self] id in
                    guard let application = settings.applications.application(id: id) else {
                        return .failure(.unknownApplication)
                    }
                    return application.isEnabled ? .success(share(application)) : .failure(.disabledApplication)
                })
        }
    }

    /// The reason why applications may not publish an event with this name; nil for a permitted name (rule SV-11).
    package static func refusal(ofEvent name: String) -> String? {
        guard PusherEventName.isReserved(name) else { return nil }
        return "Names of events that begin with pusher: or pusher_internal: are reserved for the service. Choose another name."
    }

    /// Publishes an event in the same way as the HTTP API. Returns false when the queues for the channel's subscribers are full.
    package func publish(event: String, data: String, to channel: String, application: Application) -> Bool {
        guard congestion(of: CollectionOfOne(channel), in: application).isEmpty else { return false }
        publish(event: event, data: data, to: channel, application: application, isBridged: false)
        return true
    }

    /// The number of channels with at least one subscription.
    package var channelCount: Int { channels.channelCount }

    /// The events of each application that this server has accepted. In a cluster, this includes events of the HTTP API from the time in
    /// which this process was the leader.
    var allEventCounts: [Identifier: EventCounts] {
        eventCounts.withLockedValue { $0 }.merging(channels.eventCounts) { own, decided in
            var sum = own
            sum += decided
            return sum
        }
    }

    /// The delivery counts of each application's webhook events, by receiver. In a cluster, this includes the time in which this process
    /// was the leader.
    var allWebhookReports: [Identifier: [WebhookReport]] {
        webhooks.receivers.merging(channels.webhookReports) { $0.adding($1) }
    }

    /// The delivery counts of webhook events, by application and receiver.
    package var webhookCounts: [WebhookReport.Name: WebhookDelivery.Counts] {
        allWebhookReports.reduce(into: [:]) { counts, entry in
            let name = context.names.counted(ApplicationName(.pusher, entry.key))
            for receiver in entry.value { counts[.init(name, receiver.number), default: .init()] += receiver.counts }
        }
    }
}
