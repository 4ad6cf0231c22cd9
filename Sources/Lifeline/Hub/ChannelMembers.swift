import NIOConcurrencyHelpers

/// Who is present in a channel; all rooms of the channel share it.
final class ChannelMembers: Sendable {
    private let list = NIOLockedValueBox(MemberList())

    var current: MemberList { list.withLockedValue { $0 } }

    /// Applies what the service told, and returns what it changed.
    func apply(_ change: (inout MemberList) -> [PresenceChange]) -> [PresenceChange] {
        list.withLockedValue { change(&$0) }
    }
}
