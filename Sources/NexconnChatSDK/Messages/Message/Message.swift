import ChatDatabase
import ChatProtocol
import Foundation
import NIOConcurrencyHelpers

/// A message with its content and state.
///
/// An object describes the message at one moment; later changes are delivered as new objects. A message that is being sent is an exception:
/// all callbacks of the send get the same object, whose status changes. Every completion is called once, on the callback queue.
#if canImport(ObjectiveC)
    @objc(NCMessage) @objcMembers
#endif
public final class Message: NSObject, Sendable {
    private struct State {
        var local: LocalMessage
        /// The decoded content; nil until it is first read.
        var content: MessageContent?
    }

    private let state: NIOLockedValueBox<State>
    private let user: String
    /// Whether the message was missed earlier and was fetched after the connection was established.
    public let isOffline: Bool

    /// Creates a message object from stored data.
    ///
    /// - Parameter user: the id of the signed-in user.
    init(_ local: LocalMessage, user: String, content: MessageContent? = nil, isOffline: Bool = false) {
        state = NIOLockedValueBox(State(local: local, content: content))
        self.user = user
        self.isOffline = isOffline
        super.init()
    }

    var local: LocalMessage { state.withLockedValue { $0.local } }

    /// Returns a separate object for the same message. Later changes of this object do not affect it.
    func twin() -> Message {
        let state = state.withLockedValue { $0 }
        return Message(state.local, user: user, content: state.content, isOffline: isOffline)
    }

    /// Changes the data of a message that is being sent.
    func update(_ change: (inout LocalMessage) -> Void) {
        state.withLockedValue { change(&$0.local) }
    }

    // MARK: Which message

    /// The message's channel.
    public var channelIdentifier: ChannelIdentifier { ChannelIdentifier(local.channel) }
    /// This device's number of the message. It is 0 or less for messages that this device does not store.
    public var clientId: Int { Int(local.localID) }
    /// The service's id of the message; empty until the service has accepted it.
    public var messageId: String { local.id?.description ?? "" }
    /// Whether the signed-in user sent or received the message.
    public var direction: MessageDirection { local.isSent ? .send : .receive }
    /// The sender's user id.
    public var senderUserId: String { local.sender }

    // MARK: Contents

    /// The type name of the message's content, such as `RC:TxtMsg`.
    public var messageType: String { local.type }
    /// The content.
    public var content: MessageContent {
        if let known = state.withLockedValue({ $0.content }) { return known }
        let local = local
        let content = ContentRegistry.content(type: local.type, bytes: local.content)
        if let mentioned = content.mentionedInfo { mentioned.isMentionedMe = !local.isSent && mentioned.mentions(user) }
        return state.withLockedValue { state in
            // If another thread has decoded the content in the meantime, the object of that thread is returned, so that all callers get the
            // same object.
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
    /// Whether the user has read, listened to or downloaded a received message.
    public var receivedStatusInfo: ReceivedStatusInfo { ReceivedStatusInfo(bits: local.received) }
    /// When the message was sent, in milliseconds since 1970. The time is of the service's clock, or of this device's clock until the
    /// service has accepted the message.
    public var sentTime: Int64 { local.sentTime }
    /// When the message was received, in milliseconds since 1970 of this device's clock.
    public var receivedTime: Int64 { local.receivedTime }
    /// Whether the message was edited.
    public var hasChanged: Bool { local.edited != nil }
    /// The latest edit of the message; nil when it was not edited.
    public var updateInfo: MessageUpdateInfo? {
        local.edited.map { MessageUpdateInfo(updateTime: $0, content: content) }
    }

    // MARK: How the message was sent

    /// Whether the message is stored in the history.
    public var isPersisted: Bool { local.options.isPersisted && !local.options.isStatus }
    /// Whether the message counts as unread for its receivers.
    public var isCounted: Bool { local.options.isCounted && isPersisted }
    /// Whether the sender requested read receipts for the message.
    public var needReceipt: Bool { local.options.needsReceipt }
    /// Whether this user has sent a read receipt for the message to its sender.
    public var sentReceipt: Bool { local.hasSentReceipt }
    /// Whether the receivers get no notification of the message.
    public var disableNotification: Bool { local.options.isQuiet }
    /// The ids of the group members who receive the message; nil for all members.
    public var directedUserIds: [String]? { local.options.users }

    /// The message's type, ids and status, without its content.
    override public var description: String {
        "Message(\(messageType), \(clientId), \(messageId.isEmpty ? "-" : messageId), \(sentStatus))"
    }
}
