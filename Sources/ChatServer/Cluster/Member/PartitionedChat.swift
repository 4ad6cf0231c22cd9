import ChatProtocol
import Identifiers
import ServerCluster
import ServerRuntime
import ServerStorage

/// The chat applications of a cluster with several partitions: each application is that of its own partition (CR-50).
package final class PartitionedChat: ChatStateBackend {
    private let partitions: ClusterPartitions
    private let backends: [any ChatStateBackend]

    /// - Parameter backends: the backend of each partition, with all applications in the same order; nil if there cannot be as many.
    package init?(_ backends: [any ChatStateBackend]) {
        guard let partitions = ClusterPartitions(backends.count) else { return nil }
        self.partitions = partitions
        self.backends = backends
    }

    /// The backend for so many partitions: that of the only one, or a router.
    ///
    /// - Parameter backends: at least one.
    package static func of(_ backends: [ClusteredChat]) -> any ChatStateBackend {
        guard backends.count > 1, let router = PartitionedChat(backends) else { return backends[0] }
        return router
    }

    private func partition(of key: String) -> Int { partitions.partition(of: key, in: .chat) }
    private func backend(of key: String) -> any ChatStateBackend { backends[partition(of: key)] }

    // MARK: Applications

    /// Those of the partitions that this process leads.
    package var applications: [ServedChatApplication] {
        backends.enumerated().flatMap { index, backend in
            backend.applications.filter { partition(of: $0.key) == index }
        }
    }

    package func application(key: Identifier) -> ServedChatApplication? { backend(of: key.text).application(key: key) }
    package func gateway(key: Identifier) -> (any ChatGateway)? { backend(of: key.text).gateway(key: key) }
    package var forwarder: (any ChatForwarder)? { self }

    /// The identities of a cluster are random, so those of one partition are unique among all.
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
    /// Goes to the partition of the application that the call names. A call that names none, or several, is refused by any leader.
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
