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
}
