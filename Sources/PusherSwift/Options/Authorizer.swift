import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

#if canImport(ObjectiveC)
    /// Builds the request that asks your endpoint to authorise a channel.
    @objc public protocol AuthRequestBuilderProtocol {
        /// The request, or nil when there is none to make; the subscription then fails visibly.
        @objc optional func requestFor(socketID: String, channelName: String) -> URLRequest?
    }

    /// Authorises channels with code of your own.
    @objc public protocol Authorizer {
        /// Call `completionHandler` once, from any thread: with the authorisation, or with nil when there is none.
        @objc func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void)
    }
#else
    /// Builds the request that asks your endpoint to authorise a channel.
    public protocol AuthRequestBuilderProtocol: AnyObject {
        /// The request, or nil when there is none to make; the subscription then fails visibly (rule PA-34).
        ///
        /// Called on the connection's callback queue, once per connection and channel. The default returns nil.
        func requestFor(socketID: String, channelName: String) -> URLRequest?
    }

    extension AuthRequestBuilderProtocol {
        public func requestFor(socketID: String, channelName: String) -> URLRequest? { nil }
    }

    /// Authorises channels with code of your own.
    public protocol Authorizer: AnyObject {
        /// Call `completionHandler` once, from any thread: with the authorisation, or with nil when there is none.
        ///
        /// Called on the connection's callback queue, once per connection and channel, and again when an encrypted event needs
        /// a new key. A nil, and no answer in time, fail the subscription visibly (rule PA-35).
        func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void)
    }
#endif
