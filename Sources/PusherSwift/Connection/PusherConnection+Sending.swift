import ConnectionEngine
import Identifiers
import PusherProtocol

extension PusherConnection {
    /// Changes the connection's settings and passes the resulting policy to the engine.
    func change(_ body: (inout ConnectionSettings) -> Void) {
        let (before, after) = state.withLockedValue { values in
            let before = values.settings
            body(&values.settings)
            return (before, values.settings)
        }
        if before != after { driver.submit(.updatePolicy(after.policy)) }
    }

    /// Sends a client event, or reports why it cannot be sent: wrong name, wrong kind of channel, or data that is too long or not JSON
    /// (rules PA-20 to PA-23).
    func trigger(eventName: String, data: Any, on channel: PusherChannel) {
        guard isClientEvent(eventName), PusherLimits.accepts(eventName: eventName) else {
            refuse(.badEventName, eventName)
            return
        }
        // The kind of channel is determined as in the engine, where a channel named `private`, without a hyphen, is public.
        guard PusherChannelKind(of: channel.name).needsAuthorization else {
            refuse(.publicClientEvent)
            return
        }
        guard !PusherChannelType.isEncrypted(name: channel.name) else {
            refuse(.encryptedClientEvent, channel.name)
            return
        }
        guard let json = AnyJSON.encode(data) else {
            refuse(.notJSON, eventName)
            return
        }
        guard json.utf8.count <= PusherLimits.eventData else {
            refuse(.tooLong, eventName)
            return
        }
        guard channels.find(name: channel.name) === channel, channel.admits(QueuedClientEvent(name: eventName, data: data)) else {
            refuse(.notAdmitted, "\(eventName) \(channel.name)")
            return
        }
        logLater(.debug, .clientEventSent, rest: "\(eventName) \(channel.name)")
        driver.submit(.perform(.publish(channel: channel.name, event: eventName, json: json), nil))
    }

    func send(event: String, data: Any, channel: PusherChannel?) {
        if isClientEvent(event) {
            guard let channel else {
                refuse(.publicClientEvent)
                return
            }
            trigger(eventName: event, data: data, on: channel)
            return
        }
        guard let json = AnyJSON.encode(data) else {
            refuse(.notJSON, event)
            return
        }
        logLater(.debug, .sent, rest: event)
        driver.perform(.send(event: event, json: json)) { [weak self] result in
            if case .failure(let failure) = result { self?.refuse(.notSent, "\(event) \(failure.reason)") }
        }
    }

    private func isClientEvent(_ name: String) -> Bool {
        name.hasBytePrefix("client-")
    }

    /// Reports a call that cannot be carried out, in the log and as an error. Nothing is sent.
    private func refuse(_ head: LogLine.Head, _ rest: String = "") {
        logLater(.error, head, rest: rest)
        report(PusherError(code: nil, message: rest.isEmpty ? head.rawValue : "\(head.rawValue) \(rest)"))
    }
}

extension PusherConnection {
    /// The time limit of an authorisation for which the app has set no limit.
    var requestTimeout: Duration {
        state.withLockedValue { $0.settings.policy.timing.request }
    }
}
