import WireCoding

/// The receivers of a chat message: users, groups or open channels.
public enum ChatTarget: Hashable, Sendable {
    /// The recipients: up to 1,000 users.
    case users([String])
    /// The recipients: up to 3 groups.
    case groups([String])
    /// The recipients: up to 100 open channels.
    case openChannels([String])
    /// The recipients: up to 1,000 users, who get the message as a system message.
    case system([String])

    var path: String {
        switch self {
        case .users: "direct-channel/message/send"
        case .groups: "group-channel/message/send"
        case .openChannels: "open-channel/message/send"
        case .system: "system-channel/message/send"
        }
    }

    var field: (name: String, ids: [String]) {
        switch self {
        case .users(let ids), .system(let ids): ("toUserIds", ids)
        case .groups(let ids): ("toGroupIds", ids)
        case .openChannels(let ids): ("toChannelIds", ids)
        }
    }
}

/// The result of sending a message with ``ChatBackend/send(_:contentJSON:from:to:clientMessageID:)``.
public struct ChatSent: Hashable, Sendable {
    /// The message ids, one for each receiver that got the message, in the order of the receivers.
    public var messageIDs: [String]
    /// The number of receivers that the server refused.
    public var failed: Int
}

// Calls for groups and messages. Rule BK-9.
extension ChatBackend {
    /// Creates a group with an owner and members.
    ///
    /// - Throws: the error of the call.
    public func createGroup(
        _ groupID: String, name: String, owner: String, members: [String] = []
    ) async throws(BackendError) {
        let body: JSONValue = [
            "userId": .string(owner), "groupId": .string(groupID), "groupName": .string(name),
            "memberUserIds": Self.list(members),
        ]
        _ = try await result("group-channel/create", body: body, repetition: .beforeSending)
    }

    /// Dissolves a group for all its members.
    ///
    /// - Throws: the error of the call.
    public func dismissGroup(_ groupID: String) async throws(BackendError) {
        _ = try await result("group-channel/dismiss", body: ["groupId": .string(groupID)], repetition: .beforeSending)
    }

    /// Adds users to a group.
    ///
    /// - Throws: the error of the call.
    public func addMembers(_ userIDs: [String], to groupID: String) async throws(BackendError) {
        let body: JSONValue = ["groupId": .string(groupID), "userIds": Self.list(userIDs)]
        _ = try await result("group-channel/join", body: body, repetition: .beforeSending)
    }

    /// Removes users from a group.
    ///
    /// - Throws: the error of the call.
    public func removeMembers(_ userIDs: [String], from groupID: String) async throws(BackendError) {
        let body: JSONValue = ["groupId": .string(groupID), "userIds": Self.list(userIDs)]
        _ = try await result("group-channel/leave", body: body, repetition: .beforeSending)
    }

    /// Requests the ids of all members of a group.
    ///
    /// - Throws: the error of the call.
    public func members(of groupID: String) async throws(BackendError) -> [String] {
        var ids: [String] = []
        var page: String?
        repeat {
            var fields: [(String, JSONValue)] = [("groupId", .string(groupID)), ("pageSize", 100)]
            if let page { fields.append(("pageToken", .string(page))) }
            let result = try await result(
                "group-channel/member/list", body: .object(.init(uniqueKeysWithValues: fields)), repetition: .always)
            let found = (result["members"]?.elements ?? []).compactMap { $0["userId"]?.string }
            ids += found
            let next = result["nextPageToken"]?.string ?? ""
            page = next.isEmpty || found.isEmpty ? nil : next
        } while page != nil
        return ids
    }

    /// Sends a message in the name of a user.
    ///
    /// - Parameters:
    ///   - type: the message's type, such as `RC:TxtMsg`.
    ///   - contentJSON: the content, a JSON object as text, such as `{"content":"hello"}`.
    ///   - userID: the user id of the sender.
    ///   - target: the receivers.
    ///   - clientMessageID: an id by which the server recognises a repeated call; allowed only with a single receiver.
    /// - Throws: the error of the call.
    @discardableResult
    public func send(
        _ type: String, contentJSON: String, from userID: String, to target: ChatTarget, clientMessageID: String? = nil
    ) async throws(BackendError) -> ChatSent {
        let field = target.field
        guard !field.ids.isEmpty else { throw .badRequest("The message has no receiver. Pass at least one id.") }
        var fields: [(String, JSONValue)] = [
            ("fromUserId", .string(userID)), ("messageType", .string(type)), ("content", .string(contentJSON)),
            (field.name, Self.list(field.ids)),
        ]
        if let clientMessageID {
            guard field.ids.count == 1 else { throw .badRequest("A message with a clientMessageID can have only one receiver.") }
            fields.append(("clientMessageId", .string(clientMessageID)))
        }
        let repetition: BackendCaller.Repetition = clientMessageID == nil ? .beforeSending : .always
        let result = try await result(target.path, body: .object(.init(uniqueKeysWithValues: fields)), repetition: repetition)
        return ChatSent(
            messageIDs: (result["messages"]?.elements ?? []).compactMap { $0["messageId"]?.string },
            failed: result["failed"]?.elements?.count ?? 0)
    }
}
