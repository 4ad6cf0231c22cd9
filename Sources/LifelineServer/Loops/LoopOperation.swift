import NIOCore
import RealtimeHub

/// Something that an event loop has to do for its connections, in the order in which it was asked for.
///
/// Subscribing goes the same way as delivering, so that a subscriber gets everything that was published after its confirmation
/// and nothing from before it (rule SV-2).
enum LoopOperation: Sendable {
    /// Hand one encoded frame to all subscribers of a channel on this loop, but to the excluded one.
    case deliver(ChannelID, ByteBuffer, excluding: SocketID?)
    /// Start delivering to a connection, and confirm it.
    case attach(NIOLoopBound<PusherConnection>, ChannelID, confirmation: ByteBuffer)
    /// Stop delivering to a connection.
    case detach(NIOLoopBound<PusherConnection>, ChannelID)
    /// Answer a request whose answer took its time.
    case answer(NIOLoopBound<HTTPConnection>, number: UInt32, HTTPAnswer)
    /// Look after held polls.
    case wake(application: Int, PollWake)
    /// Close the connections of all held polls.
    case disconnectPolls
    /// Something for chat sessions.
    case chat(NexconnOperation)
    /// Hand one encoded frame to connections that are signed in.
    case tell([SocketID], ByteBuffer)
    /// Close connections: all, those of an application, or those of one of its signed-in users.
    case close(PusherFarewell, application: String?, user: String?)
    /// Give connections their application as it is now, or close them when there is none any more.
    case review(@Sendable (_ application: String) -> Result<SharedApplication, PusherFarewell>)
    /// Look at what is held back: some event loop has room again.
    case tryHeld

    /// What an operation counts for beside the bytes that it carries.
    static let overhead = 64

    /// About how much memory it takes while it waits. A frame counts on every loop that it waits for, although they share it.
    var queuedBytes: Int {
        switch self {
        case .deliver(_, let frame, _): frame.readableBytes + Self.overhead
        case .attach(_, _, let confirmation): confirmation.readableBytes + Self.overhead
        case .answer(_, _, let answer): answer.body.count + Self.overhead
        case .wake(_, let wake): (wake.sources.count + wake.changed.count + 1) * Self.overhead
        case .tell(let users, let frame): users.count * MemoryLayout<SocketID>.size + frame.readableBytes + Self.overhead
        case .chat(let operation): operation.queuedBytes + Self.overhead
        case .detach, .disconnectPolls, .close, .review: Self.overhead
        // At most one waits, and what it looks for is room.
        case .tryHeld: 0
        }
    }
}

extension NexconnOperation {
    /// As ``LoopOperation/queuedBytes``, without the part that all have.
    fileprivate var queuedBytes: Int {
        switch self {
        case .push(let push): push.targets.count * MemoryLayout<NexconnPush.Target>.size + push.body.readableBytes
        case .tell(let frame, let connections): connections.count * 16 + frame.readableBytes
        case .room(_, let frame, _), .answer(_, let frame): frame.readableBytes
        case .page(_, let page): page?.reduce(0) { $0 + $1.body.count } ?? 0
        case .seat, .unseat, .admit, .end, .drain: 0
        }
    }
}
