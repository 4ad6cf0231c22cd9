/// A channel feature that some services lack. Check ``Channel/supports(_:)`` before a screen shows a button for it.
public struct ChannelFeature: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The feature's identifier, such as `history`; it also appears in logs.
    public let rawValue: String

    /// Makes a feature from its identifier. An identifier that this version does not define is accepted; no channel supports such a
    /// feature.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The feature as text: its ``rawValue``.
    public var description: String { rawValue }

    /// Subscribing: ``Channel/subscribe()``.
    public static let subscribing = ChannelFeature(rawValue: "subscribing")
    /// Publishing: ``Channel/publish(_:event:options:)``.
    public static let publishing = ChannelFeature(rawValue: "publishing")
    /// Loading earlier messages with ``Channel/history(last:)`` and ``Channel/history(before:limit:)``.
    public static let history = ChannelFeature(rawValue: "history")
    /// Resuming after a message that the app already has: ``Room/deliveries(since:)`` from a ``HistoryStart/position(_:)``. With Pusher,
    /// only the server of this package can replay missed messages. Whether a server can is known only after its answer; if it cannot, the
    /// client reports a gap.
    public static let resuming = ChannelFeature(rawValue: "resuming")
    /// A list of members that is kept up to date: ``Room/presence``.
    public static let presence = ChannelFeature(rawValue: "presence")
    /// Changing the data that other users see about this client's user: ``Presence/setOwnData(_:)``.
    public static let ownPresenceData = ChannelFeature(rawValue: "ownPresenceData")
    /// Requesting the members without a subscription: ``Channel/members()``.
    public static let members = ChannelFeature(rawValue: "members")
    /// Sending and receiving typing indicators with ``Room/typing``.
    public static let typing = ChannelFeature(rawValue: "typing")
    /// Reactions to messages: ``Channel/addReaction(_:to:)`` and ``Room/reactions``.
    public static let reactions = ChannelFeature(rawValue: "reactions")
    /// End-to-end encryption, so that the service cannot read the messages: ``Channel/isEncrypted``.
    public static let encryption = ChannelFeature(rawValue: "encryption")

    /// All features that this version of the library defines.
    public static let allCases: [ChannelFeature] = [
        .subscribing, .publishing, .history, .resuming, .presence, .ownPresenceData, .members, .typing, .reactions, .encryption,
    ]
}

extension Channel {
    /// Whether this client's service has a feature for this channel, with the client's keys and settings. Nothing is sent, and the service
    /// may still refuse this user.
    ///
    /// The calls of the feature throw ``LifelineError/Code/unsupported``, or ``LifelineError/Code/badRequest`` for an invalid channel name,
    /// exactly when this is false. Rule LL-87.
    public func supports(_ feature: ChannelFeature) -> Bool {
        if feature == .encryption { return isEncrypted }
        // The service can read presence data, typing indicators and reactions even when the channel's messages are encrypted. A client that
        // requires encryption therefore does not have these features.
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
