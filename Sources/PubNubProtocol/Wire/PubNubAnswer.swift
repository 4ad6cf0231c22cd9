import ConnectionEngine

/// The decoded answer to one request of a PubNub session.
public enum PubNubAnswer: Sendable {
    /// The answer to a poll: the next position, and the messages, oldest first.
    case subscribed(PubNubCursor, [PubNubMessage])
    /// The same, without the elements that could not be read; there is at least one such element (rule PN-40).
    case partlyRead(PubNubCursor, [PubNubMessage], unreadable: Int)
    /// A successful answer to a call: checked to be JSON, otherwise unchanged.
    case other(body: [UInt8])
    /// A failure, or an answer that does not follow the protocol.
    case problem(PubNubProblem)
}

/// The limits for reading answers (rule PN-12).
public enum PubNubLimits {
    /// The most elements of one subscribe answer. The service's queue holds 100 messages for a subscriber.
    public static let messagesInAnswer = 1_000
    /// The most bytes of any answer, after decompression.
    public static let answerBytes = 16 << 20
    /// How many characters of the service's own text are kept in an error.
    public static let informationLength = 1_000
}

/// Decodes HTTP answers into PubNub's, on the connection's event loop.
///
/// Each connection has a separate decoder: it stores names, so that repeated names need no allocation.
public struct PubNubAnswerDecoder: LongPollDecoder {
    private var reader: PubNubSubscribeReader
    /// The last content type that was recognised as JSON; the next answer usually has the same.
    private var knownType: String?

    /// - Parameter rememberedNames: the most channel, group and user names that are stored.
    public init(rememberedNames: Int = 256) {
        reader = PubNubSubscribeReader(rememberedNames: rememberedNames)
    }

    /// Decodes an answer. Polls become `.subscribed` or `.problem`, calls `.other` or `.problem` (rules PN-7 to PN-12).
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

/// Why an answer to a poll cannot be decoded. Contains no part of the answer, so it is safe to log.
public enum PubNubAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer is not JSON; the text is that of the syntax error.
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
