import Foundation
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// Holds the app's delegate weakly, and calls its optional methods on all platforms.
///
/// `@unchecked Sendable`: the reference is protected by `box`, a `NIOLockedValueBox`, and the delegate is called on the connection's
/// callback queue only.
final class DelegateBox: @unchecked Sendable {
    private struct Reference {
        weak var delegate: PusherDelegate?
    }

    private let box = NIOLockedValueBox(Reference())

    var delegate: PusherDelegate? {
        get { box.withLockedValue { $0.delegate } }
        set { box.withLockedValue { $0.delegate = newValue } }
    }

    #if canImport(ObjectiveC)
        func debugLog(_ text: String) { delegate?.debugLog?(message: text) }

        func changed(from old: ConnectionState, to new: ConnectionState) {
            guard let delegate else { return }
            if delegate.changedConnectionState?(from: old, to: new) == nil { delegate.changedConnectionState?(old, to: new) }
        }

        func subscribed(to channel: String) { delegate?.subscribedToChannel?(name: channel) }

        func failedToSubscribe(to channel: String, _ problem: SubscriptionProblem) {
            delegate?.failedToSubscribeToChannel?(
                name: channel, response: problem.response, data: problem.body, error: problem.error)
        }

        func failedToDecrypt(_ event: String, on channel: String, data: String?) {
            delegate?.failedToDecryptEvent?(eventName: event, channelName: channel, data: data)
        }

        func received(_ error: PusherError) { delegate?.receivedError?(error: error) }

        func signedIn(_ userID: String, _ userData: String) { delegate?.signedIn?(userId: userID, userData: userData) }

        func failedToSignIn(_ problem: SubscriptionProblem) {
            delegate?.failedToSignIn?(response: problem.response, data: problem.body, error: problem.error)
        }
    #else
        func debugLog(_ text: String) { delegate?.debugLog(message: text) }

        func changed(from old: ConnectionState, to new: ConnectionState) {
            delegate?.changedConnectionState(from: old, to: new)
        }

        func subscribed(to channel: String) { delegate?.subscribedToChannel(name: channel) }

        func failedToSubscribe(to channel: String, _ problem: SubscriptionProblem) {
            delegate?.failedToSubscribeToChannel(
                name: channel, response: problem.response, data: problem.body, error: problem.error)
        }

        func failedToDecrypt(_ event: String, on channel: String, data: String?) {
            delegate?.failedToDecryptEvent(eventName: event, channelName: channel, data: data)
        }

        func received(_ error: PusherError) { delegate?.receivedError(error: error) }

        func signedIn(_ userID: String, _ userData: String) { delegate?.signedIn(userId: userID, userData: userData) }

        func failedToSignIn(_ problem: SubscriptionProblem) {
            delegate?.failedToSignIn(response: problem.response, data: problem.body, error: problem.error)
        }
    #endif
}
