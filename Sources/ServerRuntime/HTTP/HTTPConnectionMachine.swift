import ServerValues

/// The state machine of a server's HTTP connection, a pure value. It decides what is read next, which answer belongs to which request,
/// which time limits have passed, and when the connection ends.
///
/// ```
/// idle ── a plain request ──────────────────────────▶ answered at once, answering, or holding
///  ├───── head ──▶ reading ── end of the body ──────▶ answered at once, answering, or holding
///  └───── handshake ──▶ upgrading ── end of its head ──▶ ended: another handler has the channel
///
/// any of these ── answer ──▶ idle, or after the last answer closing
/// any phase ──── the channel has closed ──▶ ended
/// ```
///
/// ``HTTPConnection`` calls a method for each event, and performs the returned effect. A method returns at most one effect. The machine has
/// no memory on the heap, because it is called for each piece of a body, and each connection with a held request has a machine.
/// `HTTPConnectionTable.swift` in the tests lists all phases and events.
struct HTTPConnectionMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable, CaseIterable {
        case idle
        /// The body is being received.
        case reading
        case upgrading
        /// Other code of the server is making the answer.
        case answering
        /// The request is held open, as a long poll, until there is an answer.
        case holding
        /// The last answer was sent. Bytes that still arrive are dropped, so that the peer can read the answer.
        case closing
        case ended
    }

    /// An action that ``HTTPConnection`` has to perform.
    enum Effect: Hashable, Sendable {
        case sendContinue
        /// Passes the request, whose body is complete, to the service that owns its path.
        case handle
        /// Answers the WebSocket handshake, and replaces this handler by the WebSocket's.
        case upgrade
        /// Answers with an error, and then closes the connection.
        case refuse(Refusal)
        /// Applies time limits of the ``HeldExchange`` that holds the request, such as a long poll.
        case sweepExchange(held: Duration, at: MonotonicInstant)
        /// Makes the ``HeldExchange`` that holds the request answer now, with the content that is available.
        case expireExchange
        case setReading(Bool)
        case close
        /// Closes the socket without waiting for the peer.
        case closeAtOnce
        /// Releases the connection's trace span, held exchange and buffers, and removes the connection from the event loop's list.
        case leave
    }

    /// The reason why the connection itself refuses a request, before a service handles it.
    enum Refusal: Hashable, Sendable {
        case malformed, headTooLarge, tooSlow, noAnswer, bodyTooLarge, tooManyBodies, tooManyLargeBodies, excessiveFraming
    }

    /// How the connection treats received bytes of a body.
    enum BodyVerdict: Hashable, Sendable {
        case append, ignore
        case refuse(Refusal)
    }

    /// When an answer is written to the socket.
    enum Writing: Hashable, Sendable {
        /// The answer is sent at once, directly to the socket if possible.
        case direct
        /// The answer is written now, and flushed together with the other answers of this read.
        case queued
        /// The answer is treated as ``queued``, and the connection closes when it has been sent.
        case queuedThenClose
    }

    var phase = Phase.idle
    /// The number of the current request, so that a late or repeated answer is not sent for another request.
    private(set) var number: UInt32 = 0
    /// The time at which the connection entered its phase, or at which its request began to arrive.
    private(set) var since: MonotonicInstant
    /// The size limit, in bytes, of the body that is being received.
    private(set) var bodyLimit = 0
    /// The number of received bytes of the request's body.
    private(set) var bodyBytes = 0
    /// The number of bytes after the request's head that are not part of its body: chunk sizes and extensions.
    private var framingBytes = 0
    /// The number of pieces in which the head has arrived so far.
    private(set) var pieces: UInt8 = 0
    private(set) var isFirstRequest = true
    private(set) var isLastRequest = false
    /// Whether the request is a HEAD, whose answer has no body.
    private(set) var isToHead = false
    /// Whether the request has been read completely; only then can the connection close right after the answer without the answer being
    /// lost.
    private var isRequestComplete = false
    /// Whether received bytes are being read now, so that answers are flushed together after the read.
    var isInRead = false
    var isReadingPaused = false
    private var needsFlush = false

    /// The largest number of bytes that may wait behind a request that is being answered.
    static let maximumUnreadBytes = 65_536
    /// The largest number of framing bytes of a chunked body is this number, plus `framingBytesPerByte` for each byte of the body.
    static let maximumFramingBytes = 16_384
    static let framingBytesPerByte = 8
    /// The number of pieces up to which a head is parsed in place. Then the library's parser takes over, because it reads each byte only
    /// once.
    static let maximumPieces: UInt8 = 16

    init(at now: MonotonicInstant) {
        since = now
    }

    // MARK: Heads

    /// Handles that the received bytes are only the beginning of a head.
    mutating func gotPiece(at now: MonotonicInstant) -> Step {
        guard pieces < Self.maximumPieces else { return .startParser }
        begin(at: now)
        pieces += 1
        return .stop
    }

    /// Handles a request without a body that was parsed in place.
    mutating func gotPlainRequest(isKeepAlive: Bool, at now: MonotonicInstant) {
        begin(at: now)
        isLastRequest = !isKeepAlive
        isRequestComplete = true
    }

    /// Handles the head of a request that was not answered at once. Next comes a call of ``expectBody(length:limit:awaitsContinue:)`` or
    /// ``expectUpgrade()``, or an answer.
    mutating func gotHead(isLast: Bool = false, isToHead: Bool = false, at now: MonotonicInstant) {
        begin(at: now)
        isLastRequest = isLast
        self.isToHead = isToHead
    }

    /// Prepares for the request's body, which may be empty.
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

    /// Handles that the head is a valid WebSocket handshake.
    mutating func expectUpgrade() {
        if phase == .idle { phase = .upgrading }
    }

    /// Resets the state for a new request; does nothing when an earlier piece of the same request has done so.
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

    /// Counts received bytes of the body, and returns how the connection has to treat them.
    ///
    /// - Parameter hasRoom: whether the required memory is reserved; true if none is required.
    mutating func gotBody(_ count: Int, hasRoom: Bool) -> BodyVerdict {
        guard phase == .reading else { return .ignore }
        guard hasRoom else { return .refuse(.tooManyBodies) }
        guard count <= bodyLimit - bodyBytes else { return .refuse(.bodyTooLarge) }
        bodyBytes += count
        return .append
    }

    /// The connection's state before bytes are passed to the parser, for ``parsed(_:since:)``.
    struct Mark: Hashable, Sendable {
        fileprivate let number: UInt32
        fileprivate let bodyBytes: Int
        fileprivate let isReading: Bool
    }

    var mark: Mark { Mark(number: number, bodyBytes: bodyBytes, isReading: phase == .reading) }

    /// Handles that the parser has read `count` bytes. A body whose chunks have far more framing than content is refused (rule SV-48).
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

    /// Records that the request will be answered later.
    mutating func answerLater() {
        guard phase != .closing, phase != .ended else { return }
        phase = .answering
    }

    /// Records that the request is held open until the connection's ``HeldExchange`` answers it.
    mutating func hold(at now: MonotonicInstant) {
        guard phase != .closing, phase != .ended else { return }
        phase = .holding
        since = now
    }

    /// Whether the request with this number still waits for its answer.
    func isAnswering(_ number: UInt32) -> Bool { phase == .answering && number == self.number }

    /// Records that the next answer is the connection's last one.
    mutating func endAfterAnswer() {
        isLastRequest = true
    }

    /// Records that an answer is sent, and returns how it is written to the socket. Returns nil when the connection's last answer was sent
    /// before; the new answer is then dropped.
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

    /// Records that the socket did not accept all bytes of a directly sent answer, so that the rest has to be flushed.
    mutating func leftRest() {
        needsFlush = true
    }

    /// Returns whether there are answers to flush, and counts them as flushed.
    mutating func takeFlush() -> Bool {
        defer { needsFlush = false }
        return needsFlush
    }
}
