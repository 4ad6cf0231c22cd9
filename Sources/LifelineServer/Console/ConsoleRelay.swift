import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Forwards console calls of a node to the leader of the cluster, whose services answer them from their own state (rule CO-96).
package final class ConsoleRelay: ClusterLeaderFactory {
    private let bus: any ClusterBus
    private let leaders = NIOLockedValueBox<[ServiceName: @Sendable () -> (any ConsoleCalls)?]>([:])

    /// How long a call waits for the leader's answer.
    private static let limit = Duration.seconds(3)

    package init(_ bus: any ClusterBus) { self.bus = bus }

    /// Registers the handler of a service's console calls. While this node leads the cluster, the handler gets the calls of all nodes.
    ///
    /// - Parameter leader: returns the handler; nil while this node does not lead the cluster.
    package func answer(for service: ServiceName, by leader: @escaping @Sendable () -> (any ConsoleCalls)?) {
        leaders.withLockedValue { $0[service] = leader }
    }

    /// Asks the leader.
    func call(_ call: ConsoleCall, of service: ServiceName) async throws(HTTPProblem) -> ConsoleReply {
        guard let bytes = try? JSONEncoder().encode(ForwardedConsoleCall(service: service.rawValue, call: call)) else {
            throw HTTPProblem(
                400, "The request cannot be sent to the leader of the cluster, because its texts cannot be encoded as JSON.")
        }
        let payload = ByteBuffer(bytes: bytes)
        let result: Result<ByteBuffer, ClusterFailure> = await withCheckedContinuation { continuation in
            if call.isReading {
                // Calls that only read are queries: their answers can be long lists, and are not written to the cluster's log in Redis
                // (rule CR-40).
                bus.query(payload, of: .console, within: Self.limit, isRepeatable: true) { continuation.resume(returning: $0) }
            } else {
                // The request is not sent again to another leader, because the first leader may have carried it out without its answer
                // having arrived.
                bus.request(payload, of: .console, within: Self.limit, isRepeatable: false) {
                    continuation.resume(returning: $0)
                }
            }
        }
        switch result {
        case .failure(let failure): throw HTTPProblem(failure)
        case .success(let answer):
            guard let reply = try? JSONDecoder().decode(ConsoleReply.self, from: Data(answer.readableBytesView)) else {
                throw HTTPProblem(503, "The leader of the cluster did not answer this call. Try again.", retryAfter: 1)
            }
            if case .refused(let status, let message) = reply { throw HTTPProblem(status, message) }
            return reply
        }
    }

    // MARK: Calls on the leader

    package func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader { ConsoleLeader(self) }

    fileprivate func answer(_ request: ByteBuffer) async -> ConsoleReply {
        let call = try? JSONDecoder().decode(ForwardedConsoleCall.self, from: Data(request.readableBytesView))
        guard let call, let leader = leaders.withLockedValue({ $0[ServiceName(rawValue: call.service)] })?() else {
            return .refused(status: 503, message: "The leader of the cluster cannot answer this call now. Try again.")
        }
        return await call.call.answer(by: leader)
    }
}

/// Answers the console calls of all nodes while this node leads. It has no state: the services of this node answer the calls from their own
/// state.
private final class ConsoleLeader: ClusterLeader {
    private let relay: ConsoleRelay

    init(_ relay: ConsoleRelay) { self.relay = relay }

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        Task {
            let answer = await relay.answer(request)
            // If the answer cannot be encoded, an empty answer is sent, and the calling node reports an error.
            reply(ByteBuffer(bytes: (try? JSONEncoder().encode(answer)) ?? Data()))
        }
    }

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
    func left(_ node: ClusterNode) {}
    func close() async {}
}
