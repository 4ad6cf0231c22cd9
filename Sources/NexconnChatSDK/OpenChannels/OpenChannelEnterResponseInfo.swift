import ChatProtocol
import Foundation

/// The data of an open channel at the moment when the user entered it.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnterResponseInfo) @objcMembers
#endif
public final class OpenChannelEnterResponseInfo: NSObject, Sendable {
    private let entrance: ChatOpenEntrance

    init(_ entrance: ChatOpenEntrance) {
        self.entrance = entrance
        super.init()
    }

    /// When the channel was created, milliseconds since 1970.
    public var createTime: Int64 { entrance.created }
    /// How many users are in the channel.
    public var participantCount: Int { entrance.count }
    /// Another name of ``participantCount``, because the vendor's documentation uses both names.
    public var memberCount: Int { entrance.count }
    /// When the user entered, milliseconds since 1970.
    public var enterTime: Int64 { entrance.entered }
    /// Whether all users of the channel are muted: only users on the allowlist may send messages.
    public var isAllChannelMuted: Bool { entrance.isMutedForAll }
    /// Whether the user may not send messages to any open channel of the application.
    public var isCurrentUserMuted: Bool { entrance.isMuted }
    /// Whether the user may not send messages to this channel.
    public var isCurrentChannelMuted: Bool { entrance.isMutedHere }
    /// Whether the user is on the allowlist and may send messages while all users are muted.
    public var isCurrentChannelInAllowlist: Bool { entrance.isAllowed }
}
