import Foundation
import PubNubProtocol

// Methods that send signals and request the service's time.
extension PubNub {
    /// Sends a signal: a JSON value of at most 64 bytes that is never stored and never encrypted.
    public func signal(_ message: Any, channel: String, withCompletion block: PNSignalCompletionBlock? = nil) {
        signal(message, channel, customType: nil, query: nil, block)
    }

    func signal(
        _ message: Any?, _ channel: String, customType: String?, query: [AnyHashable: Any]?, _ block: PNSignalCompletionBlock?
    ) {
        start(.signalOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            guard let message else { throw .badArguments("The signal has no message. Pass a message.") }
            return PubNubSignalCall(
                channel: channel, message: try JSONArguments.value(message, "message"), customType: customType)
        } then: { outcome in
            block?(PNSignalStatus(outcome))
        }
    }

    /// Requests the service's time, which also shows whether the service can be reached.
    public func timeWithCompletion(_ block: @escaping PNTimeCompletionBlock) {
        time(query: nil, block)
    }

    func time(query: [AnyHashable: Any]?, _ block: @escaping PNTimeCompletionBlock) {
        startForResult(.timeOperation, extras: CallExtras(query: query)) {
            PubNubTimeCall()
        } result: { facts, time in
            PNTimeResult(facts, time)
        } then: {
            block($0, $1)
        }
    }
}
