import ChatProtocol
import Identifiers
import WireCoding

// Calls of the server API about stored messages and history (rules NA-26 to NA-32).
extension ChatAPICall {
    func performMessages(_ route: ChatAPIRoute) throws {
        switch route {
        case .recall:
            let (user, target) = try target("fromUserId", [.direct, .group, .open])
            perform(.recall(target), as: user)
        case .editDirect, .editGroup:
            let target = ChatMessageTarget(
                route == .editDirect ? .direct : .group, to: try fields.id("targetId").text, id: try fields.messageID("messageId")
            )
            let (user, content) = (try fields.id("fromUserId"), try fields.content())
            perform(.edit(target, content: content), as: user) { result in
                guard case .edited(let time) = result else { return .nothing }
                return ["editedAt": .whole(time)]
            }
        case .setMetadata:
            let (user, target) = try target("userId", [.direct, .group])
            guard let pairs = try fields.pairs("metadata"), !pairs.isEmpty else {
                throw ChatAPIProblem.field("metadata", "an object of 1 to 20 texts")
            }
            try spend(for: target)
            perform(.changeMetadata(target, set: pairs, delete: []), as: user)
        case .deleteMetadata:
            let (user, target) = try target("userId", [.direct, .group])
            let keys = try fields.texts("keys", upTo: ChatProtocolLimits.metadataPairsAtOnce)
            try spend(for: target)
            perform(.changeMetadata(target, set: [:], delete: keys), as: user)
        default:
            let (user, target) = try target("userId", [.direct, .group])
            metadata(of: target, as: user)
        }
    }

    private func target(
        _ user: String, _ kinds: [ChatConversationKind]
    ) throws(ChatAPIProblem) -> (user: Identifier, target: ChatMessageTarget) {
        let conversation = try fields.conversation("channelType", kinds)
        let target = ChatMessageTarget(conversation, to: try fields.id("targetId").text, id: try fields.messageID("messageId"))
        // A direct conversation is identified by both users; in other channels the user id only names the author of the change.
        let name = conversation == .direct ? try fields.id(user) : try fields.optionalID(user) ?? ""
        return (name, target)
    }

    /// Counts a change of a message's metadata against the quota for messages, as in the vendor's service.
    private func spend(for target: ChatMessageTarget) throws(ChatAPIProblem) {
        if target.conversation == .direct {
            try application.spend(.directMessages, named: "direct messages in a minute")
        } else {
            try application.spend(.groupMessages, named: "messages to groups in a second")
        }
    }

    private func metadata(of target: ChatMessageTarget, as user: Identifier) {
        let access = application.read { $0.historyAccess(of: ChatKind(target.conversation), Identifier(target.to), by: user) }
        let (store, key, answer) = (application.storage.store, application.key, answer)
        Task {
            do {
                let event = try await store.event(target.id.rawValue, in: access.conversation, application: key)
                guard let event, event.id > access.floor, let message = ChatMessage(storedAs: event.body) else {
                    throw ChatRequestRefusal.noSuchMessage
                }
                answer(.success(["metadata": .pairs(message.options.metadata)]))
            } catch {
                answer(.failure(ChatAPIProblem(error is ChatRequestRefusal ? error : ChatRequestRefusal.unreadable)))
            }
        }
    }

    // MARK: Histories

    func performHistories(_ route: ChatAPIRoute) throws {
        switch route {
        case .directHistory: try history(.direct, try fields.id("targetId"), as: try fields.id("userId"))
        case .groupHistory: try history(.group, try fields.id("groupId"), as: try fields.optionalID("userId") ?? "")
        case .openHistory: try history(.open, try fields.id("channelId"), as: try fields.optionalID("userId") ?? "")
        default:
            let channel = ChatChannel(try fields.conversation(), try fields.id("targetId").text)
            let (ids, before) = (try fields.messageIDs("messageIds", upTo: 100), try fields.optionalTime("beforeTime"))
            guard ids != nil || before != nil else {
                throw ChatAPIProblem.field("messageIds", "a list of 1 to 100 ids of messages, unless beforeTime is given")
            }
            perform(.delete(channel, ids: ids ?? [], before: before), as: try fields.id("userId"))
        }
    }

    private func history(
        _ conversation: ChatConversationKind, _ channel: Identifier, as user: Identifier
    ) throws(ChatAPIProblem) {
        let isOldestFirst = try fields.optionalWhole("order", 0...1) == 1
        let (start, token) = (try fields.optionalTime("startTime"), try fields.optionalMessageID("pageToken"))
        let place: ChatHistoryRequest.Place
        switch (token, start, isOldestFirst) {
        case (let id?, _, false): place = .before(id)
        case (let id?, _, true): place = .after(id)
        case (nil, let time?, false): place = .beforeTime(time)
        case (nil, let time, true): place = .afterTime(time ?? 0)
        case (nil, nil, false): place = .latest
        }
        let request = ChatHistoryRequest(
            ChatChannel(conversation, channel.text), place: place, limit: try page(1...100, fallback: 20))
        perform(.history(request), as: user) { result in
            guard case .history(let bodies, let hasMore) = result else { return .nothing }
            let messages = bodies.compactMap { ChatMessage(storedAs: $0) }
            let answer: JSONValue = ["messages": .array(messages.map { JSONValue($0) }), "hasMore": .bool(hasMore)]
            return answer.with("nextPageToken", hasMore ? messages.last.map { .string("\($0.id.rawValue)") } : nil)
        }
    }
}

extension JSONValue {
    /// Encodes a message in the format of the server API.
    init(_ message: ChatMessage) {
        let plain: JSONValue = [
            "messageId": .string("\(message.id.rawValue)"), "channelType": .string(message.conversation.apiName),
            "fromUserId": .string(message.from), "targetId": .string(message.to), "messageType": .string(message.type),
            "content": .string(String(decoding: message.content, as: UTF8.self)), "sentAt": .whole(message.time),
        ]
        let metadata = message.options.metadata
        self = plain.with("clientMessageId", message.clientID.map { .string($0) })
            .with("editedAt", message.edited.map { .whole($0) }).with("bridge", message.bridge.map { .string($0) })
            .with("toUserIds", message.options.users.map { .strings($0) })
            .with("metadata", metadata.isEmpty ? nil : .pairs(metadata))
    }
}
