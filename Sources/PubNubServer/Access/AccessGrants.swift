import Identifiers
import NIOConcurrencyHelpers
import OrderedCollections
import PubNubProtocol
import ServerStorage
import WireCoding

/// The grants of access manager version 2 and the revoked access tokens of one keyset (rules PV-84 to PV-87).
///
/// All entries are kept in memory. The store has a second copy, which survives restarts.
final class AccessGrants: Sendable {
    /// The largest number of grants of a keyset. At this number, a new grant replaces the oldest one.
    static let capacity = 100_000
    /// Limits of the cache of checked tokens: the number of tokens, and the bytes of their texts. When one of the limits would be exceeded,
    /// the cache is emptied.
    private static let remembered = 2048
    private static let rememberedBytes = 2 << 20

    private struct State {
        var grants: OrderedDictionary<AccessEntry.Key, AccessEntry> = [:]
        /// The revocations by token name (``CheckedToken/name``). Each revocation is kept until the revoked token expires.
        var revoked: [Identifier: AccessEntry] = [:]
        var checked: [Identifier: CheckedToken] = [:]
        var checkedBytes = 0
        /// Counts how often ``checked`` was emptied because the keyset's secret keys or rules have changed.
        var generation = 0
        /// Incremented by every change that may remove a right: a new grant, the expiry of a grant, or a revocation.
        var version = 0
        /// When the next grant expires, in seconds since 1970; nil when no grant expires.
        var nextEnd: Int?
    }

    private let state = NIOLockedValueBox(State())

    /// - Parameter restored: the entries from the store, in the order in which they were added.
    init(restoring restored: [AccessEntry] = []) {
        for entry in restored { set(entry) }
    }

    /// Adds a grant or a revocation. A grant replaces an earlier grant for the same resource and holder.
    ///
    /// - Returns: the key of the oldest grant if this grant was removed to make room; otherwise nil.
    @discardableResult
    func set(_ entry: AccessEntry) -> AccessEntry.Key? {
        state.withLockedValue { state in
            state.version += 1
            guard entry.key.kind != .revokedToken else {
                state.revoked[entry.key.name] = entry
                return nil
            }
            state.grants[entry.key] = entry
            if let end = entry.expires { state.nextEnd = min(end, state.nextEnd ?? end) }
            return state.grants.count > Self.capacity ? state.grants.removeFirst().key : nil
        }
    }

    /// All grants, in the order in which they were added, and all revocations.
    var entries: [AccessEntry] { state.withLockedValue { Array($0.grants.values) + $0.revoked.values } }

    /// Removes the grants and revocations with these keys.
    func remove(_ keys: [AccessEntry.Key]) {
        state.withLockedValue { state in
            state.version += 1
            for key in keys {
                if key.kind == .revokedToken { state.revoked[key.name] = nil } else { state.grants[key] = nil }
            }
        }
    }

    /// Replaces all grants and revocations by these entries.
    func replace(with entries: [AccessEntry]) {
        state.withLockedValue { state in
            state.version += 1
            (state.grants, state.revoked, state.nextEnd) = ([:], [:], nil)
        }
        for entry in entries { set(entry) }
    }

    /// The grants that have not expired at `now` (seconds since 1970), in the order in which they were added.
    func grants(at now: Int) -> [AccessEntry] {
        state.withLockedValue { state in
            state.grants.removeAll { !$0.value.holds(at: now) }
            return Array(state.grants.values)
        }
    }

    /// A number that changes when a right may have been lost. After such a change, held polls are checked again (rule PV-138). The expiry
    /// of a token does not change the number.
    func version(at now: Int) -> Int {
        state.withLockedValue { state in
            if let end = state.nextEnd, now >= end {
                state.version += 1
                state.nextEnd = state.grants.values.lazy.compactMap(\.expires).filter { $0 > now }.min()
            }
            return state.version
        }
    }

    /// Whether a grant gives the right `need` to everybody, or to the holder of the auth key `auth`.
    func allows(_ need: AccessNeed, auth: String?, at now: Int) -> Bool {
        var keys = [AccessEntry.Key(.everything)]
        switch need.kind {
        case .channel: keys += ([need.name] + Wildcard.patterns(matching: need.name)).map { AccessEntry.Key(.channel, $0) }
        case .group: keys.append(AccessEntry.Key(.group, need.name))
        case .user: keys.append(AccessEntry.Key(.user, need.name))
        }
        if let auth { keys += keys.map { AccessEntry.Key($0.kind, $0.name, holder: Identifier(auth)) } }
        return state.withLockedValue { state in
            keys.contains { key in
                guard let grant = state.grants[key] else { return false }
                return PubNubRights(rawValue: grant.rights).contains(need.right) && grant.holds(at: now)
            }
        }
    }

    // MARK: Tokens

    /// Decodes a token and checks its signature. Nil when the text is not a token, or when none of the keyset's secret keys has signed it.
    /// The result is cached.
    ///
    /// - Parameter secretKeys: all valid secret keys. They are read only for a token that is not cached, and only after the generation of
    ///   the cache was read. So a result for a secret key that is removed during this call is not cached.
    func token(_ text: String, secretKeys: @autoclosure () -> [String]) -> CheckedToken? {
        let key = Identifier(text)
        let (known, generation) = state.withLockedValue { ($0.checked[key], $0.generation) }
        if let known { return known }
        guard let token = try? PubNubAccessToken(parsing: text),
            ConstantTime.anyIsRight(secretKeys(), { token.isSigned(with: $0) })
        else { return nil }
        let checked = CheckedToken(token)
        state.withLockedValue { state in
            guard state.generation == generation else { return }
            let bytes = text.utf8.count
            if state.checked.count >= Self.remembered || state.checkedBytes + bytes > Self.rememberedBytes {
                state.checked = [:]
                state.checkedBytes = 0
            }
            if state.checked.updateValue(checked, forKey: key) == nil { state.checkedBytes += bytes }
        }
        return checked
    }

    /// Empties the cache of checked tokens after the secret keys or the rules of the keyset have changed. Every token is then checked
    /// again, and clients with held polls have to send new requests.
    func forgetChecked() {
        state.withLockedValue { state in
            state.checked = [:]
            state.checkedBytes = 0
            state.generation += 1
            state.version += 1
        }
    }

    /// Removes the revocations of tokens that have expired at `now` (seconds since 1970).
    func forgetRevoked(before now: Int) {
        state.withLockedValue { state in state.revoked = state.revoked.filter { $0.value.holds(at: now) } }
    }

    func isRevoked(_ checked: CheckedToken) -> Bool {
        state.withLockedValue { $0.revoked[checked.name] != nil }
    }
}

/// The parts of an access token that access checks need. The token's signature is valid, and its patterns are parsed.
struct CheckedToken: Sendable {
    let token: PubNubAccessToken
    /// The token's signature in hexadecimal. A revocation names a token by its signature, so that the token stays revoked if a client
    /// spells its text differently.
    let name: Identifier
    private let channels: Rules
    private let groups: Rules
    private let users: Rules

    private struct Rules: Sendable {
        var names: PubNubGrants.Rights
        var patterns: [(pattern: PubNubAccessPattern, rights: PubNubRights)]

        /// A malformed pattern is skipped, so it grants nothing.
        init(_ names: PubNubGrants.Rights, _ patterns: PubNubGrants.Rights) {
            self.names = names
            self.patterns = patterns.compactMap { text, rights in
                (try? PubNubAccessPattern(text.text)).map { ($0, rights) }
            }
        }

        func allow(_ right: PubNubRights, on name: Identifier) -> Bool {
            if names[name]?.contains(right) == true { return true }
            return patterns.contains { $0.rights.contains(right) && $0.pattern.matches(name.text) }
        }
    }

    init(_ token: PubNubAccessToken) {
        self.token = token
        name = Identifier(Hex.text(token.signature))
        channels = Rules(token.resources.channels, token.patterns.channels)
        groups = Rules(token.resources.groups, token.patterns.groups)
        users = Rules(token.resources.users, token.patterns.users)
    }

    /// In an `AccessNeed`, the presence name of a group begins with a colon; in the token, the name has no colon.
    func allows(_ need: AccessNeed) -> Bool {
        switch need.kind {
        case .channel: channels.allow(need.right, on: need.name)
        case .group: groups.allow(need.right, on: need.name) || groups.allow(need.right, on: Identifier(":" + need.name.text))
        case .user: users.allow(need.right, on: need.name)
        }
    }
}
