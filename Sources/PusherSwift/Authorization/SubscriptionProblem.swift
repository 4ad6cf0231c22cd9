import ConnectionEngine
import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// Why a subscription or sign-in failed, with the details that the delegate gets.
///
/// `@unchecked Sendable`: immutable, like `URLResponse` and `NSError`.
struct SubscriptionProblem: @unchecked Sendable {
    static let domain = "com.pusher.PusherSwift"
    /// The most bytes of an answer's body that the delegate gets.
    static let shownBody = 1024

    let failure: ConnectionFailure
    let response: URLResponse?
    let body: String?

    init(_ failure: ConnectionFailure, response: URLResponse? = nil, body: [UInt8]? = nil) {
        self.failure = failure
        self.response = response
        self.body = body.map { String(decoding: $0.prefix(Self.shownBody), as: UTF8.self) }
    }

    init(_ failure: ConnectionFailure, bodyText: String?) {
        self.init(failure, body: bodyText.map { Array($0.utf8.prefix(Self.shownBody)) })
    }

    /// The failure as an `NSError`. Its code is the close code or the HTTP status, or 0 if there is neither.
    var error: NSError {
        NSError(
            domain: Self.domain, code: failure.code ?? 0,
            userInfo: [
                NSLocalizedDescriptionKey: failure.reason, NSLocalizedFailureReasonErrorKey: failure.reason,
            ])
    }
}

extension SubscriptionProblem: Error {
    /// The failure of a channel without an authorisation method. The text is the same as in PusherSwift 10.1, because apps compare this
    /// text.
    static let noMethod = SubscriptionProblem(
        ConnectionFailure(
            .badRequest, "Authentication method required for private / presence channels but none provided."))
    static let noRequest = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The authRequestBuilder returned nil or a request with a body stream or without a URL."))
    static let noAuthorization = SubscriptionProblem(
        ConnectionFailure(.accessDenied, "The authorizer returned nil, so the channel was not authorised."))
    static let noChannelData = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The PusherAuth of a presence channel has no channelData. Set it."))
    static let badEndpoint = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The authEndpoint is not a valid URL with a scheme and a host."))
    static let badUserInfo = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The userInfo that the userDataFetcher returned is not a JSON value."))
    static let noUserMethod = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The sign-in failed, because the option userAuthentication is not set."))
    static let noUserAuth = SubscriptionProblem(
        ConnectionFailure(.accessDenied, "The authenticator returned nil, so the user was not signed in."))
    static let noUserRequest = SubscriptionProblem(
        ConnectionFailure(
            .badRequest, "The authRequestBuilder for users returned nil or a request with a body stream or without a URL."))
    static let noUser = SubscriptionProblem(
        ConnectionFailure(.badRequest, "Signing in with a secret needs the user. Set the connection's userDataFetcher."))
    static let gone = SubscriptionProblem(
        ConnectionFailure(
            .cancelled, "The PusherConnection was released before it could authorise the channel or user. Keep a reference to it."
        ))
}
