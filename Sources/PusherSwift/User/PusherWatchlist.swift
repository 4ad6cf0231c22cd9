import Foundation
import NIOConcurrencyHelpers

/// Events of users on the signed-in user's watchlist who come online or go offline. An addition to PusherSwift 10.1, modelled on pusher-js.
///
/// After each sign-in the server sends the users who are online, and then every change. May be used from any thread; callbacks are called
/// on the connection's callback queue. `@unchecked Sendable`: everything that changes is protected by `state`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherWatchlist: NSObject, @unchecked Sendable {
    struct State {
        var table = CallbackTable<PusherWatchlistEvent>()
        var streams = StreamEnds<PusherWatchlistEvent>()
    }

    let state = NIOLockedValueBox(State())

    /// Binds a callback to changes of this name, which is `online` or `offline`.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    public func bind(eventName: String, eventCallback: @escaping (PusherWatchlistEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(eventName, eventCallback) }
    }

    /// Binds a callback to every change of the watchlist.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    public func bind(eventCallback: @escaping (PusherWatchlistEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(nil, eventCallback) }
    }

    /// Removes one callback for changes of this name. An unknown name or id has no effect.
    public func unbind(eventName: String, callbackId: String) {
        unbind { $0 == callbackId && $1 == eventName }
    }

    /// Removes one callback. An unknown id has no effect.
    public func unbind(callbackId: String) {
        unbind { id, _ in id == callbackId }
    }

    /// Removes all callbacks.
    public func unbindAll() {
        unbind { _, _ in true }
    }

    private func unbind(_ isUnbound: (String, String?) -> Bool) {
        _ = state.withLockedValue { $0.table.unbind(isUnbound) }
    }

    /// Calls the callbacks for a change of the watchlist. Must be called on the callback queue.
    func handle(_ event: PusherWatchlistEvent) {
        let callbacks = state.withLockedValue { state in
            state.streams.yield(event)
            return state.table.callbacks(for: event.name)
        }
        for callback in callbacks { callback(event) }
    }

    /// Removes all callbacks, because the connection was released.
    func forget() {
        unbindAll()
        state.replace(\.streams, with: StreamEnds())
    }
}

/// Users who came online or went offline.
///
/// Immutable, hence safe to share between threads.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherWatchlistEvent: NSObject, Sendable {
    /// `online` or `offline`.
    public let name: String
    /// The users, in the server's order.
    public let userIds: [String]

    init(name: String, userIds: [String]) {
        self.name = name
        self.userIds = userIds
    }
}
