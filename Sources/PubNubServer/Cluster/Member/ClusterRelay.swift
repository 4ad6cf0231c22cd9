import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime

/// Sends the presence changes and cursors of the node's polls to the leader, and requests messages for them.
final class ClusterRelay: PresenceRelay {
    let bus: any ClusterBus
    private let clock: ServerClock
    private let touches = NIOLockedValueBox(TouchTable())
    /// The number of touches that the leader has not answered.
    private let unanswered = NIOLockedValueBox(0)

    /// The largest number of touches that wait for a leader. Further ones are dropped, like calls of clients.
    private static let waitingTouches = 10_000

    init(_ bus: any ClusterBus, clock: ServerClock) {
        self.bus = bus
        self.clock = clock
    }

    /// Every request of this service may be repeated to the next leader: either its answer is part of the emission with its
    /// effects, or repeating it changes nothing.
    func send(
        _ request: PubNubClusterRequest, within limit: Duration?,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        bus.request(request.encoded(), of: .pubnub, within: limit, isRepeatable: true, completion: completion)
    }

    /// Sends a request that only reads; its answer does not go through the log.
    func query(
        _ request: PubNubClusterRequest, within limit: Duration?,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        bus.query(request.encoded(), of: .pubnub, within: limit, isRepeatable: true, completion: completion)
    }

    /// The same time limit as for a call of a client.
    var callLimit: Duration { type(of: bus).callLimit }

    // MARK: Messages

    func request(_ request: CatchUpQueue.Request, of application: PubNubApplication) {
        query(.missed(request.ranges, subscribeKey: application.subscribeKey), within: nil) { result in
            // The answer is empty when the leader does not know the keyset yet.
            let answer = (try? result.get()).flatMap { try? CatchUpAnswer(decoding: $0) }
            application.take(answer, to: request.number)
        }
    }

    // MARK: Presence

    func knows(_ user: OccupancyUser, _ request: TouchedRequest, of application: PubNubApplication) -> Bool {
        touches.withLockedValue { $0.contains(request, of: user, application.number) }
    }

    func touch(_ touch: PubNubClusterRequest.PresenceTouch, _ request: TouchedRequest, of application: PubNubApplication) {
        touches.withLockedValue { $0.insert(request, of: touch.user, application.number) }
        let count = unanswered.withLockedValue { count in
            count += 1
            return count
        }
        let limit: Duration? = count <= Self.waitingTouches ? nil : callLimit
        send(.touch(touch, subscribeKey: application.subscribeKey), within: limit) { [weak self] result in
            self?.unanswered.withLockedValue { $0 -= 1 }
            // The next poll of the user repeats the touch.
            if case .failure = result { self?.forget(touch.user.id, of: application) }
        }
    }

    /// Forgets a user who is no longer present. The user joins again with the next poll.
    func forget(_ user: Identifier, of application: PubNubApplication) {
        touches.withLockedValue { $0.remove(user, application.number) }
    }

    func forgetAll() { touches.withLockedValue { $0.removeAll() } }

    func age() { touches.withLockedValue { $0.age() } }

    /// Only a cursor that is ahead of this node's clock can be ahead of the leader's timetokens.
    func advance(past cursor: UInt64, of application: PubNubApplication) {
        guard cursor > clock.unixTicks() else { return }
        send(.advance(past: cursor, subscribeKey: application.subscribeKey), within: callLimit) { _ in }
    }
}
