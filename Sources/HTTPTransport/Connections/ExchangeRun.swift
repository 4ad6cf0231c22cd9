import ConnectionEngine
import NIOCore
import NIOHTTP1

/// The object that started an exchange (a request with its answer) and receives the outcome. Used on one event loop.
protocol ExchangeOwner: AnyObject {
    /// Reports that the request is being written to a connection.
    func began(_ run: ExchangeRun)
    /// Reports that bytes of an answer have arrived, while the answer is not complete yet.
    func heard(_ run: ExchangeRun)
    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer)
    /// Reports a failed exchange.
    ///
    /// - Parameter error: a `ConnectionFailure` if no connection could be opened.
    func failed(_ run: ExchangeRun, error: any Error)
}

/// The object that holds an exchange: the queue of exchanges that wait for a connection, or a connection.
protocol ExchangePlace: AnyObject {
    /// Reports that the exchange was cancelled, so its answer is not needed.
    func abandoned(_ run: ExchangeRun)
}

/// One attempt of an exchange: its request, and the answer as far as it has arrived. Used on one event loop.
final class ExchangeRun {
    let exchange: HTTPExchange
    let head: HTTPRequestHead
    let isPoll: Bool
    /// Whether this is the second attempt, which needs a new connection (rule HT-11).
    let isRepetition: Bool
    private let bodyLimit: Int
    private let answerTimeout: Duration
    /// The receiver of the outcome; nil once the exchange was answered, has failed or was cancelled.
    private var owner: (any ExchangeOwner)?
    private var place: (any ExchangePlace)?

    /// The connection to which the request was written; nil while the exchange waits.
    var connection: PooledConnection? { place as? PooledConnection }
    private(set) var beganAt: NIODeadline?
    private(set) var isReused = false
    /// The time of the first byte that arrived after the request was written; nil before that.
    private var heardAt: NIODeadline?
    private var answer: HTTPResponseHead?
    private var body = ByteBuffer()

    init(
        _ exchange: HTTPExchange, head: HTTPRequestHead, isPoll: Bool, isRepetition: Bool, bodyLimit: Int,
        answerTimeout: Duration, owner: any ExchangeOwner
    ) {
        self.exchange = exchange
        self.head = head
        self.isPoll = isPoll
        self.isRepetition = isRepetition
        self.bodyLimit = bodyLimit
        self.answerTimeout = answerTimeout
        self.owner = owner
    }

    /// The kinds of timeouts of an exchange.
    enum Expiry {
        /// No byte of an answer has arrived.
        case unanswered
        /// The answer has begun and is not complete (rule HT-29).
        case unfinished
    }

    /// The deadline of this exchange, and the kind of timeout at that time; nil until the request is written.
    var expiry: (at: NIODeadline, how: Expiry)? {
        guard let beganAt else { return nil }
        let end = beganAt + TimeAmount(exchange.timeout)
        guard let limit = heardAt.map({ $0 + TimeAmount(answerTimeout) }), limit < end else { return (end, .unanswered) }
        return (limit, .unfinished)
    }

    /// Whether any byte has arrived since the request was written.
    var hasHeard: Bool { heardAt != nil }

    /// Whether the exchange has ended, so that its request must not be sent any more.
    var isOver: Bool { owner == nil }

    /// Whether the exchange may be repeated on a new connection (rule HT-11): a reused connection ended within `window` without any byte of
    /// an answer, so the server must have closed it before the request. Only the first attempt of a GET or HEAD is repeated.
    func isStale(within window: Duration) -> Bool {
        guard let beganAt, isReused, !hasHeard, !isRepetition, ["GET", "HEAD"].contains(exchange.method) else { return false }
        return NIODeadline.now() - beganAt < TimeAmount(window)
    }

    /// Stores the queue in which the exchange waits, so that a cancelled exchange can be removed from it.
    func waits(at place: any ExchangePlace) { self.place = place }

    /// Records that a connection is about to write the request. Returns false if the exchange was cancelled.
    func begin(on connection: any ExchangePlace, isReused: Bool) -> Bool {
        guard let owner else { return false }
        place = connection
        self.isReused = isReused
        beganAt = .now()
        owner.began(self)
        return true
    }

    /// Records when the first bytes arrived after the request was written, even if they are too few for the HTTP parser to report.
    func heardBytes() {
        if heardAt == nil { heardAt = .now() }
    }

    /// Reports to the owner that bytes of an incomplete answer have arrived.
    func heard() {
        owner?.heard(self)
    }

    /// Cancels the exchange: its connection is closed, and no outcome is reported.
    func giveUp() {
        let place = take()?.place
        place?.abandoned(self)
    }

    func received(_ head: HTTPResponseHead) throws(ExchangeFault) {
        // Status 101 is an error, because the request did not ask for another protocol.
        if head.status == .switchingProtocols { throw .unexpected }
        answer = head
        // The `Content-Length` in the answer to HEAD is the length of the body that GET would return.
        if exchange.method != "HEAD", let announced = head.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            announced > bodyLimit
        {
            throw .tooLong
        }
    }

    func received(_ part: ByteBuffer) throws(ExchangeFault) {
        var part = part
        if body.readableBytes + part.readableBytes > bodyLimit { throw .tooLong }
        // A body that arrives in one piece is not copied.
        if body.readableBytes == 0 { body = part } else { body.writeBuffer(&part) }
    }

    /// Reports the complete answer to the owner.
    func finished() {
        guard let answer, let owner = take()?.owner else { return }
        owner.answered(self, head: answer, body: body)
    }

    func failed(_ error: any Error) {
        take()?.owner.failed(self, error: error)
    }

    private func take() -> (owner: any ExchangeOwner, place: (any ExchangePlace)?)? {
        guard let owner else { return nil }
        defer { (self.owner, place) = (nil, nil) }
        return (owner, place)
    }
}
