import AsyncHTTPClient
import ConnectionEngine
import NIOCore
import NIOHTTP1

/// Whoever made an exchange. On one event loop.
protocol ExchangeOwner: AnyObject {
    /// The request is being written.
    func began(_ run: ExchangeRun)
    /// Bytes came that are not yet an answer.
    func heard(_ run: ExchangeRun)
    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer)
    func failed(_ run: ExchangeRun, error: any Error)
}

/// One try to get an exchange answered: the request on its way and its answer so far. On one event loop.
final class ExchangeRun {
    let exchange: HTTPExchange
    let isPoll: Bool
    /// Whether this is the second try, which has to have a connection of its own (rule HT-11).
    let isRepetition: Bool
    /// How many connections turned out to be closed before this one.
    let tries: Int
    private let bodyLimit: Int
    private let answerTimeout: Duration
    /// Gone once the exchange is answered, failed or given up.
    private var owner: (any ExchangeOwner)?

    var number: UInt64 = 0
    var task: HTTPClient.Task<Void>?
    /// The connection that the request was written to.
    private(set) weak var connection: ExchangeHandler?
    private(set) var beganAt: NIODeadline?
    private(set) var isReused = false
    /// Whether a connection was closed instead of taking the request.
    private var wasRefused = false
    /// When the first byte came after the request was written.
    private var heardAt: NIODeadline?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(
        _ exchange: HTTPExchange, isPoll: Bool, isRepetition: Bool, tries: Int, bodyLimit: Int, answerTimeout: Duration,
        owner: any ExchangeOwner
    ) {
        self.exchange = exchange
        self.isPoll = isPoll
        self.isRepetition = isRepetition
        self.tries = tries
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

    /// Bytes came, perhaps not enough for a part of an answer.
    func heardBytes() {
        if heardAt == nil { heardAt = .now() }
    }

    /// A connection is about to write the request. False when it must not.
    func begin(on connection: ExchangeHandler, isReused: Bool) -> Bool {
        guard let owner, !(isRepetition && isReused) else {
            wasRefused = true
            return false
        }
        self.connection = connection
        self.isReused = isReused
        beganAt = .now()
        owner.began(self)
        return true
    }

    /// Whether `error` says that no byte of the request was written because its connection was closed already.
    func wasLeftUnwritten(_ error: any Error) -> Bool {
        if beganAt != nil { return false }
        if wasRefused { return true }
        if case .ioOnClosedChannel? = error as? ChannelError { return true }
        return false
    }

    /// Bytes came, but no answer yet.
    func heard() {
        owner?.heard(self)
    }

    /// Ends the exchange. Its connection is closed and nothing is heard of it again.
    func giveUp() {
        owner = nil
        task?.cancel()
        task = nil
    }

    fileprivate func received(_ head: HTTPResponseHead) throws {
        self.head = head
        if let announced = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), announced > bodyLimit {
            throw TooLong()
        }
    }

    fileprivate func received(_ part: ByteBuffer) throws {
        var part = part
        if body.readableBytes + part.readableBytes > bodyLimit { throw TooLong() }
        // An answer that came in one piece is never copied.
        if body.readableBytes == 0 { body = part } else { body.writeBuffer(&part) }
    }

    fileprivate func finished() {
        guard let head, let owner else { return }
        self.owner = nil
        task = nil
        owner.answered(self, head: head, body: body)
    }

    func failed(_ error: any Error) {
        guard let owner else { return }
        self.owner = nil
        task = nil
        owner.failed(self, error: error)
    }

    /// The answer is longer than is taken.
    struct TooLong: Error {}
}

/// Hands what the HTTP library reports to an ``ExchangeRun``.
final class ExchangeDelegate: HTTPClientResponseDelegate {
    private let run: NIOLoopBound<ExchangeRun>

    init(_ run: NIOLoopBound<ExchangeRun>) {
        self.run = run
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        outcome(task) { try run.value.received(head) }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        outcome(task) { try run.value.received(part) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        run.value.finished()
    }

    private func outcome(_ task: HTTPClient.Task<Void>, _ body: () throws -> Void) -> EventLoopFuture<Void> {
        do {
            try body()
            return task.eventLoop.makeSucceededVoidFuture()
        } catch {
            return task.eventLoop.makeFailedFuture(error)
        }
    }
}
