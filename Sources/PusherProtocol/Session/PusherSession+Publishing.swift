import ConnectionEngine
import Identifiers
import WireCoding

// Publishing of client events. Rules PS-23 to PS-27.
extension PusherSession {
    mutating func publish(
        _ event: String, json: String, on name: String, id: RequestID?, memory: inout PusherMemory,
        out: inout Actions
    ) {
        if live[name]?.phase == .failed, let refusal = memory.channels[name]?.refusal {
            out.answer(id, .failure(refusal))
        } else if live[name]?.phase == .confirmed,
            let queued = Self.checked(event, json: json, on: name, id: id, memory: &memory, out: &out)
        {
            transmit(queued, on: name, out: &out)
        } else if live[name]?.phase != .confirmed {
            Self.enqueue(event, json: json, on: name, id: id, memory: &memory, out: &out)
        }
    }

    /// Stores a client event until its channel is subscribed.
    static func enqueue(
        _ event: String, json: String, on name: String, id: RequestID?, memory: inout PusherMemory,
        out: inout Actions
    ) {
        guard let queued = checked(event, json: json, on: name, id: id, memory: &memory, out: &out),
            var wanted = memory.channels[name]
        else { return }
        if wanted.outbox.count >= WantedChannel.outboxLimit {
            // Makes room: removes events whose callers have stopped waiting.
            wanted.outbox.removeAll { $0.id.map { !out.isAwaited($0) } ?? false }
        }
        guard wanted.outbox.count < WantedChannel.outboxLimit else {
            let reason =
                "The event was not sent: the channel is not subscribed yet, and \(WantedChannel.outboxLimit) events, the limit, wait for it."
            out.answer(id, .failure(ConnectionFailure(.overloaded, reason)))
            return
        }
        wanted.outbox.append(queued)
        memory.channels[name] = wanted
    }

    /// Removes an event that waits for its channel, so that it is not sent (rule PS-24). Returns false if no waiting event has this id.
    public static func withdraw(_ id: RequestID, memory: inout PusherMemory) -> Bool {
        for (name, channel) in memory.channels {
            guard let index = channel.outbox.firstIndex(where: { $0.id == id }) else { continue }
            memory.channels[name]?.outbox.remove(at: index)
            return true
        }
        return false
    }

    /// Checks an event. Returns the event if it may be sent; otherwise answers the caller's request with a failure and returns nil.
    private static func checked(
        _ event: String, json: String, on name: String, id: RequestID?, memory: inout PusherMemory,
        out: inout Actions
    ) -> QueuedEvent? {
        let problem: String?
        let kind = PusherChannelKind(of: name)
        if !PusherEventName.isClientEvent(event) {
            problem = "The name of a client event must begin with client-."
        } else if !PusherLimits.accepts(eventName: event) {
            problem = "The event name is longer than \(PusherLimits.eventName) characters."
        } else if kind.access == .encrypted {
            problem = "Client events cannot be sent on encrypted channels."
        } else if !kind.allowsClientEvents {
            problem = "Client events can be sent on private and presence channels only."
        } else if memory.channels[name] == nil {
            problem = "The channel is not subscribed; subscribe to it before you publish a client event."
        } else if json.utf8.count > PusherLimits.eventData {
            problem = "The event's data is longer than \(PusherLimits.eventData) bytes."
        } else if (try? JSONText(json)) == nil {
            problem = "The event's data is not JSON."
        } else {
            problem = nil
        }
        guard let problem else { return QueuedEvent(event: event, json: json, id: id) }
        out.answer(id, .failure(ConnectionFailure(.badRequest, problem)))
        return nil
    }

    /// Sends an event, and after it a ping. The pong shows that the server has read the event.
    mutating func transmit(_ event: QueuedEvent, on name: String, out: inout Actions) {
        // The event is not sent, because its caller was answered already, for example as cancelled after a timeout.
        if let id = event.id, !out.isAwaited(id) { return }
        out.send(.text(PusherClientFrames.event(name: event.event, channel: name, json: event.json)))
        guard let id = event.id else {
            unpinged += 1
            return
        }
        let companions = unpinged
        ping(out: &out)
        let deadline = out.now + out.timing.request
        sent.append(SentEvent(id: id, ping: pings, deadline: deadline, companions: companions))
        arm(deadline, out: &out)
    }

    /// Sends a message that has no channel.
    func send(_ event: String, json: String, id: RequestID?, out: inout Actions) {
        guard socketID != nil else {
            out.answer(id, .failure(Self.notConnected))
            return
        }
        guard PusherLimits.accepts(eventName: event), (try? JSONText(json)) != nil else {
            out.answer(
                id,
                .failure(
                    ConnectionFailure(
                        .badRequest,
                        "The event name does not have 1 to \(PusherLimits.eventName) characters, or the data is not JSON.")))
            return
        }
        out.send(.text(PusherClientFrames.event(name: event, json: json)))
        out.answer(id, .success(.sent))
    }

    static let notConnected = ConnectionFailure(.disconnected, "There is no connection to the server.")

    /// Sends a ping control frame. Its payload is the number of the ping.
    mutating func ping(out: inout Actions) {
        unpinged = 0
        out.send(.ping(nextPing()))
    }

    mutating func nextPing() -> [UInt8] {
        pings += 1
        return Array(String(pings).utf8)
    }

    mutating func probeAnswered(out: inout Actions) {
        guard awaitsProbe else { return }
        awaitsProbe = false
        out.emit(.ponged)
    }

    /// Handles a pong: the server has read everything that was sent before the ping with this number.
    mutating func ponged(_ payload: [UInt8], out: inout Actions) {
        probeAnswered(out: &out)
        guard let number = UInt64(String(decoding: payload, as: UTF8.self)), number <= pings else { return }
        if !takenBack.isEmpty { takenBack = takenBack.filter { $0.value >= number } }
        let read = sent.prefix { $0.ping <= number }
        guard !read.isEmpty else { return }
        let events = read.reduce(0) { $0 + 1 + $1.companions }
        let result: Result<PusherReply, ConnectionFailure>
        if let refusal = refusals.first {
            // An error from the server does not say which of several events it concerns.
            result = .failure(refusals.count >= events ? refusal : Self.ambiguous)
        } else {
            result = .success(.published)
        }
        for event in read { out.answer(event.id, result) }
        sent.removeFirst(read.count)
        refusals = []
    }

    private static let ambiguous = ConnectionFailure(
        .unknown, "The server refused some of the events that were sent together, perhaps this one, and did not say which.",
        origin: .server)

    mutating func expireSent(out: inout Actions) {
        let expired = sent.prefix { $0.deadline <= out.now }
        guard !expired.isEmpty else { return }
        let failure = ConnectionFailure(
            .unknown, "The server did not confirm the event in time; it may have been delivered or not.", origin: .server)
        for event in expired { out.answer(event.id, .failure(failure)) }
        sent.removeFirst(expired.count)
    }
}

// Handling of commands while there is no connection. Rules PS-9, PS-13, PS-24 and PS-28.
extension PusherSession {
    public static func performOffline(
        _ command: PusherCommand, id: RequestID?, memory: inout PusherMemory, out: inout SessionActions<Self>
    ) {
        switch command {
        case .subscribe(let subscription): _ = want(subscription, id: id, memory: &memory, out: &out)
        case .unsubscribe(let channel): forget(channel, id: id, memory: &memory, out: &out)
        case .publish(let channel, let event, let json):
            enqueue(event, json: json, on: channel, id: id, memory: &memory, out: &out)
        case .send: out.answer(id, .failure(notConnected))
        case .signIn: wantUser(id: id, memory: &memory, out: out)
        case .signOut: forgetUser(id: id, memory: &memory, out: &out)
        }
    }
}
