import Identifiers

/// Looks applications up by id or key. Called once for each connection and request, on an event loop, so the methods must not wait for I/O.
public protocol ApplicationRegistry: Sendable {
    /// Returns the application with this id; nil if there is none.
    func application(id: String) -> Application?
    /// Returns the application with this key; nil if there is none.
    func application(key: String) -> Application?
}

/// A registry that can list its applications.
package protocol ListedApplications: ApplicationRegistry {
    /// All applications, sorted by their ids.
    var listed: [Application] { get }
}

/// A registry with a fixed list of applications.
public struct InMemoryApplicationRegistry: ApplicationRegistry, ListedApplications {
    private let byID: [Identifier: Application]
    private let byKey: [Identifier: Application]

    /// Makes a registry with a fixed list. If several applications have the same id or key, the first one is used.
    public init(_ applications: [Application]) {
        byID = Dictionary(applications.map { (Identifier($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(applications.map { (Identifier($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    }

    package var listed: [Application] { byID.sorted { $0.key < $1.key }.map(\.value) }

    public func application(id: String) -> Application? { byID[Identifier(id)] }
    public func application(key: String) -> Application? { byKey[Identifier(key)] }
}
