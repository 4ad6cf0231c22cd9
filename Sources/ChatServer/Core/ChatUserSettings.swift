import Identifiers
import ServerStorage

/// The settings of users for channels and for kinds of channels (chat-protocol.md, section 6; rules CH-80 to CH-82).
struct ChatUserSettings: Sendable {
    private var settings: [Identifier: [Identifier: ChatDocument.Setting]] = [:]

    subscript(user: Identifier) -> [ChatDocument.Setting] {
        (settings[user]?.values).map { $0.sorted { $0.channel < $1.channel } } ?? []
    }

    subscript(user: Identifier, channel: Identifier) -> ChatDocument.Setting? { settings[user]?[channel] }

    func count(of user: Identifier) -> Int { settings[user]?.count ?? 0 }

    /// Stores a setting, or removes it from the store if it has only default values.
    mutating func put(_ setting: ChatDocument.Setting, into commit: inout ChatCommit) {
        if setting.isPinned || setting.level != 0 {
            settings[setting.user, default: [:]][setting.channel] = setting
            commit.documents.append(.setting(setting))
        } else if settings[setting.user]?.removeValue(forKey: setting.channel) != nil {
            if settings[setting.user]?.isEmpty == true { settings[setting.user] = nil }
            commit.removedDocuments.append(.setting(user: setting.user, channel: setting.channel))
        }
    }

    mutating func restore(_ setting: ChatDocument.Setting) { settings[setting.user, default: [:]][setting.channel] = setting }

    var documents: [ChatDocument] { settings.values.flatMap { $0.values.map { .setting($0) } } }
}

extension ChatState {
    /// The largest number of channels and kinds of channels for which a user can have settings.
    static let settingsPerUser = 2_000

    /// Changes a user's settings for a channel, or for a kind of channels if `channel` is nil. Nil values stay unchanged.
    ///
    /// - Returns: whether anything changed, so that the user's other devices have to be notified.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func set(
        _ kind: ChatKind, channel: Identifier?, isPinned: Bool?, level: Int?, of user: Identifier, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> Bool {
        if let channel { try ChatID.check(channel, "a channel") }
        guard channel != nil || isPinned == nil else {
            throw .badArgument("The request pins all channels of a kind. Name the channel to pin.")
        }
        if let level, ![-1, 0, 1, 2, 4, 5].contains(level) {
            throw .badArgument("level is -1, 0, 1, 2, 4 or 5.")
        }
        let name = kind.scope(channel)
        let before = settings[user, name]
        guard before != nil || settings.count(of: user) < Self.settingsPerUser else {
            throw .badArgument("A user may have settings for at most \(Self.settingsPerUser) channels and kinds of channels.")
        }
        var setting = before ?? ChatDocument.Setting(user: user, channel: name)
        if let isPinned { setting.isPinned = isPinned }
        if let level { setting.level = level }
        guard setting != before ?? ChatDocument.Setting(user: user, channel: name) else { return false }
        settings.put(setting, into: &commit)
        return true
    }

    /// All settings of a user that differ from the defaults, sorted by channel.
    package func settings(of user: Identifier) -> [ChatDocument.Setting] { settings[user] }
}

extension ChatDocument.Setting {
    /// The kind and the channel to which ``channel`` refers. The channel is nil if the setting is for all channels of the kind.
    package var target: (kind: ChatKind, id: Identifier?)? { ChatKind.target(ofScope: channel) }
}
