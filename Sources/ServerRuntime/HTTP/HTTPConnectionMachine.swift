import ServerValues

/// The life of a server's HTTP connection as a pure value: what is read next, which answer belongs to which request, what has lasted
/// too long, and when the connection ends.
///
///     idle ── a plain request ──────────────────────────▶ answered at once, answering, or holding
///      ├───── head ──▶ reading ── end of the body ──────▶ answered at once, answering, or holding
///      └───── handshake ──▶ upgrading ── end of its head ──▶ ended: another handler has the channel
///
///     any of these ── answer ──▶ idle, or after the last answer closing
///     any phase ──── the channel has closed ──▶ ended
///
/// ``HTTPConnection`` reports with these methods what happens, and performs their effects. A method has one effect at most, and the
/// machine has nothing on the heap, because each piece of a body passes through it and each held request has one. The table of all
/// phases and events is `HTTPConnectionTable.swift` of the tests.
struct HTTPConnectionMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable, CaseIterable {
        case idle
        /// The body is being received.
        case reading
        case upgrading
        /// The answer is being made by other code.
        case answering
        /// The request is held until there is an answer.
        case holding
        /// The last answer was sent. Bytes that still arrive are dropped, so that the peer can read the answer.
        case closing
        case ended
    }

    /// An effect for the owner.
    enum Effect: Hashable, Sendable {
        case sendContinue
        /// Hands the request, whose body is complete, to the front of its path.
        case handle
        /// Answers the handshake and hands the channel over.
        case upgrade
        /// Answers with an error and closes the connection after it.
        case refuse(Refusal)
        /// Applies the time limits of the exchange that holds the request.
        case sweepExchange(held: Duration, at: MonotonicInstant)
        /// Lets the exchange answer with the available content.
        case expireExchange
        case setReading(Bool)
        case close
        /// Closes the socket without waiting for the peer.
        case closeAtOnce
        /// Releases what the connection has outside of itself.
        case leave
    }

    /// Why a request is refused by the connection itself.
    enum Refusal: Hashable, Sendable {
        case malformed, headTooLarge, tooSlow, noAnswer, bodyTooLarge, tooManyBodies, tooManyLargeBodies, excessiveFraming
    }

    /// What becomes of received bytes of a body.
    enum BodyVerdict: Hashable, Sendable {
        case append, ignore
        case refuse(Refusal)
    }

    /// How an answer is written.
    enum Writing: Hashable, Sendable {
        /// At once, and to the socket itself if possible.
        case direct
        /// With the other answers of this read, before the next flush.
        case queued
        /// As ``queued``; the connection closes when it is sent.
        case queuedThenClose
    }

    var phase = Phase.idle
    /// Numbers the requests, so that a late or repeated answer is not sent for another request.
    private(set) var number: UInt32 = 0
    /// The time since which the connection has been in its phase, or its request has been arriving.
    private(set) var since: MonotonicInstant
    /// The size limit of the body that is being received.
    private(set) var bodyLimit = 0
    /// The number of received bytes of the body.
    private(set) var bodyBytes = 0
    /// Bytes of the request behind its head that are not part of its body: chunk sizes and extensions.
    private var framingBytes = 0
    /// The number of pieces in which the head has arrived so far.
    private(set) var pieces: UInt8 = 0
    private(set) var isFirstRequest = true
    private(set) var isLastRequest = false
    /// Whether the request is a HEAD, whose answer has no body.
    private(set) var isToHead = false
    /// Whether the request has been read completely, so that closing cannot cut the answer off.
    private var isRequestComplete = false
    /// Whether received bytes are being read, so that answers are sent together afterwards.
    var isInRead = false
    var isReadingPaused = false
    private var needsFlush = false

    /// The largest number of bytes that may wait behind a request that is being answered.
    static let maximumUnreadBytes = 65_536
    /// The largest number of framing bytes of a chunked body, plus `framingBytesPerByte` for each byte of the body.
    static let maximumFramingBytes = 16_384
    static let framingBytesPerByte = 8
    /// A head in more pieces than this is passed to the parser, which reads each byte once.
    static let maximumPieces: UInt8 = 16

    init(at now: MonotonicInstant) {
        since = now
    }

    // MARK: Heads

    /// The bytes that have arrived are the beginning of a head, and not all of it.
    mutating func gotPiece(at now: MonotonicInstant) -> Step {
        guard pieces < Self.maximumPieces else { return .startParser }
        begin(at: now)
        pieces += 1
        return .stop
    }

    /// A request without a body that was read in place.
    mutating func gotPlainRequest(isKeepAlive: Bool, at now: MonotonicInstant) {
        begin(at: now)
        isLastRequest = !isKeepAlive
        isRequestComplete = true
    }

    /// The head of a request that the parser or the connection has read; what follows is one of the next three methods, or an answer.
    mutating func gotHead(isLast: Bool = false, isToHead: Bool = false, at now: MonotonicInstant) {
        begin(at: now)
        isLastRequest = isLast
        self.isToHead = isToHead
    }

    /// A body may follow.
    ///
    /// - Parameters:
    ///   - length: the length that the head announces; nil when it announces none.
    ///   - awaitsContinue: whether the client sends the body only after `100 Continue`.
    mutating func expectBody(length: Int?, limit: Int, awaitsContinue: Bool) -> Effect? {
        guard phase == .idle else { return nil }
        phase = .reading
        bodyLimit = limit
        if let length, length > limit { return .refuse(.bodyTooLarge) }
        return awaitsContinue ? .sendContinue : nil
    }

    /// The head is a valid handshake.
    mutating func expectUpgrade() {
        if phase == .idle { phase = .upgrading }
    }

    /// Starts the state of a new request; does nothing when an earlier piece of the same request has done so.
    private mutating func begin(at now: MonotonicInstant) {
        guard pieces == 0 else { return }
        since = now
        isFirstRequest = false
        isLastRequest = false
        isToHead = false
        isRequestComplete = false
        framingBytes = 0
    }

    // MARK: Bodies

    /// Bytes of the body have arrived.
    ///
    /// - Parameter hasRoom: whether memory is reserved for them, as far as small bodies need a reservation.
    mutating func gotBody(_ count: Int, hasRoom: Bool) -> BodyVerdict {
        guard phase == .reading else { return .ignore }
        guard hasRoom else { return .refuse(.tooManyBodies) }
        guard count <= bodyLimit - bodyBytes else { return .refuse(.bodyTooLarge) }
        bodyBytes += count
        return .append
    }

    /// The point of the connection before bytes are given to the parser; see ``parsed(_:since:)``.
    struct Mark: Hashable, Sendable {
        fileprivate let number: UInt32
        fileprivate let bodyBytes: Int
        fileprivate let isReading: Bool
    }

    var mark: Mark { Mark(number: number, bodyBytes: bodyBytes, isReading: phase == .reading) }

    /// The parser has read this number of bytes. A body whose chunks have far more framing than content is refused (rule SV-48).
    mutating func parsed(_ count: Int, since mark: Mark) -> Effect? {
        guard mark.isReading, phase == .reading, number == mark.number else { return nil }
        framingBytes += count - (bodyBytes - mark.bodyBytes)
        guard framingBytes > Self.maximumFramingBytes + Self.framingBytesPerByte * bodyBytes else { return nil }
        return .refuse(.excessiveFraming)
    }

    /// The parser has read the end of the request.
    mutating func gotEnd() -> Effect? {
        switch phase {
        case .upgrading: return .upgrade
        case .reading:
            isRequestComplete = true
            return .handle
        case .idle, .answering, .holding, .closing, .ended: return nil
        }
    }

    // MARK: Answers

    /// The answer to the request will come later.
    mutating func answerLater() {
        guard phase != .closing, phase != .ended else { return }
        phase = .answering
    }

    /// The request is held until its exchange has an answer.
    mutating func hold(at now: MonotonicInstant) {
        guard phase != .closing, phase != .ended else { return }
        phase = .holding
        since = now
    }

    /// Whether the request with this number still waits for its answer.
    func isAnswering(_ number: UInt32) -> Bool { phase == .answering && number == self.number }

    /// The next answer is the last one.
    mutating func endAfterAnswer() {
        isLastRequest = true
    }

    /// An answer is sent; nil when it is dropped, because the last one was sent before.
    mutating func answered(isLast: Bool, at now: MonotonicInstant) -> Writing? {
        guard phase != .closing, phase != .ended else { return nil }
        number &+= 1
        pieces = 0
        bodyBytes = 0
        since = now
        phase = isLast ? .closing : .idle
        if !isLast, !isInRead, !needsFlush { return .direct }
        needsFlush = true
        return isLast && isRequestComplete ? .queuedThenClose : .queued
    }

    /// The socket did not take all of an answer that was sent directly.
    mutating func leftRest() {
        needsFlush = true
    }

    /// Whether there are answers to flush. They count as flushed from now on.
    mutating func takeFlush() -> Bool {
        defer { needsFlush = false }
        return needsFlush
    }
}
