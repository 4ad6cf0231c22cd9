import Foundation
import NIOConcurrencyHelpers

/// The signed-in user of a connection and the events that are sent to the user. An addition to PusherSwift 10.1, modelled on pusher-js.
///
/// May be used from any thread; callbacks are called on the connection's callback queue. `@unchecked Sendable`: everything that changes is
/// protected by `state`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherUserAccount: NSObject, @unchecked Sendable {
    struct State {
        weak var connection: PusherConnection?
        var table = CallbackTable<PusherEvent>()
    }

    let state = NIOLockedValueBox(State())
    /// The online status of the users on the watchlist.
    public let watchlist = PusherWatchlist()

    func attach(_ connection: PusherConnection) {
        state.withLockedValue { $0.connection = connection }
    }

    /// Whether the server has confirmed the user on the present connection.
    public var isSignedIn: Bool { current != nil }
    /// The id of the signed-in user; nil while no user is signed in.
    public var userId: String? { current?.userId }
    /// The JSON text that was signed for the signed-in user; nil while no user is signed in.
    public var userData: String? { current?.userData }

    /// The signed-in user; nil while no user is signed in. The value may be newer than the last callback, because callbacks wait for their
    /// queue (rule PA-9).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var current: PusherSignedInUser? {
        state.withLockedValue { $0.connection }?.truth.values.user
    }

    /// Signs in without waiting for the server. Asynchronous code needs this name, because `await pusher.signin()` waits.
    public func signin() {
        state.withLockedValue { $0.connection }?.signIn()
    }

    /// The same as ``Pusher/signout()``.
    public func signout() {
        state.withLockedValue { $0.connection }?.signOut()
    }

    /// Binds a callback to events of this name that are sent to the user. The callback stays bound across sign-ins and reconnects.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    public func bind(eventName: String, eventCallback: @escaping (PusherEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(eventName, eventCallback) }
    }

    /// Binds a callback to every event that is sent to the user.
    ///
    /// - Returns: the id that unbinds the callback.
    @discardableResult
    public func bind(eventCallback: @escaping (PusherEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(nil, eventCallback) }
    }

    /// Removes one callback for events of this name. An unknown name or id has no effect.
    public func unbind(eventName: String, callbackId: String) {
        unbind { $0 == callbackId && $1 == eventName }
    }

    /// Removes one callback. An unknown id has no effect.
    public func unbind(callbackId: String) {
        unbind { id, _ in id == callbackId }
    }

    /// Removes all callbacks for events of this name.
    public func unbindAll(forEventName eventName: String) {
        unbind { $1 == eventName }
    }

    /// Removes all callbacks.
    public func unbindAll() {
        unbind { _, _ in true }
    }

    private func unbind(_ isUnbound: (String, String?) -> Bool) {
        _ = state.withLockedValue { $0.table.unbind(isUnbound) }
    }

    /// Calls the callbacks for an event. Must be called on the callback queue.
    func handleEvent(_ event: PusherEvent) {
        for callback in state.withLockedValue({ $0.table.callbacks(for: event.eventName) }) { callback(event) }
    }

    /// Removes all callbacks, because the connection has been released.
    func forgetCallbacks() {
        unbindAll()
        watchlist.forget()
    }
}
