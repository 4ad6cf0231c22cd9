import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerStorage

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// A keyset with a store in memory and a clock that stands still, asked without a socket.
final class PubNubRESTFixture: Sendable {
    struct Answer: Hashable {
        var status: Int
        var contentType: String
        var body: String
    }

    /// A second of 2020 in which the first tokens are given out.
    static let start = 1_580_000_000
    /// The keyset of development, with the access manager.
    static let guarded: Keyset = {
        var keyset = Keyset.development
        keyset.requiresGrants = true
        return keyset
    }()

    let application: PubNubApplication
    private let seconds: NIOLockedValueBox<Int>

    init(
        _ keyset: Keyset = .development, store: (any MessageStore)? = nil, restored: RestoredState = RestoredState(),
        occupancyLimits: OccupancyLimits = OccupancyLimits(), objectLimits: ObjectLimits = ObjectLimits()
    ) {
        let seconds = NIOLockedValueBox(Self.start)
        self.seconds = seconds
        let ticks: @Sendable () -> UInt64 = { UInt64(seconds.withLockedValue { $0 }) * TimetokenClock.ticksPerSecond }
        let store = store ?? InMemoryMessageStore(now: ticks)
        application = PubNubApplication(
            keyset: keyset, number: 0, storage: StreamStorage(store: store, restored: restored, unixTicks: ticks),
            restored: restored, limits: StreamLimits(),
            clock: ServerClock(
                monotonic: { MonotonicInstant(nanoseconds: Int64(seconds.withLockedValue { $0 }) * 1_000_000_000) },
                unixSeconds: { seconds.withLockedValue { $0 } }, unixTicks: ticks),
            nodes: NodeList(), occupancyLimits: occupancyLimits, objectLimits: objectLimits)
    }

    func pass(seconds count: Int) {
        seconds.withLockedValue { $0 += count }
    }

    /// The answer to a request, as the front gives it: rights first, then the service.
    ///
    /// - Parameter client: names the address that asks.
    func ask(
        _ target: String, method: String = "GET", body: String = "", ifMatch: String? = nil, client: String? = nil
    ) async throws -> Answer {
        let target = try RequestTarget(parsing: target)
        let address = try PubNubAddress(method: method, segments: target.segments)
        let request = PubNubServerRequest(
            method: method, target: target, body: Array(body.utf8), ifMatch: ifMatch, client: client)
        if application.keyset.requiresGrants,
            let refusal = PubNubAccess(application: application).refusal(of: request, address.route)
        {
            return Self.answer(HTTPAnswer(refusal))
        }
        return await withCheckedContinuation { continuation in
            PubNubREST(application: application).answer(request, address.route) {
                continuation.resume(returning: Self.answer($0))
            }
        }
    }

    /// The body of an answer with status 200.
    func body(_ target: String, method: String = "GET", body: String = "") async throws -> String {
        let answer = try await ask(target, method: method, body: body)
        return answer.status == 200 ? answer.body : "\(answer.status) \(answer.body)"
    }

    /// The target of a request signed with the keyset's secret.
    func signed(_ path: String, method: String = "GET", _ parameters: [String: String] = [:], body: String = "") -> String {
        let keyset = application.keyset
        let all = PubNubSignature.signed(
            method: method, path: path, parameters: parameters.map { PubNubRequest.Parameter($0.key, $0.value) },
            body: Array(body.utf8), publishKey: keyset.publishKey, subscribeKey: keyset.subscribeKey,
            secretKey: keyset.secretKey.revealed, timestamp: application.clock.unixSeconds())
        let signature = all.last?.value ?? ""
        return path + "?" + PubNubSignature.query(all) + "&signature=" + signature
    }

    /// Stores a message and gives its timetoken, which is that of the running second and one more for each in it, unless `token` names
    /// another.
    @discardableResult
    func store(
        _ payload: String, on channel: Identifier, metadata: String? = nil, by publisher: String? = "u", kind: Int = 0,
        customType: String? = nil, at token: UInt64? = nil
    ) -> UInt64 {
        let token = token ?? application.storage.tokens.next()
        let message = StoredMessage(
            timetoken: token, channel: channel, publisher: publisher, payload: Array(payload.utf8),
            metadata: metadata.map { Array($0.utf8) }, kind: kind, customType: customType)
        application.storage.store.append(message, application: application.keyset.subscribeKey) { _ in }
        return token
    }

    /// What subscribers of a channel were sent since the beginning, as elements without their end.
    func delivered(on channel: Identifier) -> [String] {
        application.withState { state in
            state.streams.read(after: 1, StreamInterest(channels: [channel]), limit: 1000).deliveries.map {
                String(decoding: $0.entry.attachment.shared, as: UTF8.self)
            }
        }
    }

    private static func answer(_ answer: HTTPAnswer) -> Answer {
        Answer(
            status: answer.status, contentType: answer.contentType.rawValue, body: String(decoding: answer.body, as: UTF8.self))
    }
}
