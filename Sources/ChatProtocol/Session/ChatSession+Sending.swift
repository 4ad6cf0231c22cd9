import ConnectionEngine
import WireCoding

// Messages, from the command to the answer (rules NS-10 to NS-16).
extension ChatSession {
    mutating func send(
        _ draft: ChatMessageDraft, id: RequestID?, memory: inout ChatMemory, out: inout Actions
    ) {
        guard Self.enqueue(draft, id: id, memory: &memory, out: &out) else { return }
        if let deadline = memory.outbox.earliestDeadline { arm(deadline, out: &out) }
        transmit(memory: &memory, out: &out)
    }

    /// Adds a message to the outbox. Returns false when it cannot be sent; the command has then been answered with a failure.
    static func enqueue(
        _ draft: ChatMessageDraft, id: RequestID?, memory: inout ChatMemory, out: inout Actions
    ) -> Bool {
        if let problem = problem(of: draft) {
            out.answer(id, .failure(problem))
            return false
        }
        if memory.outbox.isFull {
            // Removes messages whose callers no longer wait, to make room.
            _ = memory.outbox.removeAll { $0.id.map { !out.isAwaited($0) } ?? false }
        }
        guard !memory.outbox.isFull else {
            let reason =
                "The queue of unsent messages has \(ChatOutbox.limit) messages or \(ChatOutbox.byteLimit) bytes: "
                + "wait until some are sent."
            out.answer(id, .failure(ConnectionFailure(chat: .tooFrequent, .overloaded, reason, origin: .local)))
            return false
        }
        memory.outbox.append(.init(draft: draft, id: id, deadline: out.now + memory.sendLimit))
        return true
    }

    /// Removes a waiting message. Returns false if it may have been sent already (rule NS-10).
    public static func withdraw(_ id: RequestID, memory: inout ChatMemory) -> Bool {
        !memory.outbox.removeAll { $0.id == id && !$0.wasWritten }.isEmpty
    }

    /// The reason why a message cannot be sent; nil when the client finds none. The server may refuse the message for further reasons.
    private static func problem(of draft: ChatMessageDraft) -> ConnectionFailure? {
        var refusal = ChatProtocolLimits.problem(of: draft)
        if refusal == nil, !isObject(draft.content) || !(draft.options.push.map(isObject) ?? true) {
            refusal = ChatRequestRefusal(
                .badArgument, "The content of a message, and its push configuration, must be JSON objects.")
        }
        guard let refusal else { return nil }
        return ConnectionFailure(chat: refusal.code, .badRequest, refusal.reason, origin: .local)
    }

    private static func isObject(_ json: [UInt8]) -> Bool {
        guard let text = try? JSONText(bytes: json) else { return false }
        return text.text.utf8.first == UInt8(ascii: "{")
    }

    /// Writes waiting messages, as many as may be in progress at the same time.
    mutating func transmit(memory: inout ChatMemory, out: inout Actions) {
        guard isWelcome, farewell == nil else { return }
        while let message = memory.outbox.next {
            // The command was cancelled. Its caller has already received a failure which says that the message is not sent.
            if let id = message.id, !out.isAwaited(id) {
                memory.outbox.skipNext()
                continue
            }
            let number = nextNumber()
            let text = ChatClientFrames.encode(.request(.send(message.draft), number: number))
            guard text.utf8.count <= ChatProtocolLimits.frame else {
                memory.outbox.skipNext()
                let reason = "The encoded message is longer than \(ChatProtocolLimits.frame) bytes."
                out.answer(message.id, .failure(ConnectionFailure(chat: .tooLarge, .badRequest, reason, origin: .local)))
                continue
            }
            memory.outbox.wrote(as: number)
            out.send(.text(text))
        }
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Removes the messages whose time limit has ended, and answers their commands with a failure (rule NS-14).
    static func expire(memory: inout ChatMemory, out: inout Actions, isConnected: Bool) {
        let now = out.now
        for message in memory.outbox.removeAll(where: { $0.deadline <= now }) {
            let failure = message.wasWritten ? unanswered : isConnected ? neverSent : neverConnected
            out.answer(message.id, .failure(failure))
        }
    }

    /// Answers all waiting messages with a failure, because no further connection attempt follows (rule NS-15).
    static func giveUp(_ cause: ConnectionFailure, memory: inout ChatMemory, out: inout Actions) {
        for message in memory.outbox.removeAll(where: { _ in true }) {
            out.answer(message.id, .failure(message.wasWritten ? unanswered : cause))
        }
    }
}

// Handles commands while there is no connection.
extension ChatSession {
    public static func performOffline(
        _ command: ChatCommand, id: RequestID?, memory: inout ChatMemory, out: inout SessionActions<Self>
    ) {
        switch command {
        case .send(let draft):
            expire(memory: &memory, out: &out, isConnected: false)
            _ = enqueue(draft, id: id, memory: &memory, out: &out)
            return
        case .request:
            out.answer(id, .failure(notConnected))
            return
        case .enter(let entry):
            _ = want(entry, id: id, memory: &memory, out: &out)
            return
        case .exit(let channel): forget(channel, memory: &memory, out: &out)
        case .acknowledge(let place): _ = keep(place, memory: &memory)
        case .setToken(let token): memory.token = token
        case .leave(let disablePush):
            memory.disablesPush = disablePush
            giveUp(notConnected, memory: &memory, out: &out)
        case .expire: expire(memory: &memory, out: &out, isConnected: false)
        case .typing: break
        }
        out.answer(id, .success(.done))
    }
}
