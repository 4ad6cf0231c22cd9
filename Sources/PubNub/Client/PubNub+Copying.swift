import Dispatch
import EngineRuntime
import Foundation
import Identifiers
import PubNubProtocol

// Methods that replace this client by a client with another configuration.
extension PubNub {
    /// Makes a client with another configuration. It takes over the subscriptions, the listeners and the position in the stream, and this
    /// client stops receiving. When the user id or the auth key changes, a leave is sent for the former user.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of the new client.
    ///   - block: called on this client's callback queue with the new client; keep a reference to it.
    public func copyWithConfiguration(_ configuration: PNConfiguration, completion block: @escaping (PubNub) -> Void) {
        copy(configuration, queue: queue, completion: block)
    }

    /// Makes a client with another configuration and another callback queue, see ``copyWithConfiguration(_:completion:)``.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of the new client.
    ///   - callbackQueue: the queue for callbacks of the new client and for `block`; nil for the main queue.
    ///   - block: called on `callbackQueue` with the new client; keep a reference to it.
    public func copyWithConfiguration(
        _ configuration: PNConfiguration, callbackQueue: DispatchQueue?, completion block: @escaping (PubNub) -> Void
    ) {
        copy(configuration, queue: callbackQueue.map { .queue($0) } ?? .main, completion: block)
    }

    /// Makes a client with another configuration, see ``copyWithConfiguration(_:completion:)``, and returns the new client.
    public func copyWithConfiguration(_ configuration: PNConfiguration) async -> PubNub {
        await withCheckedContinuation { done in
            copyWithConfiguration(configuration) { done.resume(returning: $0) }
        }
    }

    /// Makes a client with another configuration and another callback queue, and returns the new client.
    public func copyWithConfiguration(_ configuration: PNConfiguration, callbackQueue: DispatchQueue?) async -> PubNub {
        await withCheckedContinuation { done in
            copyWithConfiguration(configuration, callbackQueue: callbackQueue) { done.resume(returning: $0) }
        }
    }

    private func copy(
        _ configuration: PNConfiguration, queue: CallbackQueue, completion block: @escaping (PubNub) -> Void
    ) {
        let block = CallerBlock(block)
        let old = self.configuration
        let new = configuration.values
        let heir = sibling(new, queue: queue)
        let list = wantedList
        let states = engine.states
        heir.filterExpression = filterExpression
        let leaveListeners = handListeners(to: heir)
        @Sendable func finish(_ cursor: PubNubCursor) {
            if !list.isEmpty {
                heir.subscribe(list, timetoken: cursor.timetoken == .zero ? nil : cursor.timetoken, state: states)
            }
            queue.run { block(heir) }
        }
        if list.isEmpty {
            leaveListeners()
            return finish(.start)
        }
        if !old.uuid.isExactly(new.uuid) || old.authKey != new.authKey {
            let cursor = engine.cursor
            leaveListeners()
            unsubscribeFromAll { _ in finish(cursor) }
        } else {
            let end = commands.withLock {
                wanted.withLockedValue { $0.removeAll() }
                return engine.abandon()
            }
            end { cursor in
                leaveListeners()
                finish(cursor)
            }
        }
    }

    /// Adds the present listeners to another client. This client still delivers the events that already wait for its callback queue,
    /// because the other client does not receive these events (rule PK-36).
    ///
    /// - Returns: a closure that removes the listeners from this client after all deliveries that were queued before its call.
    private func handListeners(to heir: PubNub) -> @Sendable () -> Void {
        let present = listeners.present
        for listener in present { heir.addListener(listener) }
        let given = Set(present.map { ObjectIdentifier($0) })
        return { [line, listeners] in
            line.run {
                for listener in listeners.present where given.contains(ObjectIdentifier(listener)) { listeners.remove(listener) }
            }
        }
    }
}

// Access tokens.
extension PubNub {
    /// Sets the auth key or access token of all later requests. A poll in progress continues with the auth key that it was sent with.
    public func setAuthToken(_ token: String) {
        commands.withLock {
            setup.withLockedValue { $0.values.authKey = token }
            engine.perform(.setAuth(token))
        }
    }
}
