import NIOConcurrencyHelpers

/// The uploads under way, by number of message.
final class MediaSends: Sendable {
    private struct State {
        var uploader: (any MediaUploader)?
        var cancellations: [Int64: @Sendable () -> Void] = [:]
    }

    private let state = NIOLockedValueBox(State())

    var uploader: (any MediaUploader)? {
        get { state.withLockedValue { $0.uploader } }
        set { state.withLockedValue { $0.uploader = newValue } }
    }

    func begin(_ number: Int64, cancel: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.cancellations[number] = cancel }
    }

    /// Ends an upload. Of its end and its cancellation only the first one gets true.
    func end(_ number: Int64) -> Bool {
        state.withLockedValue { $0.cancellations.removeValue(forKey: number) != nil }
    }

    /// Cancels an upload; false when there is none.
    func cancel(_ number: Int64) -> Bool {
        guard let cancel = state.withLockedValue({ $0.cancellations.removeValue(forKey: number) }) else { return false }
        cancel()
        return true
    }
}

/// Lets only what rises through, from 0 to 100.
struct ProgressGate: Sendable {
    private let last = NIOLockedValueBox(-1)

    func passes(_ percent: Int) -> Bool {
        last.withLockedValue { last in
            guard percent > last, percent <= 100 else { return false }
            last = percent
            return true
        }
    }
}
