/// How subscriptions to private, encrypted and presence channels are authorised.
///
/// The objects in it are called on the connection's callback queue. There is no `Equatable` conformance, so that apps can add
/// their own, as many did.
public enum AuthMethod {
    /// A POST of the socket id and the channel's name to this URL, as a form.
    case endpoint(authEndpoint: String)
    /// Your own request to your own endpoint.
    case authRequestBuilder(authRequestBuilder: AuthRequestBuilderProtocol)
    /// Your own code.
    case authorizer(authorizer: Authorizer)
    /// The app's secret: subscriptions are signed here, without an endpoint. For development.
    case inline(secret: String)
    /// None: only public channels, and channels subscribed to with a ``PusherAuth``.
    case noMethod
}
