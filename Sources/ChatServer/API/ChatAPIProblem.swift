import ChatProtocol
import ServerRuntime
import WireCoding

/// The reason why a call of the server API is refused: an HTTP status, an error code, and a text with the remedy (rule NA-4).
///
/// The text is constant, or contains names of fields, ids and limits. It contains no content, token or secret.
struct ChatAPIProblem: Error, Hashable, Sendable {
    var status: Int
    var code: Int
    var message: String
    /// The number of milliseconds after which the call may be repeated; nil if no delay is given.
    var retryAfter: Int?

    init(_ status: Int, code: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    static func field(_ name: String, _ rule: String) -> Self {
        Self(400, code: 1002, "The field \(name) is missing or wrong: \(rule).")
    }
    static func header(_ name: String, rule: String) -> Self {
        Self(401, code: 1004, "The header \(name) is missing or wrong: \(rule).")
    }

    static let unknownApplication = Self(
        401, code: 1001, "No application has this App-Key: take the key from the server's configuration.")
    static let disabledApplication = Self(
        403, code: 1001, "The application is disabled: enable it in the server's configuration.")
    static let wrongSignature = Self(
        401, code: 1004, "The signature is wrong: send SHA1(secret + Nonce + Timestamp) in lowercase hexadecimal as Signature.")
    static let staleTimestamp = Self(
        401, code: 1004,
        "The timestamp differs from the server's clock by more than five minutes: send the time in ms since 1970, "
            + "and set the clock.")
    static let replayed = Self(401, code: 1004, "This nonce and timestamp were used before: make a new nonce for each call.")
    static let signedBeforeStart = Self(
        401, code: 1004,
        "The timestamp is from before this server began to record calls, so the call may have been made before: "
            + "sign it again with the present time. If it was signed just now, set the clock of the signing machine, which is behind."
    )
    static let notJSON = Self(
        400, code: 1003, "The body is not a JSON object: send a JSON object, with Content-Type application/json.")
    static let tooLarge = Self(413, code: 1005, "The body of the call is too large: send less data in one call.")
    static let unknownPath = Self(404, code: 1404, "The server API has no such path: docs/chat-protocol.md lists all paths.")
    static let wrongMethod = Self(405, code: 1405, "The server API accepts only the method POST.")
    static let unavailable = Self(
        503, code: 1000, "The server is overloaded or cannot reach its store or cluster: try again later.", retryAfter: 1000)

    static func tooMany(_ what: String, retryAfter: Int) -> Self {
        Self(429, code: 1008, "Too many \(what): try again in \(retryAfter) ms.", retryAfter: retryAfter)
    }

    /// Converts an error that a decision or a read of the state has thrown.
    init(_ error: any Error) {
        if let problem = error as? ChatAPIProblem {
            self = problem
            return
        }
        let refusal = ChatRequestRefusal(error)
        let code = refusal.code.rawValue
        // A call that failed because of the store may be repeated after 1 s, when the store possibly accepts data again.
        let retryAfter = refusal.retryAfter ?? (refusal.code == .storageFailed ? 1000 : nil)
        self.init(Self.status(of: code), code: code == ChatCode.badArgument ? 1002 : code, refusal.reason, retryAfter: retryAfter)
    }

    /// Converts the problem of a request that is not valid HTTP, or that was not answered in time.
    init(_ problem: HTTPProblem) {
        self =
            switch problem.status {
            case 413: .tooLarge
            case 404: .unknownPath
            case 405: .wrongMethod
            case 503: .unavailable
            default: Self(problem.status, code: 1003, problem.message)
            }
    }

    private static func status(of code: Int) -> Int {
        switch code {
        case ChatCode.noSuchGroup, ChatCode.noSuchUser, ChatCode.noSuchOpenChannel, ChatCode.noSuchEntry,
            ChatCode.nothingToRecall,
            ChatCode.notMember, ChatCode.notAdmin, ChatErrorCode.noSuchMessage.rawValue:
            404
        case ChatCode.groupExists, ChatCode.alreadyMember, ChatCode.ownerCannotQuit, ChatCode.tooManyMembers,
            ChatCode.tooManyAdmins, ChatCode.tooManyEntries, ChatCode.ownerAsAdmin:
            409
        case ChatCode.blockedByReceiver, ChatCode.noPermission, ChatCode.notInGroup, ChatCode.notInOpenChannel,
            ChatCode.mutedInDirect, ChatCode.mutedInGroup, ChatCode.mutedInOpenChannel, ChatCode.bannedFromOpenChannel,
            ChatCode.notEntryOwner, ChatCode.notOwnMessage, ChatCode.tooLateToEdit, ChatCode.onlyOwner:
            403
        case ChatCode.tooManySends: 429
        case ChatErrorCode.storageFailed.rawValue: 503
        default: 400
        }
    }

    var body: [UInt8] {
        let value: JSONValue = ["code": .number(JSONNumber(code)), "errorMessage": .string(message)]
        var out: [UInt8] = []
        value.append(to: &out)
        return out
    }
}

extension HTTPAnswer {
    init(_ problem: ChatAPIProblem) {
        self.init(status: problem.status, .json, problem.body)
        if let retryAfter = problem.retryAfter { fields = [("retry-after", "\((max(retryAfter, 1) + 999) / 1000)")] }
        if problem.status == 405 { fields = [("allow", "POST")] }
    }
}
