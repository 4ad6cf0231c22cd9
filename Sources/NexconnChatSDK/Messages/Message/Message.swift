import ChatDatabase
import ChatProtocol
import Foundation
import NIOConcurrencyHelpers

/// A message with its content and state. An object describes one moment; later changes are delivered as new objects. The exception is a
/// message that is being sent: its callbacks share one object, which shows the progress. Every completion is called once, on the
/// callback queue.
#if canImport(ObjectiveC)
    @objc(NCMessage) @objcMembers
#endif
public final class Message: NSObject, Sendable {
    private struct State {
        var local: LocalMessage
        /// The content, decoded from the bytes on first use.
        var content: MessageContent?
    }

    private let state: NIOLockedValueBox<State>
    private let user: String
    /// Whether the message arrived while missed messages were fetched.
    public let isOffline: Bool

    /// - Parameter user: who is signed in.
    init(_ local: LocalMessage, user: String, content: MessageContent? = nil, isOffline: Bool = false) {
        state = NIOLockedValueBox(State(local: local, content: content))
        self.user = user
        self.isOffline = isOffline
        super.init()
    }

    var local: LocalMessage { state.withLockedValue { $0.local } }

    /// The same message as a separate object, which does not get later changes.
    func twin() -> Message {
        let state = state.withLockedValue { $0 }
        return Message(state.local, user: user, content: state.content, isOffline: isOffline)
    }

    /// Updates the state of sending.
    func update(_ change: (inout LocalMessage) -> Void) {
        state.withLockedValue { change(&$0.local) }
    }

    // MARK: Which message

    /// The message's channel.
    public var channelIdentifier: ChannelIdentifier { ChannelIdentifier(local.channel) }
    /// This device's number of the message; 0 or less for messages that it does not store.
    public var clientId: Int { Int(local.localID) }
    /// The service's id of the message; empty until the service has accepted it.
    public var messageId: String { local.id?.description ?? "" }
    /// Whether the signed-in user sent or received the message.
    public var direction: MessageDirection { local.isSent ? .send : .receive }
    /// The sender's user id.
    public var senderUserId: String { local.sender }

    // MARK: Contents

    /// The type name of the content, such as `RC:TxtMsg`.
    public var messageType: String { local.type }
    /// The content.
    public var content: MessageContent {
        if let known = state.withLockedValue({ $0.content }) { return known }
        let local = local
        let content = ContentRegistry.content(type: local.type, bytes: local.content)
        if let mentioned = content.mentionedInfo { mentioned.isMentionedMe = !local.isSent && mentioned.mentions(user) }
        return state.withLockedValue { state in
            // Another thread may have decoded it meanwhile; all callers get the same object.
            if let known = state.content { return known }
            state.content = content
            return content
        }
    }
    /// Key-value pairs that the sender and receivers may change later.
    public var metadata: [String: String] { local.options.metadata }
    /// A text of the application that is stored on this device only.
    public var localExtra: String { local.localExtra }
    /// The content's ``MessageContent/extra``.
    public var extra: String? { content.extra }

    // MARK: State of sending

    /// The progress of a sent message.
    public var sentStatus: SentStatus { SentStatus(local.status) }
    /// What the user has done with a received message.
    public var receivedStatusInfo: ReceivedStatusInfo { ReceivedStatusInfo(bits: local.received) }
    /// When the message was sent, milliseconds since 1970, by the service's clock; by this device's clock until the service has
    /// accepted it.
    public var sentTime: Int64 { local.sentTime }
    /// When it was received, milliseconds since 1970, by this device's clock.
    public var receivedTime: Int64 { local.receivedTime }
    /// Whether it was edited.
    public var hasChanged: Bool { local.edited != nil }
    /// The latest edit; nil when it was not edited.
    public var updateInfo: MessageUpdateInfo? {
        local.edited.map { MessageUpdateInfo(updateTime: $0, content: content) }
    }

    // MARK: How it was sent

    /// Whether it is stored in the history.
    public var isPersisted: Bool { local.options.isPersisted && !local.options.isStatus }
    /// Whether it counts as unread.
    public var isCounted: Bool { local.options.isCounted && isPersisted }
    /// Whether the sender asked for read receipts.
    public var needReceipt: Bool { local.options.needsReceipt }
    /// Whether a read receipt was sent to the sender.
    public var sentReceipt: Bool { local.hasSentReceipt }
    /// Whether receivers are not notified.
    public var disableNotification: Bool { local.options.isQuiet }
    /// The members of a group who receive it; nil for all.
    public var directedUserIds: [String]? { local.options.users }

    /// Type, ids and status, without the content.
    override public var description: String {
        "Message(\(messageType), \(clientId), \(messageId.isEmpty ? "-" : messageId), \(sentStatus))"
    }
}
