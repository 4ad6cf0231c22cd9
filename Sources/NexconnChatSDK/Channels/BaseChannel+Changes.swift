import ChatDatabase
import ChatProtocol
import Foundation

/// The parameters of an edit: the message and its new content.
#if canImport(ObjectiveC)
    @objc(NCModifyMessageParams) @objcMembers
#endif
public final class ModifyMessageParams: NSObject, Sendable {
    /// The message to edit. The signed-in user must be its sender.
    public let message: Message
    /// The new content. It must be of the same type as the message.
    public let content: MessageContent

    /// Creates the parameters for editing one message.
    public init(message: Message, content: MessageContent) {
        self.message = message
        self.content = content
        super.init()
    }
}

/// The parameters for deleting all messages of a channel up to a time, for the signed-in user only.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCDeleteMessagesForMeByTimestampParams) @objcMembers
#endif
public final class DeleteMessagesForMeByTimestampParams: NSObject, @unchecked Sendable {
    /// The time up to which messages are deleted, in milliseconds since 1970; messages of exactly this time are deleted.
    public let timestamp: Int64
    /// ``MessageLoadPolicy/local`` deletes on this device only; the other policies also delete the user's copy on the server.
    @Guarded public var policy: MessageLoadPolicy

    /// Creates the parameters for deleting messages up to `timestamp`, in milliseconds since 1970, inclusive.
    public init(timestamp: Int64, policy: MessageLoadPolicy = .localRemote) {
        self.timestamp = timestamp
        self.policy = policy
        super.init()
    }
}

// Edits and deletes sent messages (rules NH-25 to NH-28). Handlers of other users are notified of edits and of deletions for everybody.
extension BaseChannel {
    /// Deletes a message for everybody: from the history and from all devices.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - completion: called once, on the callback queue. The error is 25101 when there is no such message, and 25107 when another user
    ///     sent the message and the application forbids deleting other users' messages.
    public static func deleteMessageForAll(_ message: Message, completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.recall(message, engine.confirming(completion))
    }

    /// Edits a message that the user sent. After the time limit in the application's settings the error is 20114.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue, with the edited message or an error.
    public static func modifyMessage(
        params: ModifyMessageParams, completion: ((_ message: Message?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        engine.edit(params.message, to: params.content, then: engine.answering(completion))
    }

    /// Deletes a message for everybody: from the history and from all devices.
    ///
    /// - Throws: 25101 when there is no such message; 25107 when another user sent the message and the application forbids deleting other
    ///   users' messages.
    public final func recall(_ message: Message) async throws(NCError) {
        try await awaiting { engine.recall(message, $0) }
    }

    /// Edits a message that the user sent.
    ///
    /// - Returns: the edited message.
    /// - Throws: 20114 when the message is too old to be edited, 25107 when another user sent it.
    @discardableResult
    public final func edit(_ message: Message, _ content: MessageContent) async throws(NCError) -> Message {
        try await awaiting { engine.edit(message, to: content, then: $0) }
    }

    /// Deletes messages of this channel for the signed-in user only: from the user's history on the server, then from this
    /// device. Messages that never reached the server are deleted on this device.
    public final func deleteMessagesForMe(_ messages: [Message], completion: ((_ error: NCError?) -> Void)?) {
        let (numbers, ids) = (messages.map(\.local.localID), messages.compactMap(\.local.id))
        let channel = channel
        let end: Completion<Void> = engine.confirming(completion)
        let forget: @Sendable (ChatClient) throws(NCError) -> Void = { client throws(NCError) in
            _ = try client.local { _, database throws(ChatDatabaseError) in try database.deleteMessages(localIDs: numbers) }
        }
        if ids.isEmpty {
            engine.perform(end) { (client, completion) throws(NCError) in
                try forget(client)
                completion(.success(()))
            }
        } else {
            engine.ask(.delete(channel, ids: ids, before: nil), completion: end) { client, _ throws(NCError) in try forget(client)
            }
        }
    }

    /// Deletes this channel's messages up to a time, for the signed-in user only.
    public final func deleteMessagesForMeByTimestamp(
        params: DeleteMessagesForMeByTimestampParams, completion: ((_ error: NCError?) -> Void)?
    ) {
        let channel = channel
        let time = params.timestamp
        let end: Completion<Void> = engine.confirming(completion)
        let forget: @Sendable (ChatClient) throws(NCError) -> Void = { client throws(NCError) in
            try client.local { _, database throws(ChatDatabaseError) in try database.deleteMessages(of: channel, upTo: time) }
        }
        if params.policy == .local {
            engine.perform(end) { (client, completion) throws(NCError) in
                try forget(client)
                completion(.success(()))
            }
        } else {
            // This device deletes the same messages as the server, including messages of exactly the time `time`.
            engine.ask(.delete(channel, ids: [], before: time), completion: end) { client, _ throws(NCError) in try forget(client)
            }
        }
    }

    /// Deletes messages on this device only. If the server still has a message, loading the history stores it on this device again.
    ///
    /// - Parameters:
    ///   - clientIds: the messages' ``Message/clientId``.
    ///   - completion: called once, on the callback queue.
    public static func deleteLocalMessages(clientIds: [Int], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.local(engine.confirming(completion)) { _, database throws(ChatDatabaseError) in
            _ = try database.deleteMessages(localIDs: clientIds.map { Int64($0) })
        }
    }
}

extension ChatEngine {
    func recall(_ message: Message, _ completion: @escaping Completion<Void>) {
        change(message, { .recall($0) }, completion: completion) { client, target, answer in
            .recall(
                ChatRecall(
                    conversation: target.conversation, from: client.user ?? "", to: target.to, id: target.id,
                    sender: message.senderUserId, time: answer.time ?? target.id.time))
        } then: { _, _ in
        }
    }

    func edit(_ message: Message, to content: MessageContent, then completion: @escaping Completion<Message>) {
        let bytes: [UInt8]
        do throws(NCError) {
            bytes = try content.encoded()
            guard content.typeName == message.messageType else {
                throw NCError(code: 20116, reason: "The new content has another type than the message.")
            }
            guard bytes.count <= Outgoing.largestContent else {
                throw NCError(.tooLarge, reason: "The content has \(bytes.count) bytes; the limit is \(Outgoing.largestContent).")
            }
        } catch {
            return completion(.failure(error))
        }
        change(message, { .edit($0, content: bytes) }, completion: completion) { client, target, answer in
            .edit(
                ChatEdit(
                    conversation: target.conversation, from: client.user ?? "", to: target.to, id: target.id,
                    content: bytes, time: answer.time ?? target.id.time))
        } then: { client, answer in
            Message(
                message.changed {
                    $0.content = bytes
                    $0.edited = answer.time ?? message.sentTime
                }, user: client.user ?? "")
        }
    }

    /// Sets the pairs `set` and deletes the keys `delete` of a message's metadata.
    func changeMetadata(
        of message: Message, set: [String: String], delete: [String], _ completion: @escaping Completion<Message>
    ) {
        do throws(NCError) {
            try MessageMetadata.check(set, in: message.local.channel.conversation)
            guard !(set.isEmpty && delete.isEmpty) else {
                throw NCError(.badArgument, reason: "The call names no metadata to set or delete.")
            }
        } catch {
            return completion(.failure(error))
        }
        change(message, { .changeMetadata($0, set: set, delete: delete) }, completion: completion) { client, target, answer in
            .metadata(
                ChatMetadataChange(
                    conversation: target.conversation, from: client.user ?? "", to: target.to, id: target.id, set: set,
                    deleted: delete, time: answer.time ?? target.id.time))
        } then: { client, _ in
            let changed = message.changed { local in
                local.options.metadata.merge(set) { _, new in new }
                for key in delete { local.options.metadata[key] = nil }
            }
            return Message(changed, user: client.user ?? "")
        }
    }

    /// Requests a change of a message from the server, and applies the confirmed change to the local database.
    private func change<Value: Sendable>(
        _ message: Message, _ request: (ChatMessageTarget) -> ChatRequest, completion: @escaping Completion<Value>,
        event: @escaping @Sendable (ChatClient, ChatMessageTarget, ChatAnswer) -> ChatWireEvent,
        then value: @escaping @Sendable (ChatClient, ChatAnswer) -> Value
    ) {
        let local = message.local
        guard let id = local.id else {
            return completion(
                .failure(
                    NCError(.noSuchMessage, reason: "The service has not accepted the message yet: change it after it was sent."))
            )
        }
        let target = ChatMessageTarget(local.channel.conversation, to: local.channel.id, id: id)
        ask(request(target), completion: completion) { client, answer throws(NCError) in
            if local.channel.conversation != .open {
                // An error of the local database is ignored, because loading the history later stores the changed message.
                _ = try? client.local { _, database throws(ChatDatabaseError) in
                    try database.apply(event(client, target, answer))
                }
            }
            return value(client, answer)
        }
    }
}
