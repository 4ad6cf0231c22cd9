/// A line for the delegate's `debugLog(message:)`.
///
/// Lines begin with the same texts as those of PusherSwift, because apps search for these texts (rule PA-40).
struct LogLine {
    enum Level: String {
        case debug = "DEBUG"
        case info = "INFO"
        case warning = "WARNING"
        case error = "ERROR"
    }

    enum Head: String {
        case received = "websocketDidReceiveMessage"
        case sent = "sendEvent"
        case clientEventSent = "sendClientEvent"
        case pinged = "Ping sent"
        case ponged = "Websocket received pong"
        case established = "Socket established with socket ID:"
        case reconnecting = "Attempting to reconnect after waiting"
        case reconnectingNow = "Attempting to reconnect immediately"
        case attemptsExhausted = "Max reconnect attempts reached"
        case deliberate = "Deliberate disconnection - skipping reconnect attempts"
        case disconnected = "Websocket is disconnected but no error received"
        case failed = "Websocket received error."
        case viable = "Network connection became viable"
        case unviable = "Network connection became unviable"
        case subscriptionFailed = "Unable to subscribe to channel:"
        case signInFailed = "Unable to sign in:"
        case notUnderstood = "Unable to handle incoming Websocket message"
        case undecryptable = "Skipping event that failed to decrypt on channel"
        case encryptedClientEvent = "Client events are not supported on encrypted channels:"
        case publicClientEvent = "You must be subscribed to a private or presence channel to send client events"
        case badEventName = "Client events must have names of at most 200 letters that begin with client-:"
        case tooLong = "Data of a client event is longer than 10240 bytes:"
        case notAdmitted = "Client event not sent, because its channel is not subscribed or failed, or its queue is full:"
        case givenUp = "Queued client events were dropped, because the subscription failed:"
        case notSent = "Event could not be sent:"
        case notJSON = "Data of an event is not a JSON value:"
        case noAuthorization = "Auth info passed to authorizer completionHandler was nil"
        case gap = "Events may have been missed on channel"
        case dropped = "Events were dropped because callbacks are too slow:"
    }

    var level: Level
    var head: Head
    var rest = ""

    var text: String {
        let start = "[PUSHER \(level.rawValue)] \(head.rawValue)"
        return rest.isEmpty ? start : "\(start) \(rest)"
    }
}
