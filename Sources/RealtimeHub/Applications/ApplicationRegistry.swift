import Identifiers

/// Finds applications. Asked once for each connection and request, on an event loop: answers must not wait for I/O.
public protocol ApplicationRegistry: Sendable {
    func application(id: String) -> Application?
    func application(key: String) -> Application?
}

/// A fixed list of applications.
public struct InMemoryApplicationRegistry: ApplicationRegistry {
    private let byID: [Identifier: Application]
    private let byKey: [Identifier: Application]

    /// Of several applications with the same id or key the first one counts.
    public init(_ applications: [Application]) {
        byID = Dictionary(applications.map { (Identifier($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(applications.map { (Identifier($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    }

    public func application(id: String) -> Application? { byID[Identifier(id)] }
    public func application(key: String) -> Application? { byKey[Identifier(key)] }
}
