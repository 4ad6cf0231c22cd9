import ConnectionEngine

// Why sessions end and requests fail. Rules NS-23 to NS-29.
extension ChatSession {
    /// There is no connection, so nothing was sent.
    static let notConnected = ConnectionFailure(chat: .noConnection, .disconnected, "There is no connection.", origin: .local)
    /// There was no connection during the message's whole time limit.
    static let neverConnected = ConnectionFailure(
        chat: .noConnection, .timeout, "There was no connection within the time that the message could wait.", origin: .local)
    /// There was a connection, but the message was not sent in time.
    static let neverSent = ConnectionFailure(
        chat: .sendTimedOut, .timeout, "The message could not be sent within the time that it could wait.", origin: .local)
    /// The message was written, and its outcome is unknown.
    static let unanswered = ConnectionFailure(
        chat: .noAcknowledgement, .unknown, "The server did not answer; it may have been done or not.", origin: .local)

    /// The category under which a `bye` is reported. It depends on the code of the `bye` and on whether another attempt is allowed
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

    /// The category of a close code, or nil for a code without a meaning. Session document, section 2; RFC 6455, 7.4.1.
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

    /// A `bye` that requests a reconnect is followed even when automatic retries are off (rule NS-26).
    public static func insistsOnRetry(after failure: ConnectionFailure) -> Bool {
        failure.chatCode != nil && (failure.category == .serverRestart || failure.category == .overloaded)
    }
}

extension ConnectionFailure {
    /// A failure with a number of the service in place of a close code. The two cannot be confused: close codes are 1000 to 4999, and
    /// the service's numbers are outside of that range.
    public init(
        chat code: ChatErrorCode, _ category: StatusCategory, _ reason: String, origin: Origin, retryAfter: Duration? = nil
    ) {
        self.init(category, reason, origin: origin, closeCode: code.rawValue, retryAfter: retryAfter)
    }

    /// A request that the server has refused.
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

    /// The service's number for the failure, if it gave one.
    public var chatCode: ChatErrorCode? {
        guard let closeCode, !(1000...4999).contains(closeCode) else { return nil }
        return ChatErrorCode(closeCode)
    }
}

extension ChatErrorCode {
    /// The service's number for any failure: its own, or the number with the meaning of the category (rule NS-27).
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

    /// A token for a single use was already used.
    public static let tokenUsed = ChatErrorCode(31027)
    /// The application has no licence for another connection.
    public static let noLicence = ChatErrorCode(31030)
}
