import Identifiers
import ServerStorage

/// The core of a chat service: the state of one application, and the decisions about requests.
///
/// It is a value without locks, clocks, I/O, randomness and network protocol. Its owner guards it with a lock, and passes the time in ms
/// since 1970. Functions that change persistent state write the changed documents into the given commit. A function that throws has changed
/// nothing.
package struct ChatState: Sendable {
    /// The application's settings. The owner of this value may change all settings but the key at any time. Such a change does not affect
    /// existing data.
    package var application: ChatApplication
    /// Identifies the numbering of the entries in all inboxes. After a loss of data a new epoch begins, by which older positions are
    /// recognised as outdated (rules CH-22 and CH-26).
    package let epoch: String

    /// The monotonic time in milliseconds, for grace periods, delays and lifetimes. Update it before each change. It equals `now` at the
    /// start of the process. It is nil where `now` itself never jumps, as in tests.
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
    /// The inboxes of unregistered users, by the user who first sent them a message (rule CH-108). They are counted from the start of the
    /// process.
    var strangersInboxes: [Identifier: Set<Identifier>] = [:]
    var settings = ChatUserSettings()
    var groups = ChatGroups()
    var rooms = ChatRooms()
    var presence = ChatPresence()
    private var nextHousekeeping = Int64.min

    /// Restores the state of an application.
    ///
    /// - Parameters:
    ///   - application: the application's settings.
    ///   - restored: the state from the store. It is not checked.
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

    /// All documents from which this state can be restored, in no particular order.
    package var documents: [ChatDocument] {
        directory.documents + restrictions.documents + settings.documents + groups.documents + rooms.documents
            + presence.documents
    }

    /// Runs time-dependent work: removes users who have lost the connection from open channels, reports their presence, and removes ended
    /// restrictions.
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

/// Notifications for connected devices. They are sent at once, and not stored.
package struct ChatNews: Sendable {
    /// Events for the participants of open channels.
    package var open: [ChatOpenEvent] = []
    /// Changes of online status.
    package var presence: [ChatPresenceEvent] = []
    /// Sessions that have left an open channel. Stop delivering the channel's messages to them after these events are delivered.
    package var detached: [ChatSeat] = []
    /// Events about open channels for a user's other devices.
    package var syncs: [ChatOpenSync] = []

    /// An empty value.
    package init() {}

    /// Whether there are no notifications.
    package var isEmpty: Bool { open.isEmpty && presence.isEmpty && detached.isEmpty && syncs.isEmpty }
}
