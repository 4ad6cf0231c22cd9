import NIOConcurrencyHelpers
import ServerStorage

/// The Pusher applications of the configuration and those made at run time; those of the configuration take precedence (rule AR-2).
///
/// An application made at run time is hidden while an application of the configuration has the same id or key, also after a reload.
final class LayeredApplications: ListedApplications {
    let configured: any ApplicationRegistry
    private let runtime = NIOLockedValueBox(InMemoryApplicationRegistry([]))

    init(above configured: any ApplicationRegistry) { self.configured = configured }

    /// Replaces the applications made at run time. Those of the configuration stay.
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
