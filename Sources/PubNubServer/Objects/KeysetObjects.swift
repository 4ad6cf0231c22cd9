import Identifiers
import ServerStorage
import WireCoding

/// The App Context of a keyset: metadata of users and channels, and memberships. A pure value (rules PO-2 to PO-10).
///
/// A change takes two steps, because it must not be visible before it is stored. ``decide(_:at:ifMatch:)`` determines the records and
/// events of the change. After they are stored, ``apply(_:)`` makes the change take effect. No other change may be decided between the two
/// calls.
struct KeysetObjects: Sendable {
    enum Kind: Hashable, Sendable {
        case user
        case channel

        /// The text fields that answers contain without being requested.
        var fields: [ObjectField] { self == .user ? ObjectField.ofUsers : ObjectField.ofChannels }
    }

    let limits: ObjectLimits
    private(set) var users = ObjectTable()
    private(set) var channels = ObjectTable()
    /// Memberships by user, then by channel.
    private(set) var memberships: [Identifier: ObjectTable] = [:]
    /// The ids of each channel's members, in ascending order.
    private(set) var members: [Identifier: [Identifier]] = [:]
    private(set) var membershipCount = 0
    private(set) var bytes = 0

    /// - Parameter records: the records from the store; records of other kinds and malformed records are ignored.
    init(restoring records: [KeysetRecord] = [], limits: ObjectLimits = ObjectLimits()) {
        self.limits = limits
        var entities: [Kind: [Identifier: ObjectMetadata]] = [:]
        var memberships: [Identifier: [Identifier: ObjectMetadata]] = [:]
        for record in records {
            guard let target = ObjectChange.Target(record.key), let metadata = ObjectMetadata(record: record.value) else {
                continue
            }
            bytes += Self.size(of: target, metadata)
            switch target {
            case .user(let id): entities[.user, default: [:]][id] = metadata
            case .channel(let id): entities[.channel, default: [:]][id] = metadata
            case .membership(let user, let channel):
                memberships[user, default: [:]][channel] = metadata
                members[channel, default: []].append(user)
                membershipCount += 1
            }
        }
        users = ObjectTable(entities[.user] ?? [:])
        channels = ObjectTable(entities[.channel] ?? [:])
        self.memberships = memberships.mapValues { ObjectTable($0) }
        members = members.mapValues { $0.sorted() }
    }

    func table(_ kind: Kind) -> ObjectTable { kind == .user ? users : channels }

    subscript(target: ObjectChange.Target) -> ObjectMetadata? {
        switch target {
        case .user(let id): users[id]
        case .channel(let id): channels[id]
        case .membership(let user, let channel): memberships[user]?[channel]
        }
    }

    /// Makes a decided change take effect. Call it after the change is stored.
    mutating func apply(_ decision: ObjectDecision) {
        for change in decision.changes { apply(change) }
    }

    private mutating func apply(_ change: ObjectChange) {
        let old = self[change.target]
        bytes += change.metadata.map { Self.size(of: change.target, $0) } ?? 0
        bytes -= old.map { Self.size(of: change.target, $0) } ?? 0
        switch change.target {
        case .user(let id): users[id] = change.metadata
        case .channel(let id): channels[id] = change.metadata
        case .membership(let user, let channel):
            memberships[user, default: ObjectTable()][channel] = change.metadata
            if memberships[user]?.count == 0 { memberships[user] = nil }
            if old == nil, change.metadata != nil {
                members[channel, default: []].insertSorted(user)
                membershipCount += 1
            }
            if old != nil, change.metadata == nil {
                members[channel]?.removeSorted(user)
                if members[channel]?.isEmpty == true { members[channel] = nil }
                membershipCount -= 1
            }
        }
    }

    /// How much a decided change adds to the stored data; negative when it removes data. A user or channel counts as two items, because a
    /// keyset may have half as many users or channels as memberships.
    func growth(by decision: ObjectDecision) -> OwnerShares.Size {
        var size = OwnerShares.Size()
        var latest: [ObjectChange.Target: ObjectMetadata?] = [:]
        for change in decision.changes {
            let old = latest[change.target] ?? self[change.target]
            latest[change.target] = .some(change.metadata)
            let weight = if case .membership = change.target { 1 } else { 2 }
            size.count += weight * ((change.metadata == nil ? 0 : 1) - (old == nil ? 0 : 1))
            size.bytes += change.metadata.map { Self.size(of: change.target, $0) } ?? 0
            size.bytes -= old.map { Self.size(of: change.target, $0) } ?? 0
        }
        return size
    }

    /// The bytes of a user, channel or membership that count towards ``ObjectLimits/bytes``.
    static func size(of target: ObjectChange.Target, _ metadata: ObjectMetadata) -> Int {
        metadata.content.size + 2 * target.idBytes + 100
    }
}

/// A change of one user, channel or membership.
struct ObjectChange: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case user(Identifier)
        case channel(Identifier)
        case membership(user: Identifier, channel: Identifier)

        var idBytes: Int {
            switch self {
            case .user(let id), .channel(let id): id.utf8.count
            case .membership(let user, let channel): user.utf8.count + channel.utf8.count
            }
        }

        /// The key of the record in the store: an id, or for a membership the JSON `["user","channel"]`.
        var key: KeysetRecord.Key {
            switch self {
            case .user(let id): return .init(.user, Array(id.utf8))
            case .channel(let id): return .init(.channel, Array(id.utf8))
            case .membership(let user, let channel):
                var body = JSONBody(isSpaced: false)
                body.strings([user.text, channel.text])
                return .init(.membership, body.bytes)
            }
        }

        /// Reads the target from the key of a record; nil for records of other kinds.
        init?(_ key: KeysetRecord.Key) {
            switch key.kind {
            case .user: self = .user(Identifier(String(decoding: key.name, as: UTF8.self)))
            case .channel: self = .channel(Identifier(String(decoding: key.name, as: UTF8.self)))
            case .membership:
                let names = (try? JSONText(bytes: key.name))?.elements?.compactMap(\.string) ?? []
                guard names.count == 2 else { return nil }
                self = .membership(user: Identifier(names[0]), channel: Identifier(names[1]))
            case .pushDevice, .file: return nil
            }
        }
    }

    var target: Target
    /// The metadata after the change; nil for a removal.
    var metadata: ObjectMetadata?

    var record: KeysetRecordChange {
        metadata.map { .put(KeysetRecord(target.key, $0.record)) } ?? .remove(target.key)
    }
}

/// The changes and events that one call causes. Each event has the channels on which it is published.
struct ObjectDecision: Hashable, Sendable {
    struct Event: Hashable, Sendable {
        var channel: Identifier
        var payload: [UInt8]
    }

    var changes: [ObjectChange] = []
    var events: [Event] = []
}
