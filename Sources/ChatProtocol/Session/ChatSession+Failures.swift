import ConnectionEngine

// The failures of sessions and requests (rules NS-23 to NS-29).
extension ChatSession {
    /// The failure of a request that was made without a connection. The request was not sent.
    static let notConnected = ConnectionFailure(
        chat: .noConnection, .disconnected, "Nothing was sent, because there is no connection to the server.", origin: .local)
    /// The failure of a message if there was no connection during its whole time limit.
    static let neverConnected = ConnectionFailure(
        chat: .noConnection, .timeout, "There was no connection to the server within the time limit of the message.",
        origin: .local)
    /// The failure of a message that was not sent within its time limit, although there was a connection.
    static let neverSent = ConnectionFailure(
        chat: .sendTimedOut, .timeout, "The message could not be sent within its time limit.", origin: .local)
    /// The failure of a message or request that was written and not answered, so that its outcome is unknown.
    static let unanswered = ConnectionFailure(
        chat: .noAcknowledgement, .unknown, "The server did not answer: the request may or may not have been performed.",
        origin: .local)

    /// The category under which a `bye` is reported. It depends on the code of the `bye`, and on whether the `bye` permits another attempt
    /// (chat-protocol.md, section 2).
    public static func category(of bye: ChatBye) -> StatusCategory {
        switch bye.code {
        case .tokenIncorrect, .tokenExpired, .tokenUsed: .credentialsRejected
        case .userBanned, .bannedWhileOnline: .banned
        case .kicked, .otherDeviceOnline: .kicked
        case .accountDeleted: .accountDeleted
        case _ where !bye.mayRetry: .refused
        case .tooManyConnections, .tooFrequent: .overloaded
        default: .serverRestart
        }
    }

    mutating func bye(_ bye: ChatBye, out: inout Actions) {
        let category = Self.category(of: bye)
        let failure = ConnectionFailure(
            chat: bye.code, category, String(bye.reason.prefix(300)), origin: .server,
            retryAfter: bye.after.map { .milliseconds(max($0, 0)) })
        if category != .serverRestart && category != .overloaded { farewell = failure }
        out.fault(failure)
    }

    /// The category of a WebSocket close code; nil for a code without a defined meaning (chat-protocol.md, section 2; RFC 6455, 7.4.1).
    public static func category(ofCloseCode code: Int) -> StatusCategory? {
        switch code {
        case 4000: .refused
        case 4001, 1001, 1012: .serverRestart
        case 1013: .overloaded
        case 1002, 1003, 1007, 1008, 1009, 1010: .malformedResponse
        case 1005, 1006: nil
        default: .unexpectedDisconnect
        }
    }

    public static func classify(_ failure: ConnectionFailure, memory: inout ChatMemory) -> ConnectionFailure {
        guard failure.chatCode == nil, let code = failure.closeCode, let category = category(ofCloseCode: code) else {
            return failure
        }
        var failure = failure
        failure.category = category
        failure.origin = .server
        return failure
    }

    /// Whether the server has requested a reconnect by a `bye`. Such a request is followed even when automatic retries are off (rule
    /// NS-26).
    public static func insistsOnRetry(after failure: ConnectionFailure) -> Bool {
        failure.chatCode != nil && (failure.category == .serverRestart || failure.category == .overloaded)
    }
}

extension ConnectionFailure {
    /// Makes a failure with an error code of the service in the place of a close code. The two cannot be confused: close codes are 1000 to
    /// 4999, and the service's codes are outside of that range.
    public init(
        chat code: ChatErrorCode, _ category: StatusCategory, _ reason: String, origin: Origin, retryAfter: Duration? = nil
    ) {
        self.init(category, reason, origin: origin, closeCode: code.rawValue, retryAfter: retryAfter)
    }

    /// Makes the failure of a request that the server has refused.
    public init(_ refusal: ChatRequestRefusal) {
        self.init(
            chat: refusal.code, Self.category(of: refusal.code), String(refusal.reason.prefix(300)), origin: .server,
            retryAfter: refusal.retryAfter.map { .milliseconds(max($0, 0)) })
    }

    private static func category(of refusal: ChatErrorCode) -> StatusCategory {
        switch refusal {
        case .tooManySends, .tooFrequent, .storageFailed: .overloaded
        case .blockedByReceiver, .notInGroup, .mutedInGroup, .notInOpenChannel, .mutedInOpenChannel, .bannedFromOpenChannel,
            .noPermission, .notOwnMessage:
            .accessDenied
        default: .badRequest
        }
    }

    /// The service's error code for the failure; nil if the service gave none.
    public var chatCode: ChatErrorCode? {
        guard let closeCode, !(1000...4999).contains(closeCode) else { return nil }
        return ChatErrorCode(closeCode)
    }
}

extension ChatErrorCode {
    /// The error code for any failure: the service's code, or the code with the meaning of the failure's category (rule NS-27).
    public init(_ failure: ConnectionFailure) {
        if let code = failure.chatCode {
            self = code
            return
        }
        self =
            switch failure.category {
            case .credentialsRejected: .tokenIncorrect
            case .banned: .userBanned
            case .kicked: .kicked
            case .accountDeleted: .accountDeleted
            case .timeout: .connectTimedOut
            case .proxyUnavailable: .proxyUnavailable
            case .badRequest, .requestTooLong: .badArgument
            case .accessDenied: .noPermission
            case .overloaded: .tooFrequent
            case .unknown: .noAcknowledgement
            default: .noConnection
            }
    }

    /// The code for a single-use token that was already used.
    public static let tokenUsed = ChatErrorCode(31027)
    /// The code for an application that has no licence for another connection.
    public static let noLicence = ChatErrorCode(31030)
}
