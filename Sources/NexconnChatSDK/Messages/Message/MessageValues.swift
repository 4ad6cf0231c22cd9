import ChatDatabase
import Foundation

/// Whether the signed-in user sent a message or got it. The numbers are those of the vendor's family of services.
#if canImport(ObjectiveC)
    @objc(NCMessageDirection)
#endif
public enum MessageDirection: Int, Sendable {
    case send = 1
    case receive = 2
}

/// How far a message has got. The numbers are those of the vendor's family of services.
#if canImport(ObjectiveC)
    @objc(NCSentStatus)
#endif
public enum SentStatus: Int, Sendable {
    case sending = 10
    case failed = 20
    case sent = 30
    case received = 40
    case read = 50
    case destroyed = 60
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

/// What the user has done with a received message.
#if canImport(ObjectiveC)
    @objc(NCReceivedStatusInfo) @objcMembers
#endif
public final class ReceivedStatusInfo: NSObject, Sendable {
    public let isRead: Bool
    public let isListened: Bool
    public let isDownloaded: Bool
    /// Whether another device of the user has got it. Not told by this service: always false.
    public let isRetrieved: Bool

    init(bits: Int) {
        isRead = bits & 1 != 0
        isListened = bits & 2 != 0
        isDownloaded = bits & 4 != 0
        isRetrieved = false
        super.init()
    }
}

/// How a message was edited.
#if canImport(ObjectiveC)
    @objc(NCMessageUpdateInfo) @objcMembers
#endif
public final class MessageUpdateInfo: NSObject, Sendable {
    /// Milliseconds since 1970.
    public let updateTime: Int64
    /// What it says now.
    public let content: MessageContent

    init(updateTime: Int64, content: MessageContent) {
        self.updateTime = updateTime
        self.content = content
        super.init()
    }
}
