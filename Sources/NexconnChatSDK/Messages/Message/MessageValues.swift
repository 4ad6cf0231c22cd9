import ChatDatabase
import Foundation

/// Whether the signed-in user sent or received a message. The raw values are those of the vendor's services.
#if canImport(ObjectiveC)
    @objc(NCMessageDirection)
#endif
public enum MessageDirection: Int, Sendable {
    /// The signed-in user sent the message.
    case send = 1
    /// The signed-in user received the message.
    case receive = 2
}

/// The progress of a sent message. The raw values are those of the vendor's services.
#if canImport(ObjectiveC)
    @objc(NCSentStatus)
#endif
public enum SentStatus: Int, Sendable {
    /// The message waits for the connection or for the service's answer.
    case sending = 10
    /// The service did not accept the message. It can be sent again.
    case failed = 20
    /// The service has accepted the message.
    case sent = 30
    /// A receiver's device has received the message.
    case received = 40
    /// A receiver has read the message.
    case read = 50
    /// The message was destroyed. This service does not set this status.
    case destroyed = 60
    /// Sending was cancelled.
    case canceled = 70

    init(_ status: LocalMessageStatus) {
        self =
            switch status {
            case .sending: .sending
            case .failed: .failed
            case .sent: .sent
            case .received: .received
            case .read: .read
            case .destroyed: .destroyed
            case .cancelled: .canceled
            }
    }
}

/// Whether the user has read, listened to or downloaded a received message.
#if canImport(ObjectiveC)
    @objc(NCReceivedStatusInfo) @objcMembers
#endif
public final class ReceivedStatusInfo: NSObject, Sendable {
    /// Whether the user has read the message.
    public let isRead: Bool
    /// Whether the user has listened to the message.
    public let isListened: Bool
    /// Whether the message's file was downloaded.
    public let isDownloaded: Bool
    /// Whether another device of the user has received the message. Always false with Lifeline's server.
    public let isRetrieved: Bool

    init(bits: Int) {
        isRead = bits & 1 != 0
        isListened = bits & 2 != 0
        isDownloaded = bits & 4 != 0
        isRetrieved = false
        super.init()
    }
}

/// The latest edit of a message.
#if canImport(ObjectiveC)
    @objc(NCMessageUpdateInfo) @objcMembers
#endif
public final class MessageUpdateInfo: NSObject, Sendable {
    /// When the message was edited, in milliseconds since 1970.
    public let updateTime: Int64
    /// The new content.
    public let content: MessageContent

    init(updateTime: Int64, content: MessageContent) {
        self.updateTime = updateTime
        self.content = content
        super.init()
    }
}
