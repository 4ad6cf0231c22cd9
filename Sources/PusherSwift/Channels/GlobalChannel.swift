import Foundation
import NIOConcurrencyHelpers

/// Callbacks that get every event of the connection, of all channels.
///
/// `@unchecked Sendable`: the callbacks are protected by `callbacks`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class GlobalChannel: PusherChannel, @unchecked Sendable {
    private let callbacks = NIOLockedValueBox<[EventHandler]>([])

    init(connection: PusherConnection) {
        super.init(name: "pusher_global_internal_channel", connection: connection)
    }

    /// The bound callbacks, by id.
    open var globalCallbacks: [String: (PusherEvent) -> Void] {
        get {
            let handlers = callbacks.withLockedValue { $0 }
            return Dictionary(handlers.map { ($0.id, $0.callback) }, uniquingKeysWith: { first, _ in first })
        }
        set {
            let former = callbacks.withLockedValue { handlers in
                let former = handlers
                let kept = handlers.filter { newValue[$0.id] != nil }
                let keptIDs = Set(kept.map(\.id))
                let added = newValue.filter { !keptIDs.contains($0.key) }
                handlers = kept + added.map { EventHandler(id: $0.key, callback: $0.value) }
                return former
            }
            _ = former
        }
    }

    func bind(hearsErrors: Bool = false, _ callback: @escaping (PusherEvent) -> Void) -> String {
        let handler = EventHandler(id: UUID().uuidString, callback: callback, hearsErrors: hearsErrors)
        callbacks.withLockedValue { $0.append(handler) }
        return handler.id
    }

    func unbind(globalCallbackId id: String) {
        let removed = callbacks.withLockedValue { handlers in
            handlers.firstIndex { $0.id == id }.map { handlers.remove(at: $0) }
        }
        _ = removed
    }

    /// Removes all callbacks.
    open override func unbindAll() {
        callbacks.replace(\.self, with: [])
        super.unbindAll()
    }

    /// Calls all callbacks with an event, in the order in which they were bound.
    open override func handleEvent(event: PusherEvent) {
        let handlers = callbacks.withLockedValue { $0 }
        for handler in handlers { handler.callback(event) }
    }

    /// Passes an error to the callbacks that get errors as events, as in versions before PusherSwift 10.
    func handleError(_ error: PusherError) {
        let handlers = callbacks.withLockedValue { $0.filter(\.hearsErrors) }
        if handlers.isEmpty { return }
        let event = PusherEvent(error)
        for handler in handlers { handler.callback(event) }
    }
}
