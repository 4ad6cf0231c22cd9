import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

#if canImport(ObjectiveC)
    /// Gets events of the connection and its subscriptions. Every method is optional.
    @objc public protocol PusherDelegate: AnyObject {
        @objc optional func debugLog(message: String)
        @objc optional func changedConnectionState(from old: ConnectionState, to new: ConnectionState)
        /// Called for a change of state when `changedConnectionState(from:to:)` is not implemented. PusherSwift's README shows this
        /// selector, `changedConnectionState:to:`, for Objective-C, but PusherSwift itself never calls it.
        @objc optional func changedConnectionState(_ old: ConnectionState, to new: ConnectionState)
        @objc optional func subscribedToChannel(name: String)
        @objc optional func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?)
        @objc optional func failedToDecryptEvent(eventName: String, channelName: String, data: String?)
        @objc(receivedError:) optional func receivedError(error: PusherError)
        @objc optional func signedIn(userId: String, userData: String)
        @objc optional func failedToSignIn(response: URLResponse?, data: String?, error: NSError?)
    }
#else
    /// Gets events of the connection and its subscriptions. Every method is optional.
    ///
    /// All methods are called on the connection's callback queue, in the order of the events (rule PA-7).
    public protocol PusherDelegate: AnyObject {
        /// A line of the log was written. Lines contain frames, so disable the log where payloads must not be visible.
        func debugLog(message: String)
        /// The connection has changed its state. `old` and `new` always differ.
        func changedConnectionState(from old: ConnectionState, to new: ConnectionState)
        /// The server confirmed a subscription, for the first time or after a reconnect.
        func subscribedToChannel(name: String)
        /// A subscription failed.
        ///
        /// - Parameters:
        ///   - name: the channel's name.
        ///   - response: the authorisation endpoint's answer; nil if there was none.
        ///   - data: the first KiB of the answer's body.
        ///   - error: the failure, with the domain `com.pusher.PusherSwift`; its code is the close code or HTTP status, or 0.
        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?)
        /// An event of an encrypted channel could not be decrypted, even with a newly requested key. The event is skipped.
        func failedToDecryptEvent(eventName: String, channelName: String, data: String?)
        /// The server sent `pusher:error`, or a call could not be carried out.
        func receivedError(error: PusherError)
        /// The server confirmed the sign-in of a user, for the first time or after a reconnect. An addition to PusherSwift 10.1.
        func signedIn(userId: String, userData: String)
        /// A user could not be signed in. The parameters have the same meaning as for a failed subscription. An addition to PusherSwift
        /// 10.1.
        func failedToSignIn(response: URLResponse?, data: String?, error: NSError?)
    }

    extension PusherDelegate {
        public func debugLog(message: String) {}
        public func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {}
        public func subscribedToChannel(name: String) {}
        public func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {}
        public func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {}
        public func receivedError(error: PusherError) {}
        public func signedIn(userId: String, userData: String) {}
        public func failedToSignIn(response: URLResponse?, data: String?, error: NSError?) {}
    }
#endif
