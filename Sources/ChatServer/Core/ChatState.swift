import Identifiers
import ServerStorage

/// The core of a chat service: the state of one application, and the decisions about requests.
///
/// A value without locks, clocks, I/O and randomness, and without a protocol: its owner guards it with a lock and passes the time,
/// in ms since 1970. Functions that change persistent state write the documents into the given commit. Functions that throw have
/// changed nothing.
package struct ChatState: Sendable {
    /// The application's settings. They may be changed at any time, except for the key; existing state stays.
    package var application: ChatApplication
    /// Identifies the numbering of the entries in all inboxes. A loss of data begins a new epoch, so that a position from before the loss
    /// is recognised as outdated (rules CH-22 and CH-26).
    package let epoch: String

    /// The monotonic time in milliseconds, to be updated before each change: grace periods, pauses and lifetimes are measured with
    /// it. It equals `now` at the start of the process. Nil where `now` itself never jumps, as in tests.
    package var steadyTime: Int64? {
        didSet {
            rooms.steadyTime = steadyTime
            presence.steadyTime = steadyTime
        }
    }

    var directory = ChatDirectory()
    var restrictions = ChatRestrictions()
    var devices = ChatDevices()
    var inboxes: ChatInboxes
    var repetitions = ChatRepetitions()
    /// Inboxes of ids without a user, by the user who wrote to them first (rule CH-108). Counted since the start of the process.
    var strangersInboxes: [Identifier: Set<Identifier>] = [:]
    var settings = ChatUserSettings()
    var groups = ChatGroups()
    var rooms = ChatRooms()
    var presence = ChatPresence()
    private var nextHousekeeping = Int64.min

    /// The state of an application.
    ///
    /// - Parameters:
    ///   - application: the application.
    ///   - restored: the state from the store, which is not checked.
    ///   - epoch: the epoch of the store.
    package init(_ application: ChatApplication, restoring restored: RestoredChat.Application = .init(), epoch: String) {
        self.application = application
        self.epoch = epoch
        inboxes = ChatInboxes(epoch: epoch)
        restore(restored)
    }

    private mutating func restore(_ restored: RestoredChat.Application) {
        var tokens: [ChatDocument.Token] = []
        var members: [ChatDocument.Member] = []
        for document in restored.documents {
            switch document {
            case .user(let user): directory.restore(user)
            case .token(let token): tokens.append(token)
            case .group(let group): groups.restore(group)
            case .member(let member): members.append(member)
            case .openChannel(let channel): rooms.restore(channel)
            case .openEntry(let entry): rooms.restore(entry)
            case .setting(let setting): settings.restore(setting)
            case .restriction(let restriction): restrictions.restore(restriction)
            case .subscription(let subscription): presence.restore(subscription)
            }
        }
        for token in tokens.sorted(by: { ($0.issued, $0.token) < ($1.issued, $1.token) }) { directory.restore(token) }
        for member in members.sorted(by: { ($0.joined, $0.user) < ($1.joined, $1.user) }) { groups.restore(member) }
        rooms.finishRestoring()
        for (user, inbox) in restored.inboxes {
            inboxes.restore(user, last: inbox.last, acknowledged: inbox.acknowledged)
        }
        for send in restored.recentSends.sorted(by: { $0.id < $1.id }) {
            repetitions.note(send.sender, send.clientID, id: send.id, sequence: send.sequence)
        }
    }

    /// All documents that a store needs to restore this state, in no particular order.
    package var documents: [ChatDocument] {
        directory.documents + restrictions.documents + settings.documents + groups.documents + rooms.documents
            + presence.documents
    }

    /// Runs time-dependent work: users who lost the connection leave open channels, presence is reported, ended restrictions are
    /// removed.
    ///
    /// Call it about once per second.
    package mutating func sweep(at now: Int64, into commit: inout ChatCommit) -> ChatNews {
        var news = ChatNews()
        rooms.sweep(at: now, limits: application.limits, restrictions: &restrictions, into: &commit, news: &news)
        presence.sweep(at: now, devices: devices, into: &commit, news: &news)
        hidePresenceFromBlocked(&news)
        let time = steadyTime ?? now
        if time >= nextHousekeeping {
            nextHousekeeping = time + 60_000
            restrictions.sweep(at: now, into: &commit)
            directory.sweep(at: now, into: &commit)
            if now > 3_600_000 { repetitions.forget(before: UInt64(now - 3_600_000) * 10_000) }
        }
        return news
    }
}

/// Notifications for connected devices that are sent at once and not stored.
package struct ChatNews: Sendable {
    /// Events of open channels.
    package var open: [ChatOpenEvent] = []
    /// Changes of online status.
    package var presence: [ChatPresenceEvent] = []
    /// Sessions that are no longer in an open channel, to be removed after the events are delivered.
    package var detached: [ChatSeat] = []
    /// Events for other devices of a user about open channels.
    package var syncs: [ChatOpenSync] = []

    /// An empty value.
    package init() {}

    /// Whether there are no notifications.
    package var isEmpty: Bool { open.isEmpty && presence.isEmpty && detached.isEmpty && syncs.isEmpty }
}
