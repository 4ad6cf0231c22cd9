/// Starts tasks of a client that run beside its connection, such as requests for tokens.
package struct TaskStarter: Sendable {
    package let start: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// In separate tasks.
    package static let plain = TaskStarter { work in Task { await work() } }

    /// Starts tasks through a test double, so that tests can wait for their end.
    package static func on(_ double: any ServiceDouble) -> TaskStarter { TaskStarter { double.start($0) } }
}
