import Identifiers
import ServerStorage

/// The users of an application and their tokens (rules CH-3 to CH-9).
struct ChatDirectory: Sendable {
    /// The largest number of tokens that are stored for a user. The oldest are removed.
    static let tokensPerUser = 100
    /// The time in ms for which an expired token is kept, so that it is refused as expired rather than unknown: a day.
    static let expiredTokensAreKnown: Int64 = 86_400_000

    private(set) var users: [Identifier: ChatDocument.User] = [:]
    private var tokens: [Identifier: ChatDocument.Token] = [:]
    /// The hashes of each user's tokens, in the order of their issue.
    private var tokensByUser: [Identifier: [Identifier]] = [:]

    /// Registers a user, or updates those fields of the user that are not nil.
    @discardableResult
    mutating func put(
        _ id: Identifier, name: String? = nil, avatar: String? = nil, extra: [String: String]? = nil, at now: Int64,
        into commit: inout ChatCommit
    ) -> ChatDocument.User {
        var user = users[id] ?? ChatDocument.User(id: id, created: now)
        let isKnown = users[id] != nil
        let before = user
        if let name { user.name = name }
        if let avatar { user.avatar = avatar }
        if let extra { user.extra = extra }
        if !isKnown || user != before { save(user, into: &commit) }
        return user
    }

    mutating func save(_ user: ChatDocument.User, into commit: inout ChatCommit) {
        users[user.id] = user
        commit.documents.append(.user(user))
    }

    mutating func add(_ token: ChatDocument.Token, into commit: inout ChatCommit) {
        keep(token)
        commit.documents.append(.token(token))
        guard let hashes = tokensByUser[token.user], hashes.count > Self.tokensPerUser else { return }
        for hash in hashes.prefix(hashes.count - Self.tokensPerUser) { forget(hash, into: &commit) }
    }

    /// Checks a token, and returns its document. Throws if the token is unknown, expired or revoked, or if its user's account is
    /// deactivated.
    func check(_ hash: Identifier, at now: Int64) throws(ChatRefusal) -> ChatDocument.Token {
        guard let token = tokens[hash] else {
            throw ChatRefusal(
                ChatCode.tokenIncorrect,
                "The token is not valid for this application: check the application's key, or request a new token.")
        }
        let user = users[token.user]
        if let expires = token.expires, expires <= now {
            throw ChatRefusal(ChatCode.tokenExpired, "The token has expired: request a new token from the application's server.")
        }
        if let limit = user?.tokensExpireBefore, token.issued < limit {
            throw ChatRefusal(ChatCode.tokenExpired, "The token was revoked: request a new token from the application's server.")
        }
        if user?.isDeactivated == true {
            throw ChatRefusal(ChatCode.accountDeleted, "The application's server has deactivated the user's account.")
        }
        return token
    }

    /// Removes tokens that expired more than ``expiredTokensAreKnown`` milliseconds ago.
    mutating func sweep(at now: Int64, into commit: inout ChatCommit) {
        let old = tokens.values.filter { token in token.expires.map { $0 + Self.expiredTokensAreKnown <= now } ?? false }
        for token in old { forget(token.token, into: &commit) }
    }

    private mutating func forget(_ hash: Identifier, into commit: inout ChatCommit) {
        guard let token = tokens.removeValue(forKey: hash) else { return }
        tokensByUser[token.user]?.removeAll { $0 == hash }
        if tokensByUser[token.user]?.isEmpty == true { tokensByUser[token.user] = nil }
        commit.removedDocuments.append(ChatDocument.token(token).key)
    }

    private mutating func keep(_ token: ChatDocument.Token) {
        if tokens.updateValue(token, forKey: token.token) == nil { tokensByUser[token.user, default: []].append(token.token) }
    }

    // MARK: Documents

    mutating func restore(_ user: ChatDocument.User) { users[user.id] = user }

    /// Restores a token. Restore the tokens in the order in which they were issued.
    mutating func restore(_ token: ChatDocument.Token) { keep(token) }

    var documents: [ChatDocument] { users.values.map { .user($0) } + tokens.values.map { .token($0) } }
}
