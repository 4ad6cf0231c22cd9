import NIOConcurrencyHelpers

/// A call of `connect` that waits for its result. It gets exactly one result (rule NC-4).
final class ConnectCall: Sendable {
    typealias Completion = @Sendable (Result<String, NCError>) -> Void
    typealias Opened = @Sendable (Bool, NCError?) -> Void

    /// Called whenever the client that this call has signed in opens its database.
    let opened: Opened
    private let completion: NIOLockedValueBox<Completion?>

    init(opened: @escaping Opened, completion: @escaping Completion) {
        self.opened = opened
        self.completion = NIOLockedValueBox(completion)
    }

    /// Whether the result has been reported.
    var isOver: Bool { completion.withLockedValue { $0 == nil } }

    /// Reports the result of `connect` to the application. Only the first result is reported; later ones are ignored.
    func finish(_ result: Result<String, NCError>) {
        let completion = completion.withLockedValue { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
