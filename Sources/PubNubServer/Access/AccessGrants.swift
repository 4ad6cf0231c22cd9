import Identifiers
import NIOConcurrencyHelpers
import OrderedCollections
import PubNubProtocol
import RealtimeHub
import WireCoding

/// The grants of the second version and the revoked tokens of one keyset (rules PV-84 to PV-87).
///
/// In memory; the store keeps both across restarts.
final class AccessGrants: Sendable {
    /// Grants of a keyset. Beyond it the oldest go first.
    static let capacity = 100_000
    /// Tokens that are remembered as checked, and bytes of their texts. Beyond it all are forgotten and checked anew.
    private static let remembered = 2048
    private static let rememberedBytes = 2 << 20

    private struct State {
        var grants: OrderedDictionary<AccessEntry.Key, AccessEntry> = [:]
        /// Tokens that are not accepted, until they have expired, by their names (``CheckedToken/name``).
        var revoked: [Identifier: AccessEntry] = [:]
        var checked: [Identifier: CheckedToken] = [:]
        var checkedBytes = 0
        /// Counts how often ``checked`` was emptied because secret keys have changed.
        var generation = 0
        /// Incremented by every change that may remove a right: a new grant, the end of a grant and a revocation.
        var version = 0
        /// When the next grant ends, in seconds since 1970.
        var nextEnd: Int?
    }

    private let state = NIOLockedValueBox(State())

    /// - Parameter restored: what the store has, in the order in which it came.
    init(restoring restored: [AccessEntry] = []) {
        for entry in restored { set(entry) }
    }

    /// Puts a grant in the place of the former one, or notes that a token is revoked.
    ///
    /// - Returns: the key of a grant that had to go because there are too many.
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

    /// Everything that is known, grants in the order in which they came.
    var entries: [AccessEntry] { state.withLockedValue { Array($0.grants.values) + $0.revoked.values } }

    /// Removes grants and revocations.
    func remove(_ keys: [AccessEntry.Key]) {
        state.withLockedValue { state in
            state.version += 1
            for key in keys {
                if key.kind == .revokedToken { state.revoked[key.name] = nil } else { state.grants[key] = nil }
            }
        }
    }

    /// Puts other grants and revocations in the place of all there are.
    func replace(with entries: [AccessEntry]) {
        state.withLockedValue { state in
            state.version += 1
            (state.grants, state.revoked, state.nextEnd) = ([:], [:], nil)
        }
        for entry in entries { set(entry) }
    }

    /// Grants that hold, in the order in which they came.
    func grants(at now: Int) -> [AccessEntry] {
        state.withLockedValue { state in
            state.grants.removeAll { !$0.value.holds(at: now) }
            return Array(state.grants.values)
        }
    }

    /// Changes when a right may have been lost: then held polls have to be checked again (rule PV-138). The expiry of a token does not
    /// change it.
    func version(at now: Int) -> Int {
        state.withLockedValue { state in
            if let end = state.nextEnd, now >= end {
                state.version += 1
                state.nextEnd = state.grants.values.lazy.compactMap(\.expires).filter { $0 > now }.min()
            }
            return state.version
        }
    }

    /// Whether a grant allows something, to everybody or to the holder of an auth key.
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

    /// The token of a text, if one of this keyset's secret keys has signed it. Checked once and then remembered.
    ///
    /// - Parameter secretKeys: all that are valid. Asked for only when the token has to be checked, and after the grants have noted
    ///   which ones it knows, so that nothing is remembered for a key that has been taken away meanwhile.
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

    /// The keyset has other secret keys than before, or other rules: every token is checked anew, and whoever holds a poll has to ask
    /// again.
    func forgetChecked() {
        state.withLockedValue { state in
            state.checked = [:]
            state.checkedBytes = 0
            state.generation += 1
            state.version += 1
        }
    }

    /// Forgets revocations of tokens that have expired since.
    func forgetRevoked(before now: Int) {
        state.withLockedValue { state in state.revoked = state.revoked.filter { $0.value.holds(at: now) } }
    }

    func isRevoked(_ checked: CheckedToken) -> Bool {
        state.withLockedValue { $0.revoked[checked.name] != nil }
    }
}

/// A token with a valid signature, and with its patterns ready.
struct CheckedToken: Sendable {
    let token: PubNubAccessToken
    /// Its signature in hexadecimal: what a revocation names, so that no other spelling of the token passes.
    let name: Identifier
    private let channels: Rules
    private let groups: Rules
    private let users: Rules

    private struct Rules: Sendable {
        var names: PubNubGrants.Rights
        var patterns: [(pattern: PubNubAccessPattern, rights: PubNubRights)]

        /// A pattern that is not understood grants nothing.
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

    /// Groups are written with a colon in front here and without it there.
    func allows(_ need: AccessNeed) -> Bool {
        switch need.kind {
        case .channel: channels.allow(need.right, on: need.name)
        case .group: groups.allow(need.right, on: need.name) || groups.allow(need.right, on: Identifier(":" + need.name.text))
        case .user: users.allow(need.right, on: need.name)
        }
    }
}
