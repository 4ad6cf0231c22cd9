/// Finds applications. Asked once for each connection and request, on an event loop: answers must not wait for I/O.
public protocol ApplicationRegistry: Sendable {
    func application(id: String) -> Application?
    func application(key: String) -> Application?
}

/// A fixed list of applications.
public struct InMemoryApplicationRegistry: ApplicationRegistry {
    private let byID: [String: Application]
    private let byKey: [String: Application]

    /// Of several applications with the same id or key the first one counts.
    public init(_ applications: [Application]) {
        byID = Dictionary(applications.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(applications.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    public func application(id: String) -> Application? { byID[id] }
    public func application(key: String) -> Application? { byKey[key] }
}
