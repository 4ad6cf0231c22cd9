import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

#if canImport(ObjectiveC)
    /// Builds the request that asks your endpoint to authorise a channel.
    @objc public protocol AuthRequestBuilderProtocol {
        /// Returns the request, or nil when it cannot be built; the subscription then fails with an error.
        @objc optional func requestFor(socketID: String, channelName: String) -> URLRequest?
    }

    /// Authorises channels with your own code.
    @objc public protocol Authorizer {
        /// Authorises a channel. Call `completionHandler` once, from any thread, with the authorisation, or with nil to refuse.
        @objc func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void)
    }
#else
    /// Builds the request that asks your endpoint to authorise a channel.
    public protocol AuthRequestBuilderProtocol: AnyObject {
        /// Returns the request, or nil when it cannot be built; the subscription then fails with an error (rule PA-34).
        ///
        /// Called on the connection's callback queue, once per connection and channel. The default returns nil.
        func requestFor(socketID: String, channelName: String) -> URLRequest?
    }

    extension AuthRequestBuilderProtocol {
        public func requestFor(socketID: String, channelName: String) -> URLRequest? { nil }
    }

    /// Authorises channels with your own code.
    public protocol Authorizer: AnyObject {
        /// Authorises a channel. Call `completionHandler` once, from any thread, with the authorisation, or with nil to refuse.
        ///
        /// Called on the connection's callback queue, once per connection and channel, and once more when an encrypted event needs a new
        /// key. With nil or without an answer in time, the subscription fails with an error (rule PA-35).
        func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void)
    }
#endif
