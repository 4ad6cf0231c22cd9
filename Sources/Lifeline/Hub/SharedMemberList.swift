import NIOConcurrencyHelpers

/// The members who are present in a channel. All rooms of the channel share one list.
final class SharedMemberList: Sendable {
    private let list = NIOLockedValueBox(MemberList())

    var current: MemberList { list.withLockedValue { $0 } }

    /// Changes the list as the service has reported, and returns the resulting presence changes.
    func apply(_ change: (inout MemberList) -> [PresenceChange]) -> [PresenceChange] {
        list.withLockedValue { change(&$0) }
    }
}
