import ConnectionEngine
import NIOCore
import NIOHTTP1

/// The owner of an exchange. Used on one event loop.
protocol ExchangeOwner: AnyObject {
    /// The request is being written.
    func began(_ run: ExchangeRun)
    /// Bytes arrived that are not a complete answer yet.
    func heard(_ run: ExchangeRun)
    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer)
    /// - Parameter error: a `ConnectionFailure` when no connection was to be had.
    func failed(_ run: ExchangeRun, error: any Error)
}

/// The place of an exchange: the queue of those that wait for a connection, or a connection.
protocol ExchangePlace: AnyObject {
    /// No caller waits for the answer any more.
    func abandoned(_ run: ExchangeRun)
}

/// One try to get an exchange answered: the request in progress and the answer so far. On one event loop.
final class ExchangeRun {
    let exchange: HTTPExchange
    let head: HTTPRequestHead
    let isPoll: Bool
    /// Whether this is the second try, which needs a new connection (rule HT-11).
    let isRepetition: Bool
    private let bodyLimit: Int
    private let answerTimeout: Duration
    /// The owner; nil once the exchange was answered, has failed or was cancelled.
    private var owner: (any ExchangeOwner)?
    private var place: (any ExchangePlace)?

    /// The connection that the request was written to.
    var connection: PooledConnection? { place as? PooledConnection }
    private(set) var beganAt: NIODeadline?
    private(set) var isReused = false
    /// When the first byte arrived after the request was written.
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

    /// The kind of failure of an exchange whose answer is not complete in time.
    enum Expiry {
        /// No byte of an answer arrived.
        case unanswered
        /// An answer began, and did not end in time (rule HT-29).
        case unfinished
    }

    /// When the time limit of this exchange ends, and with which failure; nil as long as no byte was sent.
    var expiry: (at: NIODeadline, how: Expiry)? {
        guard let beganAt else { return nil }
        let end = beganAt + TimeAmount(exchange.timeout)
        guard let limit = heardAt.map({ $0 + TimeAmount(answerTimeout) }), limit < end else { return (end, .unanswered) }
        return (limit, .unfinished)
    }

    /// Whether any byte arrived after the request was written.
    var hasHeard: Bool { heardAt != nil }

    /// Whether no caller waits for the answer any more.
    var isOver: Bool { owner == nil }

    /// Whether a kept connection ended so soon, before any byte of an answer, that the server must have closed it before, and the
    /// request is one that may be repeated (rule HT-11).
    func isStale(within window: Duration) -> Bool {
        guard let beganAt, isReused, !hasHeard, !isRepetition, ["GET", "HEAD"].contains(exchange.method) else { return false }
        return NIODeadline.now() - beganAt < TimeAmount(window)
    }

    /// Stores the place where the exchange waits, so that it can be removed from there.
    func waits(at place: any ExchangePlace) { self.place = place }

    /// A connection is about to write the request. False when no caller waits for the answer any more.
    func begin(on connection: any ExchangePlace, isReused: Bool) -> Bool {
        guard let owner else { return false }
        place = connection
        self.isReused = isReused
        beganAt = .now()
        owner.began(self)
        return true
    }

    /// Bytes arrived, perhaps not enough for a part of an answer.
    func heardBytes() {
        if heardAt == nil { heardAt = .now() }
    }

    /// Bytes arrived, but no answer yet.
    func heard() {
        owner?.heard(self)
    }

    /// Ends the exchange. Its connection is closed, and the exchange is not reported any more.
    func giveUp() {
        let place = take()?.place
        place?.abandoned(self)
    }

    func received(_ head: HTTPResponseHead) throws(ExchangeFault) {
        // The request did not request another protocol.
        if head.status == .switchingProtocols { throw .unexpected }
        answer = head
        // The length in the answer to HEAD is that of the answer to GET.
        if exchange.method != "HEAD", let announced = head.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            announced > bodyLimit
        {
            throw .tooLong
        }
    }

    func received(_ part: ByteBuffer) throws(ExchangeFault) {
        var part = part
        if body.readableBytes + part.readableBytes > bodyLimit { throw .tooLong }
        // An answer that arrived in one piece is never copied.
        if body.readableBytes == 0 { body = part } else { body.writeBuffer(&part) }
    }

    /// The answer is complete.
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
