import Identifiers
import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime

// The leader in a cluster with several partitions: it performs the part of an HTTP API request that concerns its partition, and reports to
// all nodes how many channels and subscriptions each application has in its partition.
extension PusherClusterLeader {
    func handle(_ request: PartitionRequest, _ reply: @escaping @Sendable (ByteBuffer) -> Void) {
        let answer: PartitionAnswer
        do throws(HTTPProblem) {
            switch request {
            case .list(let list): return find(list, reply)
            case .events(let id, let requests):
                guard let application = application(id) else { throw .unknownApplication }
                answer = .done(RESTService(service: service).publish(checked: requests, application))
            case .spend(let id, let publishes, let queries):
                guard let application = application(id) else { throw .unknownApplication }
                if publishes > 0 { try channels.spend(publishes: publishes, of: application) }
                if queries > 0 { try channels.spendQuery(of: application) }
                answer = .done([])
            }
        } catch {
            answer = .refused(HTTPAnswer(error))
        }
        reply(answer.encoded())
    }

    /// Finds channels on a thread pool, because searching many channels and encoding the answer takes longer than an event loop may spend
    /// on one request (rule SR-69).
    private func find(_ list: ChannelListQuery, _ reply: @escaping @Sendable (ByteBuffer) -> Void) {
        @Sendable func find() -> PartitionAnswer {
            do throws(HTTPProblem) {
                return .channels(try list.find(in: channels))
            } catch {
                return .refused(HTTPAnswer(error))
            }
        }
        guard channels.channelCount > ChannelListQuery.few else { return reply(find().encoded()) }
        NIOThreadPool.singleton.submit { state in
            let isShuttingDown = if case .active = state { false } else { true }
            let answer: PartitionAnswer = isShuttingDown ? .refused(HTTPAnswer(HTTPProblem(.closed))) : find()
            reply(answer.encoded())
        }
    }

    // MARK: Limits

    /// Sends all nodes the numbers of channels and subscriptions of each application whose numbers have changed since the last call (rule
    /// CP-79).
    func tellUses() {
        guard channels.partition.isOneOfSeveral else { return }
        let uses = channels.quota.uses
        let changed: [ApplicationUse] = toldUses.withLockedValue { told in
            defer { told = uses }
            let gone = told.keys.filter { uses[$0] == nil }.map { ApplicationUse(application: $0.text, use: ChannelUse()) }
            return gone + uses.filter { told[$0.key] != $0.value }.map { ApplicationUse(application: $0.key.text, use: $0.value) }
        }
        if !changed.isEmpty { output.emit(PusherFact.uses(changed, isWhole: false).encoded(), of: .pusher) }
    }

    /// Sends how many channels and subscriptions each application has in this partition to a node that has announced itself. The node may
    /// have no such numbers, or those of an earlier leader.
    func tellUses(to node: ClusterNode) {
        guard channels.partition.isOneOfSeveral else { return }
        // Changes are sent to all nodes first, so that `toldUses` has all numbers that this node receives. A number that is not in
        // `toldUses` and becomes 0 before the next sweep would never be corrected on the node.
        tellUses()
        let uses = channels.quota.uses.map { ApplicationUse(application: $0.key.text, use: $0.value) }
        output.emit(PusherFact.uses(uses, isWhole: true).encoded(), of: .pusher, to: .node(node))
    }
}
