import DequeModule
import Foundation
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// Converts commits to writes of the store. Existing data cannot make a write fail, because ids and positions only grow.
///
/// Written values are cached, so that values that must grow need not be read first.
struct ChatWrites: Sendable {
    private struct Name: Hashable, Sendable {
        var application: Identifier
        var id: UInt64
    }

    private struct Hidden: Hashable, Sendable {
        var application: Identifier
        var user: Identifier
        var conversation: Identifier
    }

    private struct Reader: Hashable, Sendable {
        var application: Identifier
        var user: Identifier
    }

    let keys: ChatKeys
    /// The largest number of entries in an inbox; the oldest are removed.
    let inboxEntries: Int
    private var applications: Set<Identifier> = []
    private var parts: Set<Identifier> = []
    private var recent: Set<Name> = []
    private var recentOrder = Deque<Name>()
    private var hiddenUpTo: [Hidden: UInt64] = [:]
    private var acknowledged: [Reader: UInt64] = [:]
    private var lastSent: [Identifier: UInt64] = [:]
    private var highest: UInt64
    /// The number of the latest read receipt. The receipts of a message are ordered by such numbers.
    private var order: UInt64
    private let encoder = JSONEncoder()

    /// The largest number of entries in a cache of written values, such as `parts`. A larger cache is emptied.
    private static let memory = 65_536
    /// The largest number of fields, such as documents or inbox positions, in one write to the store.
    private static let fields = 500

    /// - Parameter highest: the highest id that was assigned before this process became the leader.
    init(_ keys: ChatKeys, inboxEntries: Int, after highest: UInt64) {
        self.keys = keys
        self.inboxEntries = inboxEntries
        self.highest = highest
        order = highest
    }

    /// Whether one of the commit's events was stored already.
    func has(_ commit: ChatCommit, _ application: Identifier) -> Bool {
        commit.additions.contains { recent.contains(Name(application: application, id: $0.event.id)) }
    }

    mutating func raise(_ id: UInt64) {
        highest = max(highest, id)
        order = max(order, id)
    }

    /// - Parameter horizon: the id before which messages no longer count as sent recently.
    mutating func writes(
        for commit: ChatCommit, _ application: Identifier, since horizon: UInt64
    ) throws -> [StoreWrite] {
        guard !commit.isEmpty else { return [] }
        var out: [StoreWrite] = []
        if applications.insert(application).inserted {
            out.append(.put(keys.applications, .text(application.text), value: ""))
        }
        for addition in commit.additions { add(addition, application, since: horizon, to: &out) }
        if let last = commit.additions.last?.event.id, last > highest {
            raise(last)
            out.append(.set(keys.highest, .text("\(last)")))
        }
        for (id, body) in commit.rewrites {
            out.append(.put(part(.history, id: id, of: application), ChatKeys.body(id), value: .bytes(ByteBuffer(bytes: body))))
        }
        for id in commit.recalls {
            out.append(.put(part(.history, id: id, of: application), ChatKeys.recalled(id), value: "1"))
            out.append(.remove(keys.receipts(id, application)))
        }
        mark(commit, application, to: &out)
        try putDocuments(commit, application, to: &out)
        return out
    }

    /// The writes that store the last position of each changed inbox, for a cluster whose inboxes are in a database.
    func told(_ commit: ChatCommit, _ application: Identifier) -> [StoreWrite] {
        var out: [StoreWrite] = []
        for addition in commit.additions { set(addition.places, as: .places, of: application, to: &out) }
        return out
    }

    private func part(_ part: ChatKeys.Part, id: UInt64, of application: Identifier) -> StoreKey {
        keys.part(part, hour: ChatKeys.hour(id), of: application)
    }

    /// Adds a part, that is, the data of one hour, to the map of existing parts, so that a later purge finds the part when its data are
    /// old.
    private mutating func note(
        _ part: ChatKeys.Part, id: UInt64, of application: Identifier, to out: inout [StoreWrite]
    ) {
        let name = "\(part.rawValue)\(ChatKeys.hour(id))"
        if parts.count > Self.memory { parts = [] }
        guard parts.insert(Identifier("\(name):\(application.text)")).inserted else { return }
        out.append(.put(keys.key(.parts, application), .text(name), value: ""))
    }

    // MARK: Events

    private mutating func add(
        _ addition: ChatCommit.Addition, _ application: Identifier, since horizon: UInt64, to out: inout [StoreWrite]
    ) {
        let event = addition.event
        remember(Name(application: application, id: event.id))
        let family: ChatKeys.Part = event.conversation == nil ? .loose : .history
        let body = StoreWord.bytes(ByteBuffer(bytes: event.body))
        note(family, id: event.id, of: application, to: &out)
        if let conversation = event.conversation {
            let head = ChatEventHead(sender: event.sender, clientID: event.clientID, audience: event.audience)
            var fields = [
                StoreField(ChatKeys.head(event.id), .bytes(head.encoded())), StoreField(ChatKeys.body(event.id), body),
            ]
            if let readers = event.readers {
                fields.append(
                    StoreField(ChatKeys.readers(event.id), .bytes(ChatEventReaders(users: readers).encoded())))
            }
            out.append(.put(part(.history, id: event.id, of: application), fields))
            out.append(.append(keys.history(conversation, application), number: event.id, [StoreField("m", "")], nil))
            out.append(.put(keys.key(.conversations, application), .text(conversation.text), value: ""))
        } else {
            out.append(.put(part(.loose, id: event.id, of: application), ChatKeys.body(event.id), value: body))
        }
        for place in addition.places {
            out.append(
                .append(
                    keys.inbox(place.user, application), number: place.sequence,
                    [StoreField(.text(family.rawValue), .text("\(event.id)"))], .length(inboxEntries)))
        }
        set(addition.places, as: .places, of: application, to: &out)
        noteSent(addition, application, since: horizon, to: &out)
    }

    private mutating func remember(_ name: Name) {
        recent.insert(name)
        recentOrder.append(name)
        if recentOrder.count > 4_096 { recent.remove(recentOrder.removeFirst()) }
    }

    private func set(
        _ places: [ChatInboxPlace], as kind: ChatKeys.Kind, of application: Identifier, to out: inout [StoreWrite]
    ) {
        var rest = places[...]
        while !rest.isEmpty {
            let fields = rest.prefix(Self.fields).map { StoreField(.text($0.user.text), .text("\($0.sequence)")) }
            out.append(.put(keys.key(kind, application), fields))
            rest = rest.dropFirst(Self.fields)
        }
    }

    private mutating func noteSent(
        _ addition: ChatCommit.Addition, _ application: Identifier, since horizon: UInt64, to out: inout [StoreWrite]
    ) {
        let event = addition.event
        guard let clientID = event.clientID, event.id > lastSent[application] ?? 0 else { return }
        lastSent[application] = event.id
        let own = addition.places.first { $0.user == event.sender }?.sequence ?? 0
        out.append(
            .append(
                keys.key(.sent, application), number: event.id,
                [
                    StoreField("s", .text(event.sender.text)), StoreField("c", .text(clientID.text)),
                    StoreField("q", .text("\(own)")),
                ], .before(horizon)))
    }

    // MARK: Changes of events

    private mutating func mark(_ commit: ChatCommit, _ application: Identifier, to out: inout [StoreWrite]) {
        for (user, id) in commit.hidden {
            note(.history, id: id, of: application, to: &out)
            out.append(.put(part(.hidden, id: id, of: application), ChatKeys.hidden(id, user), value: "1"))
        }
        for (user, conversation, id) in commit.hiddenUpTo { hide(conversation, upTo: id, for: user, of: application, to: &out) }
        for (id, receipt) in commit.receipts {
            order += 1
            note(.history, id: id, of: application, to: &out)
            out.append(.put(part(.receipted, id: id, of: application), ChatKeys.head(id), value: ""))
            out.append(
                .putIfAbsent(
                    keys.receipts(id, application),
                    StoreField(.text(receipt.user.text), .text("\(order):\(receipt.time)"))))
        }
        let news = commit.acknowledged.filter { place in
            place.sequence > acknowledged[Reader(application: application, user: place.user)] ?? 0
        }
        if acknowledged.count > Self.memory { acknowledged = [:] }
        for place in news { acknowledged[Reader(application: application, user: place.user)] = place.sequence }
        set(news, as: .acknowledged, of: application, to: &out)
    }

    private mutating func hide(
        _ conversation: Identifier, upTo id: UInt64, for user: Identifier, of application: Identifier,
        to out: inout [StoreWrite]
    ) {
        let name = Hidden(application: application, user: user, conversation: conversation)
        let former = hiddenUpTo[name]
        guard id > former ?? 0 else { return }
        if hiddenUpTo.count > Self.memory { hiddenUpTo = [:] }
        hiddenUpTo[name] = id
        let key = keys.hiddenUpTo(in: conversation, by: user, of: application)
        out.append(.add(key, [.text("\(id)")]))
        // Also records the hidden conversation in the part of the message's hour, so that a purge of the hour removes it from `key`.
        note(.hiddenUpTo, id: id, of: application, to: &out)
        let names = ChatHide(user: user, conversation: conversation).encoded()
        out.append(
            .put(
                part(.hiddenUpTo, id: id, of: application), ChatKeys.hiddenUpTo(id, in: conversation, by: user),
                value: .bytes(names)))
        if let former { out.append(.removeMembers(key, [.text("\(former)")])) }
    }

    // MARK: Documents

    private func putDocuments(_ commit: ChatCommit, _ application: Identifier, to out: inout [StoreWrite]) throws {
        let key = keys.key(.documents, application)
        var rest = commit.documents[...]
        while !rest.isEmpty {
            let fields = try rest.prefix(Self.fields).map { document in
                StoreField(ChatKeys.document(document.key), .bytes(ByteBuffer(bytes: try encoder.encode(document))))
            }
            out.append(.put(key, fields))
            rest = rest.dropFirst(Self.fields)
        }
        var removed = commit.removedDocuments[...]
        while !removed.isEmpty {
            out.append(.removeFields(key, removed.prefix(Self.fields).map { ChatKeys.document($0) }))
            removed = removed.dropFirst(Self.fields)
        }
    }
}

/// The users who may see a message in the history, for a message that not all users may see.
struct ChatEventReaders: Hashable, Sendable, CodedValue {
    var users: [Identifier]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(users: try fields.list(1, value?.users))
    }
}

/// The fields that are stored with a message of a history, in addition to its body.
struct ChatEventHead: Hashable, Sendable, CodedValue {
    var sender: Identifier
    var clientID: Identifier?
    var audience: Int

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            sender: try fields.field(1, value?.sender), clientID: try fields.optional(2, value?.clientID),
            audience: try fields.field(3, value?.audience))
    }
}

/// Records that a user has hidden a conversation up to a message, which the field's name contains.
struct ChatHide: Hashable, Sendable, CodedValue {
    var user: Identifier
    var conversation: Identifier

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(user: try fields.field(1, value?.user), conversation: try fields.field(2, value?.conversation))
    }
}
