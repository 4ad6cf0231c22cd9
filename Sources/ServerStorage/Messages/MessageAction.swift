import Identifiers

/// A user's addition to a message, for example a reaction or a receipt.
public struct MessageAction: Hashable, Sendable {
    /// The kind of action, such as `reaction`.
    public let type: String
    /// The value of the action.
    public let value: String
    /// The user who added the action.
    public let user: String
    /// The timetoken of the message, which need not exist.
    public let message: UInt64
    /// The timetoken of the action itself.
    public let timetoken: UInt64
    /// The approximate size of the action's JSON in an answer, in bytes.
    public let size: Int

    /// An action of a user on a message.
    public init(type: String, value: String, user: String, message: UInt64, timetoken: UInt64) {
        self.type = type
        self.value = value
        self.user = user
        self.message = message
        self.timetoken = timetoken
        // The size of the field names and timetokens, and of the texts with their escapes.
        size = [type, value, user].reduce(160) { size, text in
            text.utf8.reduce(size) { $0 + ($1 < 0x20 ? 6 : $1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
        }
    }

    /// Whether both actions have the same message, user, type and value.
    public func repeats(_ other: MessageAction) -> Bool {
        message == other.message && type.isExactly(other.type) && value.isExactly(other.value) && user.isExactly(other.user)
    }

    /// Texts are compared by their bytes.
    public static func == (left: MessageAction, right: MessageAction) -> Bool {
        left.timetoken == right.timetoken && left.repeats(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(timetoken)
    }
}

/// A change of the actions of a channel, which a store writes together with the message that announces it.
public enum MessageActionChange: Hashable, Sendable {
    /// The action was added.
    case added(MessageAction)
    /// The action was removed.
    case removed(MessageAction)
}
