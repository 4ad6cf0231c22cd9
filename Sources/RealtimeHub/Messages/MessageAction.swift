import Identifiers

/// An addition of a user to a message: a reaction, a receipt.
public struct MessageAction: Hashable, Sendable {
    /// The kind of action, such as `reaction`.
    public let type: String
    /// The value of the action.
    public let value: String
    /// Who attached it.
    public let user: String
    /// The timetoken of the message, which need not exist.
    public let message: UInt64
    /// The timetoken of the action itself.
    public let timetoken: UInt64
    /// How many bytes of JSON it is in an answer, roughly.
    public let size: Int

    /// An action of a user on a message.
    public init(type: String, value: String, user: String, message: UInt64, timetoken: UInt64) {
        self.type = type
        self.value = value
        self.user = user
        self.message = message
        self.timetoken = timetoken
        // The names of the fields and the timetokens, and the texts with their escapes.
        size = [type, value, user].reduce(160) { size, text in
            text.utf8.reduce(size) { $0 + ($1 < 0x20 ? 6 : $1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
        }
    }

    /// Whether both say the same of the same message in the same name.
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
