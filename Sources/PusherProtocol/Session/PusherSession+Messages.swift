import ConnectionEngine
import WireCoding

// Handling of the server's messages.
extension PusherSession {
    /// The longest accepted activity timeout, in seconds; a longer one from the server is reduced to it.
    private static let longestSilence: Double = 86_400

    mutating func route(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard envelope.event.utf8.first == UInt8(ascii: "p"), PusherEventName.isReserved(envelope.event) else {
            applicationEvent(envelope, memory: &memory, out: &out)
            return
        }
        switch envelope.event {
        case PusherEventName.ping: out.send(.text(PusherClientFrames.pong))
        case PusherEventName.pong: probeAnswered(out: &out)
        case PusherEventName.connectionEstablished: established(envelope, memory: &memory, out: &out)
        case PusherEventName.error: serverError(envelope, memory: &memory, out: &out)
        case PusherEventName.subscriptionSucceeded: confirmed(envelope, memory: &memory, out: &out)
        case PusherEventName.subscriptionError: refused(envelope, memory: &memory, out: &out)
        case PusherEventName.memberAdded: memberAdded(envelope, memory: &memory, out: &out)
        case PusherEventName.memberRemoved: memberRemoved(envelope, memory: &memory, out: &out)
        case PusherEventName.subscriptionCount: subscriptionCount(envelope, out: &out)
        case PusherEventName.signinSuccess: signinConfirmed(envelope, memory: &memory, out: &out)
        case PusherEventName.watchlistEvents: watchlist(envelope, out: &out)
        case PusherEventName.cacheMiss: cacheMissed(envelope, out: &out)
        default: deliver(envelope, out: &out)
        }
    }

    /// Whether events of the channel are delivered. The application has to want the channel, and the server must have confirmed the
    /// subscription, or be one that sends events before its confirmation. Other events are dropped, including late events of an earlier
    /// subscription (rules PS-16 and PS-36).
    @inline(__always)
    func isListening(_ name: String) -> Bool {
        guard let channel = live[name] else { return false }
        return channel.phase == .confirmed || isEarly(name, channel)
    }

    private mutating func applicationEvent(
        _ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions
    ) {
        guard let name = envelope.channel else {
            bareWatchlist(envelope, out: &out)
            deliver(envelope, out: &out)
            return
        }
        guard let channel = live[name], takes(envelope, of: name, channel, memory: &memory) else { return }
        if channel.access == .encrypted {
            encryptedEvent(envelope, of: name, out: &out)
        } else {
            out.emit(.message(envelope))
        }
    }

    /// Delivers an event unchanged, unless its channel is not subscribed.
    private func deliver(_ envelope: PusherEnvelope, out: inout Actions) {
        guard socketID != nil, envelope.channel.map(isListening) ?? true else { return }
        out.emit(.message(envelope))
    }

    /// Handles `pusher:cache_miss` of a channel (rule PS-35).
    private func cacheMissed(_ envelope: PusherEnvelope, out: inout Actions) {
        if let name = envelope.channel, isListening(name) { out.emit(.cacheMissed(channel: name)) }
        deliver(envelope, out: &out)
    }

    /// Handles the server's first message, which has the socket id and the activity timeout (rules PS-1 to PS-3).
    private mutating func established(
        _ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions
    ) {
        guard socketID == nil else { return }
        let data = envelope.data.flatMap { try? JSONText($0) }
        guard let id = data?["socket_id"]?.identifier, Self.isUsable(socketID: id) else {
            out.fault(
                ConnectionFailure(
                    .malformedResponse, "The server's message pusher:connection_established has no valid socket_id.",
                    origin: .server))
            return
        }
        socketID = id
        memory.lastError = nil
        let limit = data?["activity_timeout"]
        if let seconds = limit?.double ?? limit?.string.flatMap(Double.init), seconds > 0 {
            out.limitSilence(to: .seconds(min(max(seconds, 1), Self.longestSilence)))
        }
        noteRecovery(data, memory: &memory)
        out.emit(.established(socketID: id))
        out.ready()
        beginUser(memory: &memory, out: &out)
        for name in memory.wantedChannels { begin(name, memory: &memory, out: &out) }
    }

    /// Whether a socket id can be sent back safely: 1 to 128 printable ASCII characters. Servers other than Pusher's have ids in other
    /// formats (rule PS-2).
    private static func isUsable(socketID: String) -> Bool {
        !socketID.isEmpty && socketID.utf8.count <= 128 && socketID.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Handles `pusher:error`: it may concern a subscription, the sign-in, sent events, or the connection (rules PS-4, PS-14, PS-26 and
    /// PS-31).
    private mutating func serverError(
        _ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions
    ) {
        let error = PusherErrorData(parsing: envelope.data)
        // Until the server has confirmed the connection, every error is stored, because it may be the reason for which the connection
        // closes. Afterwards only the codes 4100 to 4299 are stored, which always lead to a reconnect; 4009 may concern a single channel.
        if socketID == nil || error.code.map((4100...4299).contains) ?? false { memory.lastError = error }
        // An error that asks for a restart is not reported here, but when the connection closes. Reverb also sends the code 4200 to refuse
        // a single message. Therefore sent events that are not confirmed yet must not count as accepted.
        if error.isRestart {
            if !sent.isEmpty { refusals.append(Self.refusal(.unknown, error)) }
            return
        }
        let isRepeat = error.message.hasPrefix("Existing subscription")
        if let name = envelope.channel, !isRepeat, live[name]?.phase == .confirming {
            subscriptionRefused(name, status: error.code, message: error.message, body: envelope.data, memory: &memory, out: &out)
        } else if envelope.channel == nil, let name = refusedChannel(error) {
            subscriptionRefused(name, status: 4009, message: error.message, body: envelope.data, memory: &memory, out: &out)
        } else if envelope.channel == nil, !isRepeat, isAboutUser(error) {
            userRefused(error, body: envelope.data, memory: &memory, out: &out)
        } else if !sent.isEmpty, !isRepeat, error.code != 4302 {
            refusals.append(Self.refusal(error.code == 4301 ? .overloaded : .badRequest, error))
        }
        out.emit(.serverError(code: error.code, message: error.message))
    }

    /// The failure of a sent event for which the server sent an error before the pong that would have confirmed the event.
    private static func refusal(_ category: StatusCategory, _ error: PusherErrorData) -> ConnectionFailure {
        let code = error.code.map { " (error \($0))" } ?? ""
        return ConnectionFailure(category, String(error.message.prefix(300)) + code, origin: .server)
    }

    private func subscriptionCount(_ envelope: PusherEnvelope, out: inout Actions) {
        guard let name = envelope.channel, live[name]?.isKnownToServer ?? false, let data = envelope.data,
            let count = (try? JSONText(data))?["subscription_count"]?.integer
        else { return }
        out.emit(.subscriptionCount(channel: name, count))
    }
}
