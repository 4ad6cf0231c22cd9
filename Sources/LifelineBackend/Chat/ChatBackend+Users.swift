import WireCoding

/// The profile of a user on the chat server.
public struct ChatBackendUser: Hashable, Sendable {
    /// The user's name that other users see.
    public var name: String
    /// The URL of the user's picture; empty for none.
    public var avatarURL: String
}

// Calls for tokens, users and bans. Rule BK-9.
extension ChatBackend {
    /// Issues a token for a user. A user whom the server does not have is registered. Earlier tokens stay valid, so a repeated call is
    /// harmless.
    ///
    /// - Throws: the error of the call.
    public func issueToken(
        for userID: String, name: String? = nil, avatarURL: String = ""
    ) async throws(BackendError) -> String {
        let body: JSONValue = [
            "userId": .string(userID), "name": .string(name ?? userID), "avatarUrl": .string(avatarURL),
        ]
        let result = try await result("auth/access-token/issue", body: body, repetition: .always)
        guard let token = result["accessToken"]?.string else {
            throw BackendError(
                .malformedResponse, "The server's answer to issueToken has no access token.", mayHaveTakenEffect: true)
        }
        return token
    }

    /// Invalidates all tokens of some users that were issued before a given time.
    ///
    /// - Parameters:
    ///   - userIDs: the users whose tokens are invalidated.
    ///   - unixMilliseconds: the time in milliseconds since 1970.
    /// - Throws: the error of the call.
    public func expireTokens(of userIDs: [String], issuedBefore unixMilliseconds: Int) async throws(BackendError) {
        let body: JSONValue = ["userIds": Self.list(userIDs), "expiresAt": .number(JSONNumber(unixMilliseconds))]
        _ = try await result("auth/access-token/expire", body: body, repetition: .always)
    }

    /// Requests the profile of a user.
    ///
    /// - Throws: the error of the call.
    public func user(_ userID: String) async throws(BackendError) -> ChatBackendUser {
        let result = try await result("user/get", body: ["userId": .string(userID)], repetition: .always)
        return ChatBackendUser(name: result["name"]?.string ?? "", avatarURL: result["avatarUrl"]?.string ?? "")
    }

    /// Changes the name or the picture of a user. An argument of nil leaves its field unchanged.
    ///
    /// - Throws: the error of the call.
    public func updateUser(_ userID: String, name: String? = nil, avatarURL: String? = nil) async throws(BackendError) {
        var fields: [(String, JSONValue)] = [("userId", .string(userID))]
        if let name { fields.append(("name", .string(name))) }
        if let avatarURL { fields.append(("avatarUrl", .string(avatarURL))) }
        _ = try await result("user/update", body: .object(.init(uniqueKeysWithValues: fields)), repetition: .beforeSending)
    }

    /// Whether a user is connected with at least one session now.
    ///
    /// - Throws: the error of the call.
    public func isOnline(_ userID: String) async throws(BackendError) -> Bool {
        try await result("user/connection-status/get", body: ["userId": .string(userID)], repetition: .always)["status"]?.string
            == "online"
    }

    /// Ends all sessions of up to 100 users. The users' tokens stay valid.
    ///
    /// - Throws: the error of the call.
    public func endSessions(of userIDs: [String]) async throws(BackendError) {
        _ = try await result("user/session/end", body: ["userIds": Self.list(userIDs)], repetition: .beforeSending)
    }

    /// Bans up to 20 users.
    ///
    /// - Parameters:
    ///   - userIDs: the users to ban.
    ///   - minutes: the duration of the ban in minutes, 1 to 43,200.
    /// - Throws: the error of the call.
    public func ban(_ userIDs: [String], minutes: Int) async throws(BackendError) {
        let body: JSONValue = ["userIds": Self.list(userIDs), "durationMinutes": .number(JSONNumber(minutes))]
        _ = try await result("user/ban", body: body, repetition: .beforeSending)
    }

    /// Ends the bans of up to 20 users.
    ///
    /// - Throws: the error of the call.
    public func unban(_ userIDs: [String]) async throws(BackendError) {
        _ = try await result("user/unban", body: ["userIds": Self.list(userIDs)], repetition: .beforeSending)
    }

    /// Requests the ids of banned users, one page at a time.
    ///
    /// - Parameter page: the page's number, from 1. A page has 100 users.
    /// - Throws: the error of the call.
    public func bannedUsers(page: Int = 1) async throws(BackendError) -> [String] {
        let body: JSONValue = ["page": .number(JSONNumber(page)), "pageSize": 100]
        let result = try await result("user/ban/list", body: body, repetition: .always)
        return (result["bannedUsers"]?.elements ?? []).compactMap { $0["userId"]?.string }
    }

    static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
