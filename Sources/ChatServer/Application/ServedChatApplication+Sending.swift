import ChatProtocol
import Identifiers
import ServerRuntime
import ServerStorage

/// Options of a message that only the server API and the bridge to other services may set, beyond a session's draft.
struct ChatSendOptions: Sendable {
    /// Whether the receiver's blocklist is checked.
    var checksBlocking = false
    /// Whether the message is also delivered to the sender's own devices although the application does not synchronize devices.
    var includesSender = false
    /// The server (node) that has accepted the message and counts it in its metrics; nil for the node of the sending session.
    var node: (any ChatNode)?
}

extension ServedChatApplication {
    /// Sends a message (chat-protocol.md, 5.1; rules NV-15 to NV-20).
    ///
    /// - Parameters:
    ///   - options: options of the application's server and the bridge; sessions have none.
    ///   - reply: called with `sent` once the message is durable and queued for the connected devices.
    func send(
        _ draft: ChatMessageDraft, by caller: ChatCaller, options: ChatSendOptions = .init(),
        reply: @escaping ChatAnswering
    ) {
        if let refusal = Self.problem(of: draft, caller) { return answer(.failure(refusal), reply: reply) }
        change(
            { state, change in try decide(draft, by: caller, options: options, state: &state, change: &change) },
            completion: { (result: Result<Sending, ChatRequestRefusal>) in
                switch result {
                case .failure(let refusal): reply(.failure(refusal))
                case .success(.repeated(let known)):
                    // The first message with this client id was decided earlier, so the store has already accepted or refused it.
                    let isKept =
                        !self.isLost(known.id)
                        && self.read { $0.repetition(of: Identifier(draft.clientID), by: caller.user)?.id == known.id }
                    reply(
                        isKept
                            ? .success(.sent(ChatMessageID(rawValue: known.id), sequence: known.sequence))
                            : .failure(.notStored))
                case .success(.sent(let message, let sequence)):
                    let node = options.node ?? caller.peer.flatMap { peer in self.withAudience { $0.node(of: peer.chat) } }
                    node?.countMessage(of: self)
                    if caller.peer != nil { self.tellWebhooks { WebhookEvent(message) } }
                    reply(.success(.sent(message.id, sequence: sequence)))
                }
            })
    }

    private enum Sending: Sendable {
        case sent(ChatMessage, sequence: UInt64?)
        case repeated(ChatRepetition)
    }

    private func decide(
        _ draft: ChatMessageDraft, by caller: ChatCaller, options: ChatSendOptions, state: inout ChatState,
        change: inout ChatChange
    ) throws -> Sending {
        let sender = caller.user
        let clientID = draft.clientID.isEmpty ? nil : Identifier(draft.clientID)
        if let clientID, let known = state.repetition(of: clientID, by: sender) { return .repeated(known) }
        try Self.checkBytes(ofMetadata: draft.options.metadata)
        let admission = try admission(of: draft, by: caller, options: options, state: &state, at: change.now)
        var message = ChatMessage(
            id: ChatMessageID(rawValue: change.nextID()), conversation: draft.conversation, from: sender.text, to: draft.to,
            type: draft.type, content: draft.content, clientID: clientID?.text,
            options: draft.options)
        if case .bridge(let service, _) = caller { message.bridge = service }
        let body = message.body
        var own: UInt64?
        if draft.conversation == .open {
            if admission.conversation != nil {
                change.add(event(message, body: body, admission: admission, by: sender))
            }
            change.tell(openChannel: Identifier(draft.to), body, except: caller.peer?.chat)
            if message.bridge == nil { change.carried = message }
        } else if draft.options.isStatus {
            let skipped = admission.recipients.skipped
            change.tell(admission.recipients.users.filter { $0 != skipped }, body, except: caller.peer?.chat)
        } else {
            var places = state.place(admission.recipients)
            if options.includesSender, !places.contains(where: { $0.user == sender }) { places += state.place([sender]) }
            own = places.first { $0.user == sender }?.sequence
            change.add(event(message, body: body, admission: admission, by: sender), places: places, except: caller.peer?.chat)
        }
        if let clientID {
            let id = message.id.rawValue
            state.noteSent(clientID, by: sender, id: id, sequence: own)
            change.undo { $0.forgetSent(clientID, by: sender, id: id) }
        }
        return .sent(message, sequence: own)
    }

    private func admission(
        of draft: ChatMessageDraft, by caller: ChatCaller, options: ChatSendOptions, state: inout ChatState, at now: Int64
    ) throws(ChatRefusal) -> ChatAdmission {
        let draft = ChatDraft(
            kind: ChatKind(draft.conversation), to: Identifier(draft.to), users: draft.options.users?.identifiers,
            contentBytes: draft.content.count,
            isStatus: draft.options.isStatus, isPersisted: draft.options.isPersisted)
        guard let peer = caller.peer else {
            return try state.admitFromServer(draft, from: caller.user, checksBlocking: options.checksBlocking, at: now)
        }
        return try state.admit(draft, from: peer.user, session: peer.chat.id, at: now)
    }

    private func event(_ message: ChatMessage, body: [UInt8], admission: ChatAdmission, by sender: Identifier) -> ChatEvent {
        ChatEvent(
            id: message.id.rawValue, conversation: admission.conversation, sender: sender,
            clientID: message.clientID.map { Identifier($0) }, body: body, audience: admission.recipients.others,
            readers: message.options.users.map { [sender] + $0.identifiers })
    }

    /// The reason to refuse a draft; nil for none. The application's server may send system messages, and its messages need no client
    /// message id.
    private static func problem(of draft: ChatMessageDraft, _ caller: ChatCaller) -> ChatRequestRefusal? {
        guard caller.peer == nil else { return ChatProtocolLimits.problem(of: draft) }
        guard draft.clientID.isEmpty || ChatProtocolLimits.accepts(id: draft.clientID) else {
            return .badArgument("The client's id of a message must have 1 to 64 characters.")
        }
        guard ChatProtocolLimits.accepts(type: draft.type) else {
            return .badArgument("The type of a message must have 1 to 32 characters.")
        }
        return ChatProtocolLimits.problem(ofContent: draft.content)
            ?? ChatProtocolLimits.problem(ofMetadata: draft.options.metadata)
    }

    package func tellTyping(_ type: String, to user: Identifier, by peer: ChatSessionPeer) {
        guard ChatProtocolLimits.accepts(type: type) else { return }
        change(
            { state, change in
                let now = change.now
                let draft = ChatDraft(kind: .direct, to: user, contentBytes: 0, isStatus: true)
                _ = try state.admit(draft, from: peer.user, session: peer.chat.id, at: now)
                change.tell(
                    [user], ChatWireEvent.typing(from: peer.user.text, to: user.text, type: type, time: now).body,
                    except: peer.chat)
                return ChatResult.done
            }, reply: { _ in })
    }
}
