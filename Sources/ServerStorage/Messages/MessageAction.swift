import Identifiers

/// A user's addition to a message, for example a reaction or a receipt.
public struct MessageAction: Hashable, Sendable {
    /// The kind of action, such as `reaction`.
    public let type: String
    /// The value of the action.
    public let value: String
    /// The user who added the action.
    public let user: String
    /// The timetoken of the message that the action is about. A message with this timetoken need not exist.
    public let message: UInt64
    /// The timetoken of the action, which differs from that of the message.
    public let timetoken: UInt64
    /// The approximate size of the action's JSON in an answer, in bytes.
    public let size: Int

    /// Makes an action of a user on a message.
    public init(type: String, value: String, user: String, message: UInt64, timetoken: UInt64) {
        self.type = type
        self.value = value
        self.user = user
        self.message = message
        self.timetoken = timetoken
        // 160 bytes for the field names and timetokens, plus the texts with their JSON escapes.
        size = [type, value, user].reduce(160) { size, text in
            text.utf8.reduce(size) { $0 + ($1 < 0x20 ? 6 : $1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
        }
    }

    /// Whether both actions have the same message, user, type and value.
    public func repeats(_ other: MessageAction) -> Bool {
        message == other.message && type.isExactly(other.type) && value.isExactly(other.value) && user.isExactly(other.user)
    }

    /// Whether both actions are equal. Texts are compared by their bytes.
    public static func == (left: MessageAction, right: MessageAction) -> Bool {
        left.timetoken == right.timetoken && left.repeats(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(timetoken)
    }
}

/// A change of a channel's message actions. A store writes it together with the message that announces the change.
public enum MessageActionChange: Hashable, Sendable {
    /// A user added this action.
    case added(MessageAction)
    /// This action was removed.
    case removed(MessageAction)
}
