import Identifiers
import Logging
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerRuntime
import ServerStorage

/// The settings of the PubNub service.
package struct PubNubServiceSettings: Sendable {
    /// The keysets. If several have the same subscribe key, the first one is used.
    package var keysets: [Keyset]
    /// How long a poll is held before it gets an empty answer, for keysets without a setting of their own.
    package var pollHold: Duration
    /// How many messages of each channel are kept so that polls can catch up.
    package var pollQueueLength: Int
    /// The subscribe key of the keyset whose public channels are shared with other services; nil when no channels are shared.
    package var bridgedKey: String?
    package var logger: Logger
    /// The directory of file contents, with a subdirectory for each keyset; nil to keep contents in memory.
    package var fileDirectory: String?

    /// A logger that discards all log lines; the default.
    package static let silent = Logger(label: "lifeline.pubnub") { _ in SwiftLogNoOpLogHandler() }

    package init(
        keysets: [Keyset], pollHold: Duration, pollQueueLength: Int, bridgedKey: String? = nil, fileDirectory: String? = nil,
        logger: Logger = silent
    ) {
        self.keysets = keysets
        self.pollHold = pollHold
        self.pollQueueLength = pollQueueLength
        self.bridgedKey = bridgedKey
        self.logger = logger
        self.fileDirectory = fileDirectory
    }
}

extension ServiceName {
    package static let pubnub = ServiceName(rawValue: "pubnub")
}

/// The PubNub service of one server, with the server's event loops and the polls that they hold. The keysets belong to the backend
/// (``StreamBackend``).
package final class PubNubService: Sendable {
    let context: ServerContext
    let settings: PubNubServiceSettings
    /// The keysets with their data, shared by all servers of a backend.
    let streams: any StreamBackend
    /// Forwards requests to the cluster's leader; nil in a server without a cluster.
    let cluster: (any StreamForwarding)?
    let mailboxes: [EventLoopMailbox<PubNubLoop>]
    private let loopCounts: [NIOLockedValueBox<PubNubCounts>]
    let publishedCounts = NIOLockedValueBox(ApplicationCounts())
    let pollKind: RequestKind
    let requestKind: RequestKind

    /// Makes the service and joins the backend `streams`, whose keysets several servers share.
    package init(_ settings: PubNubServiceSettings, _ context: ServerContext, streams: any StreamBackend) {
        self.context = context
        self.settings = settings
        self.streams = streams
        cluster = streams as? any StreamForwarding
        let pollKind = context.requestKinds.add("poll")
        self.pollKind = pollKind
        requestKind = context.requestKinds.add("pubnub")
        let loopCounts = context.loops.map { _ in NIOLockedValueBox(PubNubCounts()) }
        self.loopCounts = loopCounts
        mailboxes = zip(context.loops, loopCounts).map {
            EventLoopMailbox($0.queue, PubNubLoop($0, $1, pollKind: pollKind, pollHold: settings.pollHold))
        }
        streams.join(self)
    }

    /// The number of messages, signals and fires that this server has acknowledged since its start, excluding bridged messages.
    package var published: Int { publishedCounts.withLockedValue(\.total) }

    var requests: PubNubRequestHandler { PubNubRequestHandler(streams: streams, counts: publishedCounts) }

    /// Publishes a message of the server's own process; in a cluster it is sent to the leader.
    ///
    /// - Parameter isBridged: whether the message came from another service.
    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void
    ) {
        if let cluster {
            cluster.publish(draft, to: application, isBridged: isBridged, counts: publishedCounts, completion: completion)
        } else {
            PubNubPublishing(application: application, counts: publishedCounts).publish(draft, isBridged: isBridged) {
                completion(ClusterPublishOutcome($0))
            }
        }
    }

    /// The number of held polls, of all polls and of the messages in their answers. The values are up to one second old.
    package var counts: PubNubCounts { loopCounts.reduce(into: PubNubCounts()) { $0 += $1.withLockedValue { $0 } } }

    /// The delivery counts of keysets that have a webhook for push notifications.
    package var webhookCounts: [WebhookReport.Name: WebhookDelivery.Counts] {
        streams.pushCounts(for: self).reduce(into: [:]) { counts, entry in
            let name = ApplicationName(.pubnub, entry.application.subscribeKey)
            counts[.init(context.names.counted(name)), default: .init()] += entry.counts
        }
    }

    var storage: StreamStorage { streams.storage }
    var applications: [PubNubApplication] { streams.applications }

    /// The configured keyset with this subscribe key; nil when there is none.
    func application(subscribeKey: String) -> PubNubApplication? { streams.application(subscribeKey: subscribeKey) }

    /// Closes the connections of all held polls.
    package func disconnectPolls() {
        for mailbox in mailboxes { mailbox.enqueue(.disconnect) }
    }

    /// Performs the periodic work of the keysets, such as presence timeouts.
    package func sweep() {
        streams.sweep(for: self) { [loop = context.loops.first?.eventLoop] body in
            if let loop { loop.execute(body) } else { body() }
        }
    }

    package func close() async {
        streams.leave(self)
    }
}

// MARK: - Changes from the backend

extension PubNubService: StreamNode {
    package var eventLoopIDs: EventLoopSet { context.eventLoopIDs }

    package func apply(_ change: StreamChange) {
        switch change {
        case .wake(let application, let wake, let eventLoopIDs):
            for mailbox in mailboxes where eventLoopIDs.contains(mailbox.queue.eventLoopID) {
                mailbox.enqueue(.wake(application: application, wake))
            }
        case .review(let application):
            for mailbox in mailboxes { mailbox.enqueue(.review(application: application)) }
        }
    }
}
