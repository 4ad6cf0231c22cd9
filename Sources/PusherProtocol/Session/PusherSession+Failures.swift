import ConnectionEngine

// The meaning of the codes with which a server closes a connection.
extension PusherSession {
    /// Changes to the general retry table: after a denied connection or an untrusted certificate, the client makes no further attempt and
    /// ends in `failed` (rules PS-6 and PS-7).
    public static let policyOverrides: [StatusCategory: RetrySchedule] = [.accessDenied: .never, .tlsUntrusted: .never]

    /// The category of a close code; nil for a code that has no defined meaning. Pusher protocol, Close codes; RFC 6455, 7.4.1; rule PS-6.
    public static func category(ofCloseCode code: Int) -> StatusCategory? {
        switch code {
        case 4009: .accessDenied
        case 4000...4099: .refused
        case 4100...4199, 1013: .overloaded
        case 4200...4299, 1001, 1012: .serverRestart
        case 1002, 1003, 1007, 1008, 1009, 1010: .malformedResponse
        case 1005, 1006: nil
        default: .unexpectedDisconnect
        }
    }

    public static func classify(_ failure: ConnectionFailure, memory: inout PusherMemory) -> ConnectionFailure {
        var failure = failure
        let error = memory.lastError
        memory.lastError = nil
        // The code of the last `pusher:error` replaces a missing or unspecific close code, because some servers send the reason as an
        // error, and then end the TCP connection or close it with an unspecific code.
        if let code = error?.code, (4000...4299).contains(code), (failure.closeCode ?? 0) < 4000 {
            failure.closeCode = code
        }
        if let message = error?.message, !message.isEmpty {
            failure.reason = String(message.prefix(300))
        }
        if let code = failure.closeCode, let category = category(ofCloseCode: code) {
            failure.category = category
            failure.origin = .server
        }
        return failure
    }

    /// Whether the client reconnects even when automatic reconnects are switched off. This is so for the codes 4000 to 4999, which come
    /// from the server itself; the retry table can still forbid a retry. The official client behaves in the same way (rule PS-8).
    public static func insistsOnRetry(after failure: ConnectionFailure) -> Bool {
        failure.closeCode.map { (4000...4999).contains($0) } ?? false
    }
}
