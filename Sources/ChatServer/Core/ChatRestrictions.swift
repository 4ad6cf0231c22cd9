import Identifiers
import ServerStorage

/// The restrictions of users, such as mutes and bans, with the time when each ends (rules CH-10 to CH-13).
struct ChatRestrictions: Sendable {
    /// Where a restriction applies: everywhere, for messages to one user who has blocked others, in one channel, or in all channels of a
    /// kind.
    struct Scope: Hashable, Sendable {
        var kind: ChatKind?
        var id: Identifier

        static let everywhere = Scope(kind: nil, id: "")
        static func user(_ id: Identifier) -> Scope { Scope(kind: nil, id: id) }
        static func channel(_ kind: ChatKind, _ id: Identifier) -> Scope { Scope(kind: kind, id: id) }
        static func all(_ kind: ChatKind) -> Scope { Scope(kind: kind, id: "") }
    }

    private struct Key: Hashable {
        var kind: ChatDocument.Restriction.Kind
        var scope: Scope
    }

    /// The time when each restriction ends, by user; `.max` for a restriction without an end.
    private var ends: [Key: [Identifier: Int64]] = [:]

    func contains(_ kind: ChatDocument.Restriction.Kind, in scope: Scope, user: Identifier, at now: Int64) -> Bool {
        guard !ends.isEmpty, let end = ends[Key(kind: kind, scope: scope)]?[user] else { return false }
        return end > now
    }

    /// The time when a user's restriction ends: `.max` for never; nil when the user has no such restriction.
    func end(_ kind: ChatDocument.Restriction.Kind, in scope: Scope, user: Identifier, at now: Int64) -> Int64? {
        ends[Key(kind: kind, scope: scope)]?[user].flatMap { $0 > now ? $0 : nil }
    }

    func count(_ kind: ChatDocument.Restriction.Kind, _ scope: Scope) -> Int { ends[Key(kind: kind, scope: scope)]?.count ?? 0 }

    /// The restricted users, sorted by id.
    func list(_ kind: ChatDocument.Restriction.Kind, _ scope: Scope, at now: Int64) -> [ChatDocument.Restriction] {
        guard let users = ends[Key(kind: kind, scope: scope)] else { return [] }
        return users.filter { $0.value > now }.sorted { $0.key < $1.key }
            .map {
                ChatDocument.Restriction(kind: kind, scope: scope.text, user: $0.key, until: $0.value == .max ? nil : $0.value)
            }
    }

    mutating func insert(
        _ kind: ChatDocument.Restriction.Kind, in scope: Scope, user: Identifier, until: Int64?, into commit: inout ChatCommit
    ) {
        ends[Key(kind: kind, scope: scope), default: [:]][user] = until ?? .max
        commit.documents.append(.restriction(ChatDocument.Restriction(kind: kind, scope: scope.text, user: user, until: until)))
    }

    /// Removes a user's restriction. Returns whether it existed.
    @discardableResult
    mutating func remove(
        _ kind: ChatDocument.Restriction.Kind, in scope: Scope, user: Identifier, into commit: inout ChatCommit
    ) -> Bool {
        let key = Key(kind: kind, scope: scope)
        guard ends[key]?.removeValue(forKey: user) != nil else { return false }
        if ends[key]?.isEmpty == true { ends[key] = nil }
        commit.removedDocuments.append(.restriction(kind, scope: scope.text, user: user))
        return true
    }

    /// Removes all restrictions of a channel that no longer exists.
    mutating func removeAll(in scope: Scope, into commit: inout ChatCommit) {
        for kind in ChatDocument.Restriction.Kind.allCases {
            for user in ends.removeValue(forKey: Key(kind: kind, scope: scope))?.keys.sorted() ?? [] {
                commit.removedDocuments.append(.restriction(kind, scope: scope.text, user: user))
            }
        }
    }

    /// Removes restrictions that have ended.
    mutating func sweep(at now: Int64, into commit: inout ChatCommit) {
        var ended: [(Key, Identifier)] = []
        for (key, users) in ends {
            for (user, end) in users where end <= now { ended.append((key, user)) }
        }
        for (key, user) in ended { remove(key.kind, in: key.scope, user: user, into: &commit) }
    }

    // MARK: Documents

    mutating func restore(_ restriction: ChatDocument.Restriction) {
        let key = Key(kind: restriction.kind, scope: Scope(restriction.kind, text: restriction.scope))
        ends[key, default: [:]][restriction.user] = restriction.until ?? .max
    }

    var documents: [ChatDocument] {
        ends.flatMap { key, users in
            users.map { user, end in
                let until = end == .max ? nil : end
                return .restriction(ChatDocument.Restriction(kind: key.kind, scope: key.scope.text, user: user, until: until))
            }
        }
    }
}

extension ChatRestrictions.Scope {
    /// The name of the scope in documents: see ``ChatDocument.Restriction/Kind``.
    var text: Identifier { kind.map { $0.scope(id.isEmpty ? nil : id) } ?? id }

    init(_ restriction: ChatDocument.Restriction.Kind, text: Identifier) {
        switch restriction {
        case .banned, .blocked: self = .user(text)
        case .muted, .allowed, .barred:
            guard let (kind, id) = ChatKind.target(ofScope: text) else {
                self = .user(text)
                return
            }
            self = Self(kind: kind, id: id ?? "")
        }
    }
}
