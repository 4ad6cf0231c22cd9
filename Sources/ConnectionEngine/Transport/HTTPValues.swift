/// The base address of a long-poll session's requests.
public struct HTTPEndpoint: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    public var port: Int
    public var usesTLS: Bool

    public init(host: String, port: Int, usesTLS: Bool) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
    }
}

/// One request of a long-poll session.
public struct HTTPExchange: Hashable, Sendable {
    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The session's number of the request, which the answer has as well.
    public var id: UInt64
    public var method: String
    /// Path and query, percent-encoded, starting with `/`.
    public var target: String
    public var headers: [Header]
    public var body: [UInt8]
    /// The time limit from the first sent byte to the last received byte, on the monotonic clock.
    public var timeout: Duration

    public init(
        id: UInt64, method: String = "GET", target: String, headers: [Header] = [], body: [UInt8] = [], timeout: Duration
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// A request of a long-poll session.
public enum LongPollOutbound: Hashable, Sendable {
    /// The only outstanding poll; replaces the previous one, whose connection is closed at once and which is not reported any more.
    case poll(HTTPExchange)
    /// Repeats the outstanding poll on a new connection; otherwise like `poll`. Ignored when a byte of the outstanding answer, or all
    /// of it, has arrived: that answer keeps its number.
    case renewPoll(HTTPExchange)
    /// Ends the outstanding poll without replacing it.
    case cancelPoll
    /// Any other request, on other connections. Several may be in progress.
    case call(HTTPExchange)
}

/// The decoded result of one request.
public struct LongPollInbound<Answer: Sendable>: Sendable {
    /// The number of the request.
    public var id: UInt64
    /// The decoded answer, or the cause of a missing one. An HTTP error status is an answer here.
    public var result: Result<Answer, ConnectionFailure>

    public init(id: UInt64, result: Result<Answer, ConnectionFailure>) {
        self.id = id
        self.result = result
    }
}

/// Head of an answer.
public struct HTTPAnswerHead: Hashable, Sendable {
    public var status: Int
    /// The value of `Content-Type`; nil when there is none.
    public var contentType: String?
    /// The parsed `Retry-After`.
    public var retryAfter: Duration?

    public init(status: Int, contentType: String?, retryAfter: Duration?) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
    }
}

/// Decodes answers into a session's own values, in place, on the connection's event loop and outside of the engine's lock.
///
/// The bytes are valid during the call only and may be invalid data, because captive portals answer too.
public protocol LongPollDecoder: Sendable {
    associatedtype Answer: Sendable

    /// - Parameter isPoll: whether the answer is that of a poll; otherwise it is that of a call.
    mutating func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> Answer
}

/// A session over long-poll. `opened` is called at once; its first request opens the connection.
public protocol LongPollSession: ProtocolSession
where Endpoint == HTTPEndpoint, Outbound == LongPollOutbound, Inbound == LongPollInbound<Decoder.Answer> {
    associatedtype Decoder: LongPollDecoder
}
