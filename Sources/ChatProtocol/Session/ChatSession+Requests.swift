import ConnectionEngine

// Requests other than messages, and the answers to all requests (rule NS-17).
extension ChatSession {
    /// The largest number of requests that wait for their answers.
    static let requestLimit = 1_000

    mutating func call(_ request: ChatRequest, id: RequestID?, out: inout Actions) {
        guard isWelcome else {
            out.answer(id, .failure(Self.notConnected))
            return
        }
        guard requests.count < Self.requestLimit else {
            let reason = "The client already has \(Self.requestLimit) unanswered requests: wait for an answer first."
            out.answer(id, .failure(ConnectionFailure(chat: .tooFrequent, .overloaded, reason, origin: .local)))
            return
        }
        ask(request, kind: .call(id), out: &out)
    }

    /// Writes a request, and records it until its answer arrives. Returns its number.
    @discardableResult
    mutating func ask(_ request: ChatRequest, kind: Pending.Kind, out: inout Actions) -> UInt64 {
        let number = nextNumber()
        let deadline = out.now + out.timing.request
        requests[number] = Pending(kind: kind, deadline: deadline)
        Self.send(.request(request, number: number), out: &out)
        arm(deadline, out: &out)
        return number
    }

    mutating func answered(
        _ number: UInt64, with answer: ChatAnswer, memory: inout ChatMemory, out: inout Actions
    ) {
        if let message = memory.outbox.answered(number) {
            if let id = answer.id {
                out.answer(message.id, .success(.sent(ChatSentMessage(clientID: message.draft.clientID, id: id))))
            } else {
                out.answer(message.id, .failure(Self.unanswered))
            }
            transmit(memory: &memory, out: &out)
            return
        }
        switch requests.removeValue(forKey: number)?.kind {
        case .call(let id): out.answer(id, .success(.answer(answer)))
        case .enter(let channel): entered(channel, number: number, answer: answer, memory: &memory, out: &out)
        // The answer is too late: the caller got a failure when the time limit of the request ended.
        case nil: return
        }
    }

    mutating func refused(
        _ number: UInt64, with refusal: ChatRequestRefusal, memory: inout ChatMemory, out: inout Actions
    ) {
        if let message = memory.outbox.answered(number) {
            out.answer(message.id, .failure(ConnectionFailure(refusal)))
            transmit(memory: &memory, out: &out)
            return
        }
        switch requests.removeValue(forKey: number)?.kind {
        case .call(let id): out.answer(id, .failure(ConnectionFailure(refusal)))
        case .enter(let channel): entryRefused(channel, number: number, refusal: refusal, memory: &memory, out: &out)
        case nil: return
        }
    }

    mutating func expireRequests(memory: inout ChatMemory, out: inout Actions) {
        // The request with the lowest number has the earliest deadline, because all requests have the same time limit.
        while let (number, pending) = requests.elements.first, pending.deadline <= out.now {
            requests.removeFirst()
            switch pending.kind {
            case .call(let id): out.answer(id, .failure(Self.unanswered))
            case .enter(let channel): entryOverdue(channel, number: number, memory: &memory, out: &out)
            }
        }
    }
}
