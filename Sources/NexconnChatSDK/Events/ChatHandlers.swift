import EngineRuntime
import NIOConcurrencyHelpers

/// The handlers of messages, channels, groups, open channels and users.
final class ChatHandlers: Sendable {
    let messages = HandlerList<any MessageHandler>()
    let channels = HandlerList<any ChannelHandler>()
    let groups = HandlerList<any GroupChannelHandler>()
    let openChannels = HandlerList<any OpenChannelHandler>()
    let users = HandlerList<any UserHandler>()

    /// The file uploads in progress.
    let media = MediaSends()
    let reads = ReadReports()
    let typing = PerClient(TypingTracker())
    /// Sends all events to async sequences.
    private let broadcaster = Broadcaster<NCEvent>(
        backlog: 65_536, isDroppable: { _ in true }, dropped: { .dropped($0) })
    /// The lock that is held while the broadcaster sends events. Without it, concurrent calls could deliver them in different orders.
    private let sending = NIOLock()
    private let backlog: NIOLockedValueBox<HandlerBacklog>

    init(backlog: HandlerBacklog = HandlerBacklog()) {
        self.backlog = NIOLockedValueBox(backlog)
    }

    /// A new sequence of all later events.
    var stream: EventStream<NCEvent> { broadcaster.stream() }

    /// Sends events to handlers and sequences in the same order. All `events` form one work item on the callback queue. Events of a user
    /// who has been signed out are dropped.
    func tell(_ events: [NCEvent], of client: ChatClient) {
        guard !events.isEmpty, !client.isRetired else { return }
        sending.withLock { broadcaster.send(events) }
        let admitted = backlog.withLockedValue { $0.admit(events) }
        guard !admitted.isEmpty else { return }
        client.registry.run { [self] in
            backlog.withLockedValue { $0.took(admitted.count) }
            if client.isRetired { return }
            for event in admitted { tell(event) }
        }
    }

    private func tell(_ event: NCEvent) {
        switch event {
        case .messageReceived(let event): messages.tell { $0.tell(event) }
        case .messageDeleted(let event): messages.tell { $0.tell(event) }
        case .messagesUpdated(let event): messages.tell { $0.tell(event) }
        case .messageMetadataUpdated(let event): messages.tell { $0.tell(event) }
        case .messageMetadataDeleted(let event): messages.tell { $0.tell(event) }
        case .messageReceiptResponse(let event): messages.tell { $0.tell(event) }
        case .offlineMessageSyncCompleted: messages.tell { $0.tellOfflineMessageSyncCompleted() }
        case .messagesMissed(let event): messages.tell { $0.tell(event) }
        case .channelPinned(let event): channels.tell { $0.tell(event) }
        case .channelNoDisturbLevel(let event): channels.tell { $0.tell(event) }
        case .channelUnreadStatus(let event): channels.tell { $0.tell(event) }
        case .typing(let event): channels.tell { $0.tell(event) }
        case .remoteChannelsSyncCompleted(let event): channels.tell { $0.tell(event) }
        case .groupOperation(let event): groups.tell { $0.tell(event) }
        case .groupInfoChanged(let event): groups.tell { $0.tell(event) }
        case .groupMemberInfoChanged(let event): groups.tell { $0.tell(event) }
        case .openChannel(let event): openChannels.tell { event.tell($0) }
        case .subscriptionChanged(let event): users.tell { $0.tell(event) }
        case .dropped: break
        }
    }
}

// Adds and removes handlers. All handlers are held weakly; a handler with the same identifier is replaced (rules NC-20, NC-21).
#if canImport(ObjectiveC)
    @objc
#endif
extension NCEngine {
    /// Registers a handler for messages and their changes, held weakly. Register it before connecting, because offline messages
    /// arrive right after the sign-in. A handler with the same identifier is replaced.
    public static func addMessageHandler(identifier: String, handler: any MessageHandler) {
        registry.chat.messages.add(identifier) { [weak handler] in handler }
    }

    /// Removes the message handler with this identifier.
    public static func removeMessageHandler(forIdentifier identifier: String) {
        registry.chat.messages.remove(identifier)
    }

    /// Registers a handler for events of the user's channels, held weakly. A handler with the same identifier is replaced.
    public static func addChannelHandler(identifier: String, handler: any ChannelHandler) {
        registry.chat.channels.add(identifier) { [weak handler] in handler }
    }

    /// Removes the channel handler with this identifier.
    public static func removeChannelHandler(forIdentifier identifier: String) {
        registry.chat.channels.remove(identifier)
    }

    /// Registers a handler for events of the user's groups, held weakly. A handler with the same identifier is replaced.
    public static func addGroupChannelHandler(identifier: String, handler: any GroupChannelHandler) {
        registry.chat.groups.add(identifier) { [weak handler] in handler }
    }

    /// Removes the group handler with this identifier.
    public static func removeGroupChannelHandler(forIdentifier identifier: String) {
        registry.chat.groups.remove(identifier)
    }

    /// Registers a handler for events of open channels, held weakly. A handler with the same identifier is replaced.
    public static func addOpenChannelHandler(identifier: String, handler: any OpenChannelHandler) {
        registry.chat.openChannels.add(identifier) { [weak handler] in handler }
    }

    /// Removes the open channel handler with this identifier.
    public static func removeOpenChannelHandler(forIdentifier identifier: String) {
        registry.chat.openChannels.remove(identifier)
    }

    /// Registers a handler for changes of users whose status this user has subscribed to, held weakly. A handler with the same identifier
    /// is replaced.
    public static func addUserHandler(identifier: String, handler: any UserHandler) {
        registry.chat.users.add(identifier) { [weak handler] in handler }
    }

    /// Removes the user handler with this identifier.
    public static func removeUserHandler(forIdentifier identifier: String) {
        registry.chat.users.remove(identifier)
    }
}
