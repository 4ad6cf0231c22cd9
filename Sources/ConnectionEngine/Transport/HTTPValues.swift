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

    /// The number that the session chose for the request; its answer has the same number.
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
    /// Sends a poll. At most one poll is outstanding: the connection of the previous poll is closed at once, and its answer is not
    /// reported.
    case poll(HTTPExchange)
    /// Sends the outstanding poll again on a new connection, because its present connection is silent. Has no effect when at least one byte
    /// of the answer to the outstanding poll has arrived; that answer is reported with the number of the outstanding poll.
    case renewPoll(HTTPExchange)
    /// Ends the outstanding poll. No new poll is sent.
    case cancelPoll
    /// Sends a request that is not a poll. It does not use the connection of the poll. Several such requests may be in progress.
    case call(HTTPExchange)
}

/// The decoded result of one request.
public struct LongPollInbound<Answer: Sendable>: Sendable {
    /// The number of the request, from ``HTTPExchange/id``.
    public var id: UInt64
    /// The decoded answer, or the reason why there is none. An answer with an HTTP error status counts as an answer.
    public var result: Result<Answer, ConnectionFailure>

    public init(id: UInt64, result: Result<Answer, ConnectionFailure>) {
        self.id = id
        self.result = result
    }
}

/// Status and headers of an HTTP answer.
public struct HTTPAnswerHead: Hashable, Sendable {
    public var status: Int
    /// The value of the header `Content-Type`; nil when there is none.
    public var contentType: String?
    /// The parsed `Retry-After`.
    public var retryAfter: Duration?

    public init(status: Int, contentType: String?, retryAfter: Duration?) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
    }
}

/// Decodes HTTP answers into a session's own values, in place, on the connection's event loop and outside of the engine's lock.
///
/// The bytes are valid during the call only. They may be of any format, because captive portals answer as well.
public protocol LongPollDecoder: Sendable {
    associatedtype Answer: Sendable

    /// Decodes one answer.
    ///
    /// - Parameter isPoll: true for the answer to a poll, false for the answer to a call.
    mutating func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> Answer
}

/// A session over HTTP long-poll. `opened` is called at once, before there is a connection; the session's first request opens the
/// connection.
public protocol LongPollSession: ProtocolSession
where Endpoint == HTTPEndpoint, Outbound == LongPollOutbound, Inbound == LongPollInbound<Decoder.Answer> {
    associatedtype Decoder: LongPollDecoder
}
