import ConnectionEngine
import EngineRuntime
import HTTPTransport
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol

@testable import PubNub

/// A PubNub service that does what a test says: under the client in place of engine and network.
final class ScriptedService: SubscriptionEngine, CallTransport {
    private struct State {
        var body: (@Sendable ([SubscriptionNotice]) -> Void)?
        var commands: [String] = []
        var answers: [(Int, String)] = []
        var failure: ConnectionFailure?
        var calls = 0
    }

    private let state = NIOLockedValueBox(State())

    /// A client of the service, whose callbacks come at once.
    func client(cipherKey: String? = nil) -> PubNub {
        var values = ConfigurationValues(publishKey: "demo", subscribeKey: "demo", uuid: "me", deviceID: "device")
        values.cipherKey = cipherKey
        return PubNub(
            values, queue: .inline, assembly: PubNubEngineAssembly(makeCalls: { _ in self }, makeEngine: { _, _ in self }))
    }

    // MARK: Calls

    /// Answers for calls, each with a status; the last one counts for all that follow.
    func answer(_ answers: (Int, String)...) { state.withLockedValue { $0.answers = answers } }

    func fail(_ category: StatusCategory) {
        state.withLockedValue { $0.failure = ConnectionFailure(category, "Scripted.") }
    }

    /// How many calls were made.
    var calls: Int { state.withLockedValue { $0.calls } }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let (failure, answer) = state.withLockedValue { state in
            state.calls += 1
            let answer = state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first
            return (state.failure, answer)
        }
        if let failure {
            completion(.failure(failure))
        } else if let (status, body) = answer {
            let type = HTTPField("Content-Type", body.hasPrefix("<") ? "text/html" : "text/javascript")
            completion(.success(HTTPCallAnswer(status: status, headers: [type], body: Array(body.utf8), url: "")))
        }
        return {}
    }

    // MARK: Subscription

    /// What the client asked of its subscription.
    var commands: [String] { state.withLockedValue { $0.commands } }

    func perform(_ command: PubNubCommand) {
        let word =
            switch command {
            case .subscribe(let list, _, _): "subscribe \(list.channels.joined(separator: ","))"
            case .setFilter(let filter): "filter \(filter ?? "-")"
            default: "other"
            }
        state.withLockedValue { $0.commands.append(word) }
    }

    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void) {
        perform(command)
        completion()
    }

    func connect() {}
    func cancelRetry() { state.withLockedValue { $0.commands.append("cancelRetry") } }
    func abandon() -> AbandonedPosition { { then in then(self.cursor) } }
    func moved(to place: ApplicationMonitor.Place) {}
    var cursor: PubNubCursor { .start }
    var states: [Identifier: String] { [:] }

    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        return Observation {}
    }

    func tell(_ notices: SubscriptionNotice...) { state.withLockedValue { $0.body }?(notices) }

    /// The service confirms a list.
    func confirm(_ channels: String...) {
        tell(.event(.subscribed(PubNubList(channels: channels), previous: .start, current: .start, isRenewal: false)))
    }

    /// A subscribe request fails.
    func refuse(_ problem: PubNubProblem, isFinal: Bool = false) {
        tell(
            .event(.problem(problem)),
            .change(
                ConnectionChange(
                    previous: .connecting, phase: isFinal ? .failed : .waiting, category: problem.category,
                    cause: problem.failure, attempt: 1, retryIn: isFinal ? nil : .seconds(1), willRetry: !isFinal, at: .zero)))
    }

    func deliver(_ payload: String, on channel: String) {
        let message = PubNubMessage(channel: channel, publisher: "them", timetoken: Timetoken(rawValue: 17), payload: payload)
        tell(.event(.messages(PubNubBatch(messages: [message], previous: .start, current: .start))))
    }
}
