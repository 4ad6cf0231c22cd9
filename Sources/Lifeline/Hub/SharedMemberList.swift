import NIOConcurrencyHelpers

/// Who is present in a channel; all rooms of the channel share it.
final class SharedMemberList: Sendable {
    private let list = NIOLockedValueBox(MemberList())

    var current: MemberList { list.withLockedValue { $0 } }

    /// Applies a report of the service, and returns the resulting changes.
    func apply(_ change: (inout MemberList) -> [PresenceChange]) -> [PresenceChange] {
        list.withLockedValue { change(&$0) }
    }
}
