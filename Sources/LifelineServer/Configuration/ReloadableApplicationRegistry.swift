import NIOConcurrencyHelpers
import ServerStorage

/// A list of Pusher applications that can be replaced while a server runs.
///
/// New connections and requests use the new list at once. Open connections follow after ``LifelineServer/applicationsChanged()``.
public final class ReloadableApplicationRegistry: ApplicationRegistry, ListedApplications {
    private let current: NIOLockedValueBox<InMemoryApplicationRegistry>

    /// Makes a list of applications. If several have the same id or key, the first one is used.
    public init(_ applications: [Application]) {
        current = NIOLockedValueBox(InMemoryApplicationRegistry(applications))
    }

    /// Replaces the whole list in one atomic step.
    public func replace(with applications: [Application]) {
        let new = InMemoryApplicationRegistry(applications)
        current.withLockedValue { $0 = new }
    }

    package var listed: [Application] { current.withLockedValue { $0 }.listed }

    public func application(id: String) -> Application? {
        current.withLockedValue { $0 }.application(id: id)
    }

    public func application(key: String) -> Application? {
        current.withLockedValue { $0 }.application(key: key)
    }
}
