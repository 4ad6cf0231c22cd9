import ChatProtocol
import Identifiers
import ServerStorage
import WireCoding

// Calls of the server API about tokens and users (rules NA-10 to NA-16).
extension ChatAPICall {
    func performUsers(_ route: ChatAPIRoute) throws {
        switch route {
        case .issueToken: try issueToken()
        case .expireTokens:
            let users = try fields.ids("userIds", upTo: 1_000)
            let instant = try fields.whole("expiresAt", 0...9_007_199_254_740_991)
            end(.tokenExpired, reason: "The token was revoked: request a new token from the application's server.") {
                state, change in
                try state.expireTokens(of: users, issuedBefore: Int64(instant), at: change.now, into: &change.commit)
            }
        case .endSessions:
            let users = try fields.ids("userIds", upTo: 100)
            change { state, change in
                let sessions = users.flatMap { state.sessions(of: $0) }
                change.end(sessions, ChatBye(code: .kicked, reason: "The session was ended by the application's server."))
                return ["sessions": .whole(sessions.count)]
            }
        case .ban:
            let (users, minutes) = (try fields.ids("userIds", upTo: 20), try fields.whole("durationMinutes", 1...43_200))
            end(.bannedWhileOnline, reason: "The user has been banned.") { state, change in
                try state.ban(users, minutes: minutes, at: change.now, into: &change.commit)
            }
        case .deactivate:
            let users = try fields.ids("userIds", upTo: 100)
            end(.accountDeleted, reason: "The account was deactivated.") { state, change in
                try state.deactivate(users, at: change.now, into: &change.commit)
            }
        case .unban:
            let users = try fields.ids("userIds", upTo: 20)
            change { state, change in
                try state.unban(users, into: &change.commit)
                return .nothing
            }
        case .reactivate:
            let users = try fields.ids("userIds", upTo: 100)
            change { state, change in
                try state.reactivate(users, at: change.now, into: &change.commit)
                return .nothing
            }
        case .updateUser:
            let (user, name, avatar) = try profile()
            perform(.updateUser(name: name, avatar: avatar, extra: try fields.pairs("extra")), as: user)
        case .user, .connectionStatus, .banned, .deactivated, .blocked, .muted: try readUsers(route)
        case .block: perform(.block(try fields.ids("targetUserIds", upTo: 100).texts), as: try fields.id("userId"))
        case .unblock: perform(.unblock(try fields.ids("blockedUserIds", upTo: 100).texts), as: try fields.id("userId"))
        default: try setMuted()
        }
    }

    private func profile() throws(ChatAPIProblem) -> (user: Identifier, name: String?, avatar: String?) {
        (try fields.id("userId"), try fields.optionalText("name", upTo: 256), try fields.optionalText("avatarUrl", upTo: 1_024))
    }

    /// Answers with a new token. Only the answer contains the token; the store has its hash.
    private func issueToken() throws(ChatAPIProblem) {
        let (user, name, avatar) = try profile()
        guard name != nil else { throw .field("name", "a text of 1 to 256 bytes") }
        let token = tokenHash == nil ? ServedChatApplication.newToken() : nil
        guard let hash = token.map({ ServedChatApplication.hash(ofToken: $0) }) ?? tokenHash else { return }
        change { state, change in
            try state.issueToken(hash: hash, to: user, name: name, avatar: avatar, at: change.now, into: &change.commit)
            let result: JSONValue = ["userId": .id(user)]
            return result.with("accessToken", token.map { .string($0) })
        }
    }

    /// Ends the sessions that `decide` returns, with a code and a reason.
    private func end(
        _ code: ChatErrorCode, reason: String, _ decide: (inout ChatState, inout ChatChange) throws -> [ChatSessionID]
    ) {
        change { state, change in
            change.end(try decide(&state, &change), ChatBye(code: code, reason: reason))
            return .nothing
        }
    }

    private func readUsers(_ route: ChatAPIRoute) throws {
        let now = application.now
        switch route {
        case .user:
            let id = try fields.id("userId")
            try read { state in
                guard let user = state.user(id) else {
                    throw ChatRefusal(ChatCode.noSuchUser, "No user with this id is registered.")
                }
                return [
                    "name": .string(user.name), "avatarUrl": .string(user.avatar), "createdAt": .string("\(user.created)"),
                    "extra": .pairs(user.extra),
                ]
            }
        case .connectionStatus:
            let id = try fields.id("userId")
            try read { ["status": .string($0.isOnline(id) ? "online" : "offline")] }
        case .banned:
            let (page, size) = (try fields.optionalWhole("page", 1...1_000_000) ?? 1, try page())
            try read { state in
                ["bannedUsers": Self.restrictions(state.banned(page: page, size: size, at: now), until: "banExpiresAt")]
            }
        case .deactivated:
            let (page, size) = (try fields.optionalWhole("page", 1...1_000_000) ?? 1, try page())
            try read { ["userIds": .ids($0.deactivated(page: page, size: size).map(\.id))] }
        case .blocked:
            let (user, after, size) = (
                try fields.id("userId"), try fields.optionalID("pageToken"), try page(1...1_000, fallback: 1_000)
            )
            try read { state in
                let all = state.blocked(by: user).filter { user in after.map { user > $0 } ?? true }
                let result: JSONValue = ["userIds": .ids(all.prefix(size))]
                return result.with("nextPageToken", all.count > size ? all.prefix(size).last.map { .id($0) } : nil)
            }
        default:
            let kind = ChatKind(try fields.conversation())
            let (offset, size) = (try fields.optionalWhole("offset", 0...1_000_000) ?? 0, try page(1...1_000, fallback: 100))
            try read { state in
                let all = state.muted(in: kind, at: now)
                return [
                    "mutedUsers": Self.restrictions(all.dropFirst(offset).prefix(size), until: "muteExpiresAt"),
                    "total": .whole(all.count),
                ]
            }
        }
    }

    private func setMuted() throws(ChatAPIProblem) {
        let users = try fields.ids("userIds", upTo: 100)
        guard let isMuted = try fields.optionalFlag("muteState") else { throw .field("muteState", "0 or 1") }
        let kinds = try fields.conversations("channelTypes").map { ChatKind($0) }
        let minutes = try fields.minutes()
        change { state, change in
            for kind in kinds {
                let news =
                    isMuted
                    ? try state.mute(users, in: kind, minutes: minutes, at: change.now, into: &change.commit)
                    : try state.unmute(users, in: kind, at: change.now, into: &change.commit)
                application.tell(news, &change)
            }
            return .nothing
        }
    }

    /// Encodes restrictions as `[{"userId", until}]`. Restrictions without an end have no member `until`.
    static func restrictions(_ all: some Sequence<ChatDocument.Restriction>, until name: String) -> JSONValue {
        .array(
            all.map { restriction in
                let one: JSONValue = ["userId": .id(restriction.user)]
                return one.with(name, restriction.until.map { .whole($0) })
            })
    }
}
