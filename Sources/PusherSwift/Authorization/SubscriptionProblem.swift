import ConnectionEngine
import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// Why a subscription failed, for the delegate.
///
/// `@unchecked Sendable`: immutable, and so are `URLResponse` and `NSError`.
struct SubscriptionProblem: @unchecked Sendable {
    static let domain = "com.pusher.PusherSwift"
    /// How many bytes of an answer's body the delegate gets.
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

    /// The failure as an `NSError`: the code is the HTTP status, the close code or 0.
    var error: NSError {
        NSError(
            domain: Self.domain, code: failure.code ?? 0,
            userInfo: [
                NSLocalizedDescriptionKey: failure.reason, NSLocalizedFailureReasonErrorKey: failure.reason,
            ])
    }
}

extension SubscriptionProblem: Error {
    /// PusherSwift's own text, because apps compare it.
    static let noMethod = SubscriptionProblem(
        ConnectionFailure(
            .badRequest, "Authentication method required for private / presence channels but none provided."))
    static let noRequest = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The auth request builder gave no request that can be sent."))
    static let noAuthorization = SubscriptionProblem(
        ConnectionFailure(.accessDenied, "The authorizer gave no authorisation for the channel."))
    static let noChannelData = SubscriptionProblem(
        ConnectionFailure(.badRequest, "Authorisation of a presence channel needs channel data."))
    static let badEndpoint = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The URL of the authorisation endpoint is not valid."))
    static let badUserInfo = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The user info of the presence member is not a JSON value."))
    static let noUserMethod = SubscriptionProblem(
        ConnectionFailure(.badRequest, "Authentication method required for signing in but none provided."))
    static let noUserAuth = SubscriptionProblem(
        ConnectionFailure(.accessDenied, "The authenticator gave no authorisation for the user."))
    static let noUserRequest = SubscriptionProblem(
        ConnectionFailure(.badRequest, "The auth request builder for users gave no request that can be sent."))
    static let noUser = SubscriptionProblem(
        ConnectionFailure(.badRequest, "Signing in with a secret needs a userDataFetcher that says who the user is."))
    static let gone = SubscriptionProblem(ConnectionFailure(.cancelled, "The connection was released."))
}
