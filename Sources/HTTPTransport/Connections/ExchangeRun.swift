import ConnectionEngine
import NIOCore
import NIOHTTP1

/// The owner of an exchange. Used on one event loop.
protocol ExchangeOwner: AnyObject {
    /// The request is being written.
    func began(_ run: ExchangeRun)
    /// Bytes came that are not yet an answer.
    func heard(_ run: ExchangeRun)
    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer)
    /// - Parameter error: a `ConnectionFailure` when no connection was to be had.
    func failed(_ run: ExchangeRun, error: any Error)
}

/// Where an exchange is: among those that wait for a connection, or on one.
protocol ExchangePlace: AnyObject {
    /// No caller waits for the answer any more.
    func abandoned(_ run: ExchangeRun)
}

/// One attempt to get an exchange answered: the request in progress and the answer so far. On one event loop.
final class ExchangeRun {
    let exchange: HTTPExchange
    let head: HTTPRequestHead
    let isPoll: Bool
    /// Whether this is the second try, which has to have a connection of its own (rule HT-11).
    let isRepetition: Bool
    private let bodyLimit: Int
    private let answerTimeout: Duration
    /// Nil once the exchange was answered, has failed or was cancelled.
    private var owner: (any ExchangeOwner)?
    private var place: (any ExchangePlace)?

    /// The connection that the request was written to.
    var connection: PooledConnection? { place as? PooledConnection }
    private(set) var beganAt: NIODeadline?
    private(set) var isReused = false
    /// When the first byte came after the request was written.
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

    /// What happens to an exchange whose answer is not complete in time.
    enum Expiry {
        /// No answer came.
        case unanswered
        /// An answer began, and did not end (rule HT-29).
        case unfinished
    }

    /// When the patience with this exchange ends, and how; nil as long as nothing was sent.
    var expiry: (at: NIODeadline, how: Expiry)? {
        guard let beganAt else { return nil }
        let end = beganAt + TimeAmount(exchange.timeout)
        guard let limit = heardAt.map({ $0 + TimeAmount(answerTimeout) }), limit < end else { return (end, .unanswered) }
        return (limit, .unfinished)
    }

    /// Whether any byte came after the request was written.
    var hasHeard: Bool { heardAt != nil }

    /// Whether no caller waits for the answer any more.
    var isOver: Bool { owner == nil }

    /// Whether a kept connection broke so soon, and before any byte of an answer, that the server must have closed it before; and the
    /// request is one that may be asked again (rule HT-11).
    func isStale(within window: Duration) -> Bool {
        guard let beganAt, isReused, !hasHeard, !isRepetition, ["GET", "HEAD"].contains(exchange.method) else { return false }
        return NIODeadline.now() - beganAt < TimeAmount(window)
    }

    /// Remembers where the exchange waits, so that it can be taken away again.
    func waits(at place: any ExchangePlace) { self.place = place }

    /// A connection is about to write the request. False when nobody wants the answer any more.
    func begin(on connection: any ExchangePlace, isReused: Bool) -> Bool {
        guard let owner else { return false }
        place = connection
        self.isReused = isReused
        beganAt = .now()
        owner.began(self)
        return true
    }

    /// Bytes came, perhaps not enough for a part of an answer.
    func heardBytes() {
        if heardAt == nil { heardAt = .now() }
    }

    /// Bytes came, but no answer yet.
    func heard() {
        owner?.heard(self)
    }

    /// Ends the exchange. Its connection is closed, and nothing more is reported about it.
    func giveUp() {
        let place = take()?.place
        place?.abandoned(self)
    }

    func received(_ head: HTTPResponseHead) throws(ExchangeFault) {
        // The request did not ask for another protocol.
        if head.status == .switchingProtocols { throw .unexpected }
        answer = head
        // The length in the answer to HEAD is that of another answer.
        if exchange.method != "HEAD", let announced = head.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            announced > bodyLimit
        {
            throw .tooLong
        }
    }

    func received(_ part: ByteBuffer) throws(ExchangeFault) {
        var part = part
        if body.readableBytes + part.readableBytes > bodyLimit { throw .tooLong }
        // An answer that came in one piece is never copied.
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
