import ChatProtocol
import Identifiers
import ServerCluster
import ServerRuntime
import ServerStorage

/// The chat applications of a cluster with several partitions. Each application belongs to one partition, whose backend serves it (rule
/// CR-50).
package final class PartitionedChat: ChatStateBackend {
    private let partitions: ClusterPartitions
    private let backends: [any ChatStateBackend]

    /// - Parameter backends: the backend of each partition. All have the same applications in the same order. The result is nil if a
    ///   cluster cannot have this number of partitions.
    package init?(_ backends: [any ChatStateBackend]) {
        guard let partitions = ClusterPartitions(backends.count) else { return nil }
        self.partitions = partitions
        self.backends = backends
    }

    /// Combines the backends of all partitions. The result is the backend itself if there is only one.
    ///
    /// - Parameter backends: at least one backend.
    package static func of(_ backends: [ClusteredChat]) -> any ChatStateBackend {
        guard backends.count > 1, let router = PartitionedChat(backends) else { return backends[0] }
        return router
    }

    private func partition(of key: String) -> Int { partitions.partition(of: key, in: .chat) }
    private func backend(of key: String) -> any ChatStateBackend { backends[partition(of: key)] }

    // MARK: Applications

    /// The applications of the partitions that this process leads.
    package var applications: [ServedChatApplication] {
        backends.enumerated().flatMap { index, backend in
            backend.applications.filter { partition(of: $0.key) == index }
        }
    }

    package func application(key: Identifier) -> ServedChatApplication? { backend(of: key.text).application(key: key) }
    package func gateway(key: Identifier) -> (any ChatGateway)? { backend(of: key.text).gateway(key: key) }
    package var forwarder: (any ChatForwarder)? { self }

    /// Session ids in a cluster are random, so an id that one partition's backend makes is unique in all partitions.
    package func newSession(on eventLoopID: Int) -> ChatSessionID { backends[0].newSession(on: eventLoopID) }

    package func prepare(_ settings: [ChatApplication]) async throws -> ChatReload { try await backends[0].prepare(settings) }

    package func take(_ reload: ChatReload) {
        for backend in backends { backend.take(reload) }
    }

    // MARK: The node

    package func prepare() async throws {
        for backend in backends { try await backend.prepare() }
    }

    package func join(_ node: any ChatNode) {
        for backend in backends { backend.join(node) }
    }

    package func leave(_ node: any ChatNode) async {
        await withTaskGroup(of: Void.self) { group in
            for backend in backends { group.addTask { await backend.leave(node) } }
        }
    }

    package func tellsWebhooks(_ node: any ChatNode) -> Bool { backends.contains { $0.tellsWebhooks(node) } }

    package func sweep(by node: any ChatNode) {
        for backend in backends { backend.sweep(by: node) }
    }
}

extension PartitionedChat: ChatForwarder {
    /// Forwards a call to the partition of the application that the call names. A call that names no application or several goes to any
    /// leader, which refuses it.
    package func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        let forwarder = backend(of: request.headers.first(name: "App-Key") ?? "").forwarder
        guard let forwarder else { return reply(HTTPAnswer(ChatAPIProblem.unavailable)) }
        forwarder.answer(request, reply: reply)
    }

    package func issueToken(hash: Identifier, app: String, user: Identifier, name: String?) async throws(ChatTokenProblem) {
        guard let forwarder = backend(of: app).forwarder else { throw .notStored }
        try await forwarder.issueToken(hash: hash, app: app, user: user, name: name)
    }

    package func publish(_ draft: ChatMessageDraft, from service: String, as user: Identifier, to key: String) {
        backend(of: key).forwarder?.publish(draft, from: service, as: user, to: key)
    }
}
