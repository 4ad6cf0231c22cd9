import ConnectionEngine

/// The decoded answer to one request of a PubNub session.
public enum PubNubAnswer: Sendable {
    /// The answer to a poll: where to go on, and the messages, oldest first.
    case subscribed(PubNubCursor, [PubNubMessage])
    /// The same, without the elements that could not be read; there is at least one of those (rule PN-40).
    case partlyRead(PubNubCursor, [PubNubMessage], unreadable: Int)
    /// The good answer to a call: checked to be JSON, otherwise as it came.
    case other(body: [UInt8])
    /// A failure, or an answer that is not of the protocol.
    case problem(PubNubProblem)
}

/// The limits for reading answers (rule PN-12).
public enum PubNubLimits {
    /// Elements of one subscribe answer. The service's queue holds 100 messages for a subscriber.
    public static let messagesInAnswer = 1_000
    /// Bytes of any answer, after decompression.
    public static let answerBytes = 16 << 20
    /// Characters of the service's words that are kept of an error.
    public static let informationLength = 1_000
}

/// Turns HTTP answers into PubNub's, on the connection's event loop.
///
/// A value of its own for each connection: it remembers names, so that a name that comes again costs nothing.
public struct PubNubAnswerDecoder: LongPollDecoder {
    private var reader: PubNubSubscribeReader
    /// The last type that was found to be JSON's; the next answer has the same.
    private var knownType: String?

    /// - Parameter rememberedNames: how many channel, group and user names are remembered at most.
    public init(rememberedNames: Int = 256) {
        reader = PubNubSubscribeReader(rememberedNames: rememberedNames)
    }

    /// Polls become `.subscribed` or `.problem`, calls `.other` or `.problem` (rules PN-7 to PN-12).
    public mutating func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> PubNubAnswer {
        if isPoll, head.status == 200, isJSON(head.contentType), body.count <= PubNubLimits.answerBytes {
            do throws(PubNubAnswerError) {
                let reading = try reader.read(body)
                if reading.unreadable == 0 { return .subscribed(reading.cursor, reading.messages) }
                return .partlyRead(reading.cursor, reading.messages, unreadable: reading.unreadable)
            } catch {
                return .problem(PubNubProblem(head, body: body) ?? .malformed(error.description, status: head.status))
            }
        }
        if let problem = PubNubProblem(head, body: body) { return .problem(problem) }
        guard !isPoll else { return .problem(.malformed("The answer is not that of a subscribe request.", status: head.status)) }
        return .other(body: Array(body))
    }

    private mutating func isJSON(_ contentType: String?) -> Bool {
        if let contentType, contentType == knownType { return true }
        guard PubNubProblem.isJSON(contentType) else { return false }
        knownType = contentType
        return true
    }
}

/// Why something is not an answer to a subscription. Holds no part of the answer, so it is safe to log.
public enum PubNubAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not JSON; the text is that of the syntax error.
    case syntax(String)
    case notAnObject
    case missingCursor
    case missingMessages

    public var description: String {
        switch self {
        case .syntax(let text): "The answer is not JSON: \(text)."
        case .notAnObject: "The answer is not a JSON object."
        case .missingCursor: "The answer has no timetoken."
        case .missingMessages: "The answer has no list of messages."
        }
    }
}
