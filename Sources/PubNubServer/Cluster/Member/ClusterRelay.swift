import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime

/// Sends the presence and cursors of the node's polls to the leader, and requests from the leader the messages that the polls lack.
final class ClusterRelay: PresenceRelay {
    let bus: any ClusterBus
    private let clock: ServerClock
    private let touches = NIOLockedValueBox(TouchTable())
    /// The number of presence reports that the leader has not answered.
    private let unanswered = NIOLockedValueBox(0)

    /// The largest number of presence reports that wait for a leader without a time limit. Each report beyond this number waits for
    /// ``callLimit`` at most and is then dropped.
    private static let waitingTouches = 10_000

    init(_ bus: any ClusterBus, clock: ServerClock) {
        self.bus = bus
        self.clock = clock
    }

    /// Sends a request to the leader. Every request of this service may be repeated to the next leader, for one of two reasons. Either the
    /// leader emits the answer together with the effects, so that a request without an answer has had no effect. Or performing the request
    /// twice has the same effect as performing it once.
    func send(
        _ request: PubNubClusterRequest, within limit: Duration?,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        bus.request(request.encoded(), of: .pubnub, within: limit, isRepeatable: true, completion: completion)
    }

    /// Sends a request that only reads. Its answer does not go through the log.
    func query(
        _ request: PubNubClusterRequest, within limit: Duration?,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        bus.query(request.encoded(), of: .pubnub, within: limit, isRepeatable: true, completion: completion)
    }

    /// The time limit of a request to the leader: the same as for requests of clients.
    var callLimit: Duration { type(of: bus).callLimit }

    // MARK: Messages

    func request(_ request: CatchUpQueue.Request, of application: PubNubApplication) {
        query(.missed(request.ranges, subscribeKey: application.subscribeKey), within: nil) { result in
            // The answer is empty while the leader does not have the keyset.
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
            // After a failure the user is removed from the table of users whose presence was reported, so that the user's next poll reports
            // it again.
            if case .failure = result { self?.forget(touch.user.id, of: application) }
        }
    }

    /// Removes a user who is no longer present from the table of users whose presence was reported, so that the user's next poll reports it
    /// again.
    func forget(_ user: Identifier, of application: PubNubApplication) {
        touches.withLockedValue { $0.remove(user, application.number) }
    }

    func forgetAll() { touches.withLockedValue { $0.removeAll() } }

    func age() { touches.withLockedValue { $0.age() } }

    /// A cursor behind this node's clock is not reported, because the leader's timetokens are already greater than this cursor.
    func advance(past cursor: UInt64, of application: PubNubApplication) {
        guard cursor > clock.unixTicks() else { return }
        send(.advance(past: cursor, subscribeKey: application.subscribeKey), within: callLimit) { _ in }
    }
}
