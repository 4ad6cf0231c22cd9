/// A feature of a channel that not every service has. Check ``Channel/supports(_:)`` before a screen shows a button for it.
public struct ChannelFeature: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The feature as a word, as in logs.
    public let rawValue: String

    /// A feature by its word, also one that this version does not know, which no channel has.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The same as ``rawValue``.
    public var description: String { rawValue }

    /// Subscribing: ``Channel/subscribe()``.
    public static let subscribing = ChannelFeature(rawValue: "subscribing")
    /// Publishing: ``Channel/publish(_:event:options:)``.
    public static let publishing = ChannelFeature(rawValue: "publishing")
    /// Messages of the past: ``Channel/history(last:)`` and ``Channel/history(before:limit:)``.
    public static let history = ChannelFeature(rawValue: "history")
    /// Resuming after a message that the app already has: ``Room/deliveries(since:)`` from a ``HistoryStart/position(_:)``. With Pusher
    /// it depends on the server, and the client learns it only from the answer: only the server of this package can resume; with other
    /// servers a gap stands for the missed messages.
    public static let resuming = ChannelFeature(rawValue: "resuming")
    /// A list of members that is kept up to date: ``Room/presence``.
    public static let presence = ChannelFeature(rawValue: "presence")
    /// Changing the data that others see of this client's user: ``Presence/setOwnData(_:)``.
    public static let ownPresenceData = ChannelFeature(rawValue: "ownPresenceData")
    /// Requesting the members without a subscription: ``Channel/members()``.
    public static let members = ChannelFeature(rawValue: "members")
    /// Typing indicators, own and others': ``Room/typing``.
    public static let typing = ChannelFeature(rawValue: "typing")
    /// Reactions to messages: ``Channel/addReaction(_:to:)`` and ``Room/reactions``.
    public static let reactions = ChannelFeature(rawValue: "reactions")
    /// Messages that the service cannot read: ``Channel/isEncrypted``.
    public static let encryption = ChannelFeature(rawValue: "encryption")

    /// All features that this version knows.
    public static let allCases: [ChannelFeature] = [
        .subscribing, .publishing, .history, .resuming, .presence, .ownPresenceData, .members, .typing, .reactions, .encryption,
    ]
}

extension Channel {
    /// Whether the service of this client, with the keys and settings that it was given, has a feature for this channel. Nothing is
    /// sent: the service may still refuse this user. The calls themselves throw ``LifelineError/Code/unsupported``, or
    /// ``LifelineError/Code/badRequest`` for a name that they do not take, exactly when this is false. Rule LL-87.
    public func supports(_ feature: ChannelFeature) -> Bool {
        if feature == .encryption { return isEncrypted }
        // The service can read these even when messages are encrypted.
        if [.ownPresenceData, .typing, .reactions].contains(feature), core.requiresEncryption { return false }
        do throws(LifelineError) {
            if feature != .history, feature != .members { try core.requireEncryption(of: name) }
            try core.adapter.check(feature, of: name)
            return true
        } catch {
            return false
        }
    }
}
