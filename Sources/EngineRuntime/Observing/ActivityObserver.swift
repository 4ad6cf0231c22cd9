import ConnectionEngine
import NIOConcurrencyHelpers

/// Prevents App Nap of macOS while a connection exists or is being established (rule BG-12), because it would delay pings and retries.
public final class ActivityObserver: EngineObserver {
    private let begin: @Sendable () -> @Sendable () -> Void
    /// Ends the activity; nil while there is none.
    private let end = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - isWanted: whether the application has requested it.
    ///   - begin: begins an activity, and returns a closure that ends it.
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
            // Changes arrive one after the other, so no second activity begins meanwhile.
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
