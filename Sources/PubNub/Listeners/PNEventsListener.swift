/// Receives the events of a client. Every method is optional.
///
/// Methods are called on the client's callback queue, in the order of the events; see ``PubNub/addListener(_:)``. Only methods of the class
/// that declares the conformance are called, not methods that a subclass adds. Implement a method in that class, or declare the conformance
/// in the subclass.
public protocol PNEventsListener: AnyObject {
    /// A message was published on a channel that the client is subscribed to.
    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult)
    /// A signal was sent on a channel that the client is subscribed to.
    func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult)
    /// A user added an action to a message, or removed one.
    func client(_ client: PubNub, didReceiveMessageAction action: PNMessageActionResult)
    /// A user joined or left a channel, timed out there, or changed the presence state.
    func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult)
    /// Metadata of a user, a channel or a membership changed.
    func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult)
    /// A user shared a file on a channel.
    func client(_ client: PubNub, didReceiveFileEvent event: PNFileEventResult)
    /// The subscription changed, a message could not be decrypted, or a heartbeat succeeded or failed.
    func client(_ client: PubNub, didReceive status: PNStatus)
    /// Messages may be missing. This method is called before the messages that follow the gap. An addition to the Cocoa SDK.
    func client(_ client: PubNub, mayHaveMissedMessages gap: PNGap)
    /// This machine lost its network, or has a network again. This method is called before the statuses that result from the change. An
    /// addition to the Cocoa SDK.
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

/// The former name of ``PNEventsListener`` in the Cocoa SDK, with the same methods.
public protocol PNObjectEventListener: PNEventsListener {}
