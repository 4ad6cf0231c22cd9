/// How subscriptions to private, encrypted and presence channels are authorised.
///
/// The objects in it are called on the connection's callback queue. It does not conform to `Equatable`, because many apps add that
/// conformance themselves.
public enum AuthMethod {
    /// An endpoint that gets the socket id and the channel's name as a form POST.
    case endpoint(authEndpoint: String)
    /// An object that builds the request to your endpoint.
    case authRequestBuilder(authRequestBuilder: AuthRequestBuilderProtocol)
    /// An object with your own code.
    case authorizer(authorizer: Authorizer)
    /// The app's secret: the client signs subscriptions itself. For development only.
    case inline(secret: String)
    /// No method: only public channels, and channels that are subscribed with a ``PusherAuth``.
    case noMethod
}
