import ConnectionEngine
import Lifeline

/// Findings about errors that clients of PubNub and chat report.
extension Finding {
    static func session(_ error: LifelineError, service: ServiceKind) -> Finding {
        let number = error.number.map { " (\($0))" } ?? ""
        let words = "\(quote(error.reason))\(number)"
        switch error.code {
        case _ where [401, 403].contains(error.number), .accessDenied:
            return Finding(
                "access-denied", "The service denies access: \(words)",
                advice: service == .pubnub
                    ? "If access manager is on, give --token or --secret. Otherwise check --key and --publish-key."
                    : "Check --key and --secret or --token: the secret or token must belong to the app with this key.")
        case .refused:
            return Finding(
                "refused", "The service refuses this client: \(words)",
                advice:
                    "Check --key, and the token or secret. The service also refuses users who are blocked or already connected.")
        case .badRequest:
            return Finding(
                "bad-request", "The service refuses the request: \(words)",
                advice: "Check the keys and the channel's name.")
        case .timeout:
            return Finding(
                "no-answer", "The service did not answer in time.",
                advice: "Try again with a longer --timeout; then look at the server's log.")
        case .init(.malformedResponse):
            return Finding(
                "not-the-service", "The answer is not that of the service: \(words)",
                advice: "The network may require a sign-in first, or a program other than the service listens at this address.")
        case .init(.overloaded):
            return Finding("overloaded", "The service accepts no more requests now: \(words)", advice: "Try again later.")
        default:
            return Finding(
                "session-failed", "The service cannot be used: \(words)",
                advice: "Look for the cause in the server's log, at the time of this test.")
        }
    }
}
