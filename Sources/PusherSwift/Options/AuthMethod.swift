/// How subscriptions to private, encrypted and presence channels are authorised.
///
/// The associated objects are called on the connection's callback queue. The enum does not conform to `Equatable`, because many apps
/// declare this conformance themselves.
public enum AuthMethod {
    /// An endpoint to which the client sends the socket id and the channel's name, in the form of a POST request.
    case endpoint(authEndpoint: String)
    /// An object that builds the request to your endpoint.
    case authRequestBuilder(authRequestBuilder: AuthRequestBuilderProtocol)
    /// An object of the app that authorises channels with its own code.
    case authorizer(authorizer: Authorizer)
    /// The app's secret: the client signs subscriptions itself. For development only.
    case inline(secret: String)
    /// No method. The client can subscribe only to public channels, and to channels with a ``PusherAuth``.
    case noMethod
}
