import ConnectionEngine
import NIOConcurrencyHelpers

/// Prevents App Nap of macOS while a connection exists or is being established (rule BG-12), because App Nap would delay pings and retries.
public final class ActivityObserver: EngineObserver {
    private let begin: @Sendable () -> @Sendable () -> Void
    /// The closure that ends the process activity with which App Nap is prevented; nil while no activity is running.
    private let end = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    /// Creates the observer.
    ///
    /// - Parameters:
    ///   - isWanted: whether the application has requested to prevent App Nap.
    ///   - begin: begins an activity of the process, and returns a closure that ends it.
    /// - Returns: nil when `isWanted` is false.
    public init?(
        _ isWanted: Bool,
        begin: @escaping @Sendable () -> @Sendable () -> Void = { SystemActivity.preventAppNap(reason: "A connection is kept") }
    ) {
        guard isWanted else { return nil }
        self.begin = begin
    }

    public func changed(_ change: ConnectionChange) {
        let isActive =
            switch change.phase {
            case .connecting, .connected, .waiting, .disconnecting: true
            case .idle, .suspended, .disconnected, .failed: false
            }
        let hasBegun = end.withLockedValue { $0 != nil }
        if isActive, !hasBegun {
            // Changes of the connection's phase arrive one after the other. So no second activity can begin before the closure that ends
            // this one is stored.
            let end = begin()
            self.end.withLockedValue { $0 = end }
        } else if !isActive {
            stop()
        }
    }

    private func stop() {
        let end = self.end.withLockedValue { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit { stop() }
}
