/// Receives the events of a client. Every method is optional.
///
/// Methods are called on the client's callback queue, in the order of the events; see ``PubNub/addListener(_:)``. Only methods that the
/// conforming class itself implements are called, not those that a subclass adds, so implement a method there, or declare the
/// conformance in the subclass.
public protocol PNEventsListener: AnyObject {
    /// A message was published on a channel that the client is subscribed to.
    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult)
    /// A signal was sent.
    func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult)
    /// An action was added to a message, or removed from it.
    func client(_ client: PubNub, didReceiveMessageAction action: PNMessageActionResult)
    /// A user joined, left, timed out or changed state.
    func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult)
    /// Metadata of a user, a channel or a membership changed.
    func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult)
    /// A file was shared.
    func client(_ client: PubNub, didReceiveFileEvent event: PNFileEventResult)
    /// The subscription changed, a message could not be decrypted, or a heartbeat ended.
    func client(_ client: PubNub, didReceive status: PNStatus)
    /// Messages may be missing. Called before the messages that follow the gap. An addition to the Cocoa SDK.
    func client(_ client: PubNub, mayHaveMissedMessages gap: PNGap)
    /// This machine lost its network, or has one again. Called before the statuses that result from it. An addition to the Cocoa SDK.
    func client(_ client: PubNub, didReceiveNetworkStatus status: PNNetworkStatus)
}

extension PNEventsListener {
    public func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {}
    public func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult) {}
    public func client(_ client: PubNub, didReceiveMessageAction action: PNMessageActionResult) {}
    public func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {}
    public func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult) {}
    public func client(_ client: PubNub, didReceiveFileEvent event: PNFileEventResult) {}
    public func client(_ client: PubNub, didReceive status: PNStatus) {}
    public func client(_ client: PubNub, mayHaveMissedMessages gap: PNGap) {}
    public func client(_ client: PubNub, didReceiveNetworkStatus status: PNNetworkStatus) {}
}

/// The former name of ``PNEventsListener``, with the same methods.
public protocol PNObjectEventListener: PNEventsListener {}
