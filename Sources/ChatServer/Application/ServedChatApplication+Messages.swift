import ChatProtocol
import Identifiers
import ServerStorage

// Requests that change messages after sending (chat-protocol.md, 5.2; rules NV-21 to NV-24).
extension ServedChatApplication {
    /// Recalls a message for all users.
    func recall(_ target: ChatMessageTarget, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        modify(
            target, by: caller, missing: .nothingToRecall,
            judge: { state, now in
                try state.checkTakingPart(caller.actor, in: ChatKind(target.conversation), Identifier(target.to), at: now)
            }, reply: reply
        ) { event, message, state, change in
            let recipients = try state.admitRecall(
                by: caller.actor, of: event.sender, in: ChatKind(target.conversation), Identifier(target.to),
                users: message.options.users?.identifiers, at: change.now)
            change.commit.recalls.append(event.id)
            let recall = ChatRecall(
                conversation: target.conversation, from: caller.user.text, to: target.to, id: target.id,
                sender: event.sender.text,
                time: change.now)
            self.spread(.recall(recall), in: target, to: recipients, by: caller, &state, &change)
            return .done
        }
    }

    /// Replaces the content of a message.
    func edit(_ target: ChatMessageTarget, content: [UInt8], by caller: ChatCaller, reply: @escaping ChatAnswering) {
        if let problem = ChatProtocolLimits.problem(ofContent: content) { return answer(.failure(problem), reply: reply) }
        modify(
            target, by: caller, missing: .noSuchMessage,
            judge: { state, now in
                try state.checkChanging(caller.actor, in: ChatKind(target.conversation), Identifier(target.to), at: now)
            }, reply: reply
        ) { event, message, state, change in
            let now = change.now
            let recipients = try state.admitEdit(
                by: caller.actor, of: event.sender, sent: message.time, contentBytes: content.count,
                in: ChatKind(target.conversation), Identifier(target.to), users: message.options.users?.identifiers, at: now)
            var edited = message
            edited.content = content
            edited.edited = now
            change.commit.rewrites.append((event.id, edited.body))
            let edit = ChatEdit(
                conversation: target.conversation, from: caller.user.text, to: target.to, id: target.id, content: content,
                time: now)
            self.spread(.edit(edit), in: target, to: recipients, by: caller, &state, &change)
            return .edited(time: now)
        }
    }

    /// Sets and removes entries of a message's metadata. A key that is both set and removed is set.
    func changeMetadata(
        _ target: ChatMessageTarget, set: [String: String], delete: [String], by caller: ChatCaller,
        reply: @escaping ChatAnswering
    ) {
        if let problem = ChatProtocolLimits.problem(ofMetadata: set) { return answer(.failure(problem), reply: reply) }
        let delete = delete.filter { set[$0] == nil }
        modify(
            target, by: caller, missing: .noSuchMessage,
            judge: { state, now in
                try state.checkChanging(caller.actor, in: ChatKind(target.conversation), Identifier(target.to), at: now)
            }, reply: reply
        ) { event, message, state, change in
            let recipients = try state.admitMetadata(
                by: caller.actor, of: event.sender, in: ChatKind(target.conversation), Identifier(target.to),
                users: message.options.users?.identifiers, at: change.now)
            var changed = message
            for key in delete { changed.options.metadata[key] = nil }
            changed.options.metadata.merge(set) { _, new in new }
            guard changed.options.metadata.count <= ChatProtocolLimits.metadataPairs else {
                throw ChatRequestRefusal(.metadataTooLarge, "A message may have at most 300 pairs of metadata.")
            }
            try Self.checkBytes(ofMetadata: changed.options.metadata)
            change.commit.rewrites.append((event.id, changed.body))
            let news = ChatMetadataChange(
                conversation: target.conversation, from: caller.user.text, to: target.to, id: target.id, set: set,
                deleted: delete,
                time: change.now)
            self.spread(.metadata(news), in: target, to: recipients, by: caller, &state, &change)
            return .done
        }
    }

    /// The size limit in bytes of a message's metadata. Each change writes all of the metadata, and each history page contains it (rule
    /// NV-62).
    static let metadataBytes = 32_768

    static func checkBytes(ofMetadata pairs: [String: String]) throws(ChatRequestRefusal) {
        guard pairs.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= metadataBytes else {
            throw ChatRequestRefusal(.metadataTooLarge, "The metadata of a message may have at most 32,768 bytes in all.")
        }
    }

    // MARK: Common parts

    /// Reads a message from history and decides the requested change of the message. Meanwhile no other change is made in the conversation.
    ///
    /// - Parameter judge: checks the caller's rights in the channel. This check comes before the request waits in the conversation's queue
    ///   and before the store is read, so that callers without rights delay nobody. `decide` checks the rights once more.
    private func modify(
        _ target: ChatMessageTarget, by caller: ChatCaller, missing: ChatRequestRefusal,
        judge: (ChatState, Int64) throws -> Void, reply: @escaping ChatAnswering,
        _ decide: @escaping @Sendable (ChatEvent, ChatMessage, inout ChatState, inout ChatChange) throws -> ChatResult
    ) {
        let (store, key, now) = (storage.store, key, now)
        let access: ChatHistoryAccess
        do {
            access = try read { state in
                try judge(state, now)
                return state.historyAccess(of: ChatKind(target.conversation), Identifier(target.to), by: caller.user)
            }
        } catch {
            return answer(.failure(ChatRequestRefusal(error)), reply: reply)
        }
        turns.run(access.conversation, by: caller.user) { done in
            Task {
                let found: Result<ChatEvent, ChatRequestRefusal>
                do {
                    let event = try await store.event(target.id.rawValue, in: access.conversation, application: key)
                    found = event.map { .success($0) } ?? .failure(missing)
                } catch {
                    found = .failure(.unreadable)
                }
                self.change(
                    { state, change in
                        let event = try found.get()
                        guard event.id > access.floor, caller.maySee(event), let message = ChatMessage(storedAs: event.body)
                        else { throw missing }
                        return try decide(event, message, &state, &change)
                    },
                    reply: { result in
                        reply(result)
                        done()
                    })
            }
        }
    }

    /// Notifies the receivers of a message that it was changed.
    private func spread(
        _ event: ChatWireEvent, in target: ChatMessageTarget, to recipients: ChatRecipients, by caller: ChatCaller,
        _ state: inout ChatState, _ change: inout ChatChange
    ) {
        let body = event.body
        guard target.conversation != .open else {
            return change.tell(openChannel: Identifier(target.to), body, except: caller.peer?.chat)
        }
        change.add(
            ChatEvent(id: change.nextID(), sender: caller.user, body: body), places: state.place(recipients),
            except: caller.peer?.chat)
    }
}

extension ChatRequestRefusal {
    static let noSuchMessage = ChatRequestRefusal(.noSuchMessage, "The channel has no message with this id.")
    static let nothingToRecall = ChatRequestRefusal(.nothingToRecall, "The channel has no message with this id to recall.")
}

extension ChatMessage {
    /// Decodes a stored message; nil when the event is not a message.
    init?(storedAs body: [UInt8]) {
        var decoder = ChatFrameDecoder(rememberedNames: 0)
        let inbound = ChatServerFrames.transient(body).withUnsafeBytes { decoder.text($0) }
        guard case .transient(.message(let message)) = inbound else { return nil }
        self = message
    }
}
