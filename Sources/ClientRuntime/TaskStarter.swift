/// Starts side work of a client.
package struct TaskStarter: Sendable {
    package let start: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// In separate tasks.
    package static let plain = TaskStarter { work in Task { await work() } }

    /// In tasks that a double knows of.
    package static func on(_ double: any ServiceDouble) -> TaskStarter { TaskStarter { double.start($0) } }
}
