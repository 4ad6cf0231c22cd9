import ConnectionEngine

/// The decoded answer to one request of a PubNub session.
public enum PubNubAnswer: Sendable {
    /// The answer to a poll: the next position, and the messages, oldest first.
    case subscribed(PubNubCursor, [PubNubMessage])
    /// The answer to a poll from which at least one element was left out, because the element could not be read (rule PN-40).
    case partlyRead(PubNubCursor, [PubNubMessage], unreadable: Int)
    /// A successful answer to a call. The body was checked to be JSON and is otherwise unchanged.
    case other(body: [UInt8])
    /// A failure that the service reports, or an answer that does not follow the protocol.
    case problem(PubNubProblem)
}

/// The limits for the answers that the client reads (rule PN-12).
public enum PubNubLimits {
    /// The maximum number of elements of one subscribe answer. The service's queue holds 100 messages for a subscriber.
    public static let messagesInAnswer = 1_000
    /// The maximum length of an answer in bytes, after decompression.
    public static let answerBytes = 16 << 20
    /// The maximum number of characters that an error contains of the service's text.
    public static let informationLength = 1_000
}

/// Decodes HTTP answers of a PubNub service, on the connection's event loop.
///
/// Each connection has its own decoder. The decoder caches the names of channels, groups and users, so that a repeated name needs no
/// allocation.
public struct PubNubAnswerDecoder: LongPollDecoder {
    private var reader: PubNubSubscribeReader
    /// The last content type that was recognised as JSON. The next answer usually has the same type.
    private var knownType: String?

    /// - Parameter rememberedNames: the maximum number of names of channels, groups and users that are stored.
    public init(rememberedNames: Int = 256) {
        reader = PubNubSubscribeReader(rememberedNames: rememberedNames)
    }

    /// Decodes an answer. An answer to a poll becomes `.subscribed`, `.partlyRead` or `.problem`; an answer to a call becomes `.other` or
    /// `.problem` (rules PN-7 to PN-12).
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
        guard !isPoll else {
            return .problem(.malformed("The service's answer does not have the form of a subscribe answer.", status: head.status))
        }
        return .other(body: Array(body))
    }

    private mutating func isJSON(_ contentType: String?) -> Bool {
        if let contentType, contentType == knownType { return true }
        guard PubNubProblem.isJSON(contentType) else { return false }
        knownType = contentType
        return true
    }
}

/// The reason why an answer to a poll cannot be decoded. Contains no part of the answer, so it is safe to log.
public enum PubNubAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer is not valid JSON. The associated text describes the syntax error.
    case syntax(String)
    case notAnObject
    case missingCursor
    case missingMessages

    public var description: String {
        switch self {
        case .syntax(let text): "The service's answer is not valid JSON: \(text)."
        case .notAnObject: "The service's answer is not a JSON object."
        case .missingCursor: "The service's answer contains no timetoken."
        case .missingMessages: "The service's answer contains no list of messages."
        }
    }
}
