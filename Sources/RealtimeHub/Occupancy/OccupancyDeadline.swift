/// Something to look at when its time has come. What it is about may have changed meanwhile; that is found out then.
struct OccupancyDeadline: Comparable, Sendable {
    enum Subject: Hashable, Sendable {
        /// A user's stay on the channel.
        case member(user: String, stay: UInt64)
        /// The channel's interval event.
        case interval
        /// State that was set for a user who is not there.
        case absentState(user: String)
    }

    var instant: HubInstant
    var channel: String
    var subject: Subject

    static func < (left: OccupancyDeadline, right: OccupancyDeadline) -> Bool { left.instant < right.instant }
}

/// State of a user who is not on the channel.
struct AbsentState: Sendable {
    var state: [UInt8]
    var deadline: HubInstant
}
