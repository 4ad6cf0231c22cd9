import NIOConcurrencyHelpers
import OrderedCollections
import PubNubProtocol
import RealtimeHub

/// What grants of the second version allow and which tokens are revoked, for one keyset (rules PV-84 to PV-87).
///
/// In memory; ``AccessJournal`` keeps both across restarts.
final class GrantBook: Sendable {
    /// What a grant is about.
    enum Resource: Hashable, Sendable {
        case everything
        case channel(String)
        case group(String)
        case user(String)
    }

    struct Grant: Hashable, Sendable {
        var rights: PubNubRights
        /// Minutes; 0 for ever.
        var ttl: Int
        /// Seconds since 1970; nil for never.
        var expires: Int?

        func holds(at now: Int) -> Bool { expires.map { now < $0 } ?? true }
    }

    struct Key: Hashable, Sendable {
        var resource: Resource
        /// Nil for everybody.
        var auth: String?
    }

    /// Grants of a keyset. Beyond it the oldest go first.
    static let capacity = 100_000
    /// Tokens that are remembered as checked.
    private static let remembered = 2048

    private struct Book {
        var grants: OrderedDictionary<Key, Grant> = [:]
        /// Until when each revoked signature has to be remembered.
        var revoked: [[UInt8]: Int] = [:]
        var checked: [String: CheckedToken] = [:]
    }

    private let book = NIOLockedValueBox(Book())

    /// Replaces a grant.
    func set(_ grant: Grant, for key: Key) {
        book.withLockedValue { book in
            book.grants[key] = grant
            if book.grants.count > Self.capacity { book.grants.removeFirst() }
        }
    }

    /// Grants that hold, in the order in which they came.
    func grants(at now: Int) -> [(key: Key, grant: Grant)] {
        book.withLockedValue { book in
            book.grants.removeAll { !$0.value.holds(at: now) }
            return book.grants.map { ($0.key, $0.value) }
        }
    }

    /// Whether a grant allows something, to everybody or to the holder of an auth key.
    func allows(_ need: AccessNeed, auth: String?, at now: Int) -> Bool {
        var resources = [Resource.everything]
        switch need.kind {
        case .channel:
            resources.append(.channel(need.name))
            resources += Wildcard.patterns(matching: need.name).map { .channel($0) }
        case .group:
            resources.append(.group(need.name))
        }
        return book.withLockedValue { book in
            resources.contains { resource in
                ([nil] + (auth.map { [$0] } ?? [])).contains { auth in
                    guard let grant = book.grants[Key(resource: resource, auth: auth)] else { return false }
                    return grant.rights.contains(need.right) && grant.holds(at: now)
                }
            }
        }
    }

    // MARK: Tokens

    /// The token of a text, if this keyset's secret has signed it. Checked once and then remembered.
    func token(_ text: String, secretKey: String) -> CheckedToken? {
        if let known = book.withLockedValue({ $0.checked[text] }) { return known }
        guard let token = try? PubNubAccessToken(parsing: text), token.isSigned(with: secretKey) else { return nil }
        let checked = CheckedToken(token)
        book.withLockedValue { book in
            if book.checked.count >= Self.remembered { book.checked = [:] }
            book.checked[text] = checked
        }
        return checked
    }

    /// - Parameter until: when it would have expired anyway, in seconds since 1970.
    func revoke(_ signature: [UInt8], until: Int) {
        book.withLockedValue { $0.revoked[signature] = until }
    }

    /// Forgets revocations of tokens that have expired since.
    func forgetRevoked(before now: Int) {
        book.withLockedValue { book in book.revoked = book.revoked.filter { $0.value > now } }
    }

    func isRevoked(_ token: PubNubAccessToken) -> Bool {
        book.withLockedValue { $0.revoked[token.signature] != nil }
    }
}

/// A token whose signature is right, with its patterns ready.
struct CheckedToken: Sendable {
    let token: PubNubAccessToken
    private let channels: Rules
    private let groups: Rules

    private struct Rules: Sendable {
        var names: PubNubGrants.Rights
        var patterns: [(pattern: PubNubAccessPattern, rights: PubNubRights)]

        /// A pattern that is not understood grants nothing.
        init(_ names: PubNubGrants.Rights, _ patterns: PubNubGrants.Rights) {
            self.names = names
            self.patterns = patterns.compactMap { text, rights in
                (try? PubNubAccessPattern(text)).map { ($0, rights) }
            }
        }

        func allow(_ right: PubNubRights, on name: String) -> Bool {
            if names[name]?.contains(right) == true { return true }
            return patterns.contains { $0.rights.contains(right) && $0.pattern.matches(name) }
        }
    }

    init(_ token: PubNubAccessToken) {
        self.token = token
        channels = Rules(token.resources.channels, token.patterns.channels)
        groups = Rules(token.resources.groups, token.patterns.groups)
    }

    /// Groups are written with a colon in front here and without it there (wire sheet 12.4).
    func allows(_ need: AccessNeed) -> Bool {
        switch need.kind {
        case .channel: channels.allow(need.right, on: need.name)
        case .group: groups.allow(need.right, on: need.name) || groups.allow(need.right, on: ":" + need.name)
        }
    }
}
