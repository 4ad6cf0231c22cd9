import Foundation
import NexconnProtocol

/// What an open channel is like when the user enters it.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnterResponseInfo) @objcMembers
#endif
public final class OpenChannelEnterResponseInfo: NSObject, Sendable {
    private let entrance: NexconnOpenEntrance

    init(_ entrance: NexconnOpenEntrance) {
        self.entrance = entrance
        super.init()
    }

    /// When the channel was made, ms since 1970.
    public var createTime: Int64 { entrance.created }
    /// How many are in it.
    public var participantCount: Int { entrance.count }
    /// Another name of ``participantCount``: the vendor's pages use both.
    public var memberCount: Int { entrance.count }
    /// When the user entered, ms since 1970.
    public var enterTime: Int64 { entrance.entered }
    /// Whether nobody may speak but those who are allowed.
    public var isAllChannelMuted: Bool { entrance.isMutedForAll }
    /// Whether the user may speak in no open channel of the application.
    public var isCurrentUserMuted: Bool { entrance.isMuted }
    /// Whether the user may not speak in this one.
    public var isCurrentChannelMuted: Bool { entrance.isMutedHere }
    /// Whether the user may speak although all are muted.
    public var isCurrentChannelInAllowlist: Bool { entrance.isAllowed }
}
