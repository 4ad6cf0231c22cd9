import Foundation
import PusherProtocol

// Functions that bind the callbacks of PusherSwift before version 10, which its README still shows. These callbacks get parsed data instead
// of an event; new code should bind an `eventCallback`. The functions are disfavoured overloads: for a closure that fits both kinds of
// callbacks, the compiler chooses the new function.

extension PusherChannel {
    /// Calls `callback` with the data of every event of this name, as a JSON value. The data is text if it is not JSON or if
    /// ``PusherClientOptions/attemptToReturnJSONObject`` is false.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    @_disfavoredOverload
    public func bind(eventName: String, callback: @escaping (Any?) -> Void) -> String {
        bind(eventName: eventName) { [weak connection] (event: PusherEvent) in
            callback(event.legacyData(parsed: connection?.options.attemptToReturnJSONObject ?? true))
        }
    }
}

extension Pusher {
    /// Calls `callback` with every event as a dictionary of `event`, `channel` and `data`. Errors arrive as the event `pusher:error`.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    @_disfavoredOverload
    public func bind(_ callback: @escaping (Any?) -> Void) -> String {
        connection.global.bind(hearsErrors: true) { [weak connection] event in
            callback(event.legacyMessage(parsed: connection?.options.attemptToReturnJSONObject ?? true))
        }
    }

    /// As `bind(_:)`.
    @discardableResult
    @_disfavoredOverload
    public func bind(callback: @escaping (Any?) -> Void) -> String {
        bind(callback)
    }
}

extension PusherEvent {
    /// Creates the event `pusher:error` for an error, for callbacks that get errors as events, as in versions before PusherSwift 10.
    convenience init(_ error: PusherError) {
        let code = error.code.map { "\($0)" } ?? "null"
        let data = "{\"code\":\(code),\"message\":\(AnyJSON.quote(error.message))}"
        self.init(PusherEnvelope(event: "pusher:error", data: data, dataKind: .object))
    }

    fileprivate func legacyData(parsed: Bool) -> Any? {
        guard let data else { return nil }
        return parsed ? dataToJSONObject() ?? data : data
    }

    fileprivate func legacyMessage(parsed: Bool) -> [String: Any] {
        var message: [String: Any] = ["event": eventName]
        if let channelName { message["channel"] = channelName }
        if let data = legacyData(parsed: parsed) { message["data"] = data }
        if let userId { message["user_id"] = userId }
        return message
    }
}
