import ConnectionEngine
import NIOConcurrencyHelpers

/// Keeps App Nap of macOS away from the process while a connection stands or is tried (rule BG-12): pings and retries would come too late.
public final class ActivityObserver: EngineObserver {
    private let begin: @Sendable () -> @Sendable () -> Void
    /// Ends the activity; nil while there is none.
    private let end = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - isWanted: whether the application wants that.
    ///   - begin: begins an activity, and returns what ends it.
    /// - Returns: nil when it is not wanted.
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
            // Changes come one after the other, so nobody begins a second one meanwhile.
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
