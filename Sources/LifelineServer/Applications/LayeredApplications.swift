import NIOConcurrencyHelpers
import ServerStorage

/// The Pusher applications of the configuration above those made at run time (rule AR-2).
///
/// An application that shares its id or key with one of the configuration is hidden, also after a reload has changed the configuration.
final class LayeredApplications: ListedApplications {
    let configured: any ApplicationRegistry
    private let runtime = NIOLockedValueBox(InMemoryApplicationRegistry([]))

    init(above configured: any ApplicationRegistry) { self.configured = configured }

    /// Replaces the applications made at run time.
    func replace(with applications: [Application]) {
        let new = InMemoryApplicationRegistry(applications)
        runtime.withLockedValue { $0 = new }
    }

    func application(id: String) -> Application? {
        configured.application(id: id) ?? visible(runtime.withLockedValue { $0 }.application(id: id))
    }

    func application(key: String) -> Application? {
        configured.application(key: key) ?? visible(runtime.withLockedValue { $0 }.application(key: key))
    }

    var listed: [Application] {
        let configured = (configured as? any ListedApplications)?.listed ?? []
        return configured + runtime.withLockedValue { $0 }.listed.compactMap { visible($0) }
    }

    private func visible(_ application: Application?) -> Application? {
        guard let application, configured.application(id: application.id) == nil,
            configured.application(key: application.key) == nil
        else { return nil }
        return application
    }
}
