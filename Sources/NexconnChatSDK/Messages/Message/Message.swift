import ChatDatabase
import Foundation
import NIOConcurrencyHelpers
import NexconnProtocol

/// A message: its content, and what is known about it. Describes one moment; later news come as new objects, but for the message of a
/// send, which the callbacks of that send share and which tells how far it has got.
///
/// `@unchecked Sendable`: everything that changes is behind `state`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCMessage) @objcMembers
#endif
public final class Message: NSObject, @unchecked Sendable {
    private struct State {
        var local: LocalMessage
        /// Read from the bytes when it is first asked for.
        var content: MessageContent?
    }

    private let state: NIOLockedValueBox<State>
    private let user: String
    /// Whether it came while what had been missed was fetched.
    public let isOffline: Bool

    /// - Parameter user: who is signed in.
    init(_ local: LocalMessage, user: String, content: MessageContent? = nil, isOffline: Bool = false) {
        state = NIOLockedValueBox(State(local: local, content: content))
        self.user = user
        self.isOffline = isOffline
        super.init()
    }

    var local: LocalMessage { state.withLockedValue { $0.local } }

    /// The same message as another object, which does not follow this one.
    func twin() -> Message {
        let state = state.withLockedValue { $0 }
        return Message(state.local, user: user, content: state.content, isOffline: isOffline)
    }

    /// Takes over how far the message has got.
    func update(_ change: (inout LocalMessage) -> Void) {
        state.withLockedValue { change(&$0.local) }
    }

    // MARK: Which message

    public var channelIdentifier: ChannelIdentifier { ChannelIdentifier(local.channel) }
    /// This device's number of the message; 0 or less for messages that it does not keep.
    public var clientId: Int { Int(local.localID) }
    /// The service's id of the message; empty until the service has taken it.
    public var messageId: String { local.id?.description ?? "" }
    public var direction: MessageDirection { local.isSent ? .send : .receive }
    public var senderUserId: String { local.sender }

    // MARK: What it says

    /// The name of the content's type on the wire.
    public var messageType: String { local.type }
    public var content: MessageContent {
        if let known = state.withLockedValue({ $0.content }) { return known }
        let local = local
        let content = ContentRegistry.content(type: local.type, bytes: local.content)
        if let mentioned = content.mentionedInfo { mentioned.isMentionedMe = !local.isSent && mentioned.mentions(user) }
        return state.withLockedValue { state in
            // Another thread may have read it meanwhile; everybody gets the same object.
            if let known = state.content { return known }
            state.content = content
            return content
        }
    }
    /// Pairs that sender and receivers may change later.
    public var metadata: [String: String] { local.options.metadata }
    /// Kept by this device only.
    public var localExtra: String { local.localExtra }
    /// The content's ``MessageContent/extra``.
    public var extra: String? { content.extra }

    // MARK: What became of it

    public var sentStatus: SentStatus { SentStatus(local.status) }
    public var receivedStatusInfo: ReceivedStatusInfo { ReceivedStatusInfo(bits: local.received) }
    /// Milliseconds since 1970: by the service's clock, or by this device's until the service has taken it.
    public var sentTime: Int64 { local.sentTime }
    /// Milliseconds since 1970 by this device's clock.
    public var receivedTime: Int64 { local.receivedTime }
    /// Whether it was edited.
    public var hasChanged: Bool { local.edited != nil }
    /// How it was edited; nil when it was not.
    public var updateInfo: MessageUpdateInfo? {
        local.edited.map { MessageUpdateInfo(updateTime: $0, content: content) }
    }

    // MARK: How it was sent

    /// Whether it is kept.
    public var isPersisted: Bool { local.options.isPersisted && !local.options.isStatus }
    /// Whether it counts as unread.
    public var isCounted: Bool { local.options.isCounted && isPersisted }
    /// Whether the sender wants to know who has read it.
    public var needReceipt: Bool { local.options.needsReceipt }
    /// Whether the sender has been told that it was read.
    public var sentReceipt: Bool { local.hasSentReceipt }
    public var disableNotification: Bool { local.options.isQuiet }
    /// Who gets it in a group; nil for all.
    public var directedUserIds: [String]? { local.options.users }

    /// Type, ids and status; nothing of the content.
    override public var description: String {
        "Message(\(messageType), \(clientId), \(messageId.isEmpty ? "-" : messageId), \(sentStatus))"
    }
}
