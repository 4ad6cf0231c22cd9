import Foundation
import NIOConcurrencyHelpers

/// The user of a connection: who is signed in, and the events that are sent to them. An addition to PusherSwift 10.1, after pusher-js.
///
/// May be used from any thread; callbacks are called on the connection's callback queue. `@unchecked Sendable`: everything that changes
/// is behind `state`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherUserAccount: NSObject, @unchecked Sendable {
    struct State {
        weak var connection: PusherConnection?
        var table = CallbackTable<PusherEvent>()
    }

    let state = NIOLockedValueBox(State())
    /// Which of the users that are watched are there.
    public let watchlist = PusherWatchlist()

    func attach(_ connection: PusherConnection) {
        state.withLockedValue { $0.connection = connection }
    }

    /// Whether the server has confirmed the user on the present connection.
    public var isSignedIn: Bool { current != nil }
    /// The signed-in user's id, or nil.
    public var userId: String? { current?.userId }
    /// The signed-in user's data: the JSON text that was signed, or nil.
    public var userData: String? { current?.userData }

    /// Who is signed in now, or nil. May be ahead of callbacks that still wait (rule PA-9).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var current: PusherSignedInUser? {
        state.withLockedValue { $0.connection }?.truth.values.user
    }

    /// As ``Pusher/signin()``, without waiting; for asynchronous code, where `pusher.signin()` is the call that waits.
    public func signin() {
        state.withLockedValue { $0.connection }?.signIn()
    }

    /// As ``Pusher/signout()``.
    public func signout() {
        state.withLockedValue { $0.connection }?.signOut()
    }

    /// Calls `eventCallback` with every event of this name that is sent to the user.
    ///
    /// Bindings last over sign-ins and reconnects.
    ///
    /// - Returns: the id that unbinds it.
    @discardableResult
    public func bind(eventName: String, eventCallback: @escaping (PusherEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(eventName, eventCallback) }
    }

    /// Calls `eventCallback` with every event that is sent to the user.
    ///
    /// - Returns: the id that unbinds it.
    @discardableResult
    public func bind(eventCallback: @escaping (PusherEvent) -> Void) -> String {
        state.withLockedValue { $0.table.bind(nil, eventCallback) }
    }

    /// Forgets one callback of a name. An unknown name or id does nothing.
    public func unbind(eventName: String, callbackId: String) {
        unbind { $0 == callbackId && $1 == eventName }
    }

    /// Forgets one callback. An unknown id does nothing.
    public func unbind(callbackId: String) {
        unbind { id, _ in id == callbackId }
    }

    /// Forgets all callbacks for this event.
    public func unbindAll(forEventName eventName: String) {
        unbind { $1 == eventName }
    }

    /// Forgets all callbacks.
    public func unbindAll() {
        unbind { _, _ in true }
    }

    private func unbind(_ isUnbound: (String, String?) -> Bool) {
        _ = state.withLockedValue { $0.table.unbind(isUnbound) }
    }

    /// On the callback queue.
    func handleEvent(_ event: PusherEvent) {
        for callback in state.withLockedValue({ $0.table.callbacks(for: event.eventName) }) { callback(event) }
    }

    /// The connection is gone.
    func forgetCallbacks() {
        unbindAll()
        watchlist.forget()
    }
}
