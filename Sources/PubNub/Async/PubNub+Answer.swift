import ConnectionEngine
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import WireCoding

// Sends the requests of the async functions. They do not use the callback queue, and cancelling the task cancels the request (rules PL-75
// to PL-77).
extension PubNub {
    /// Sends the request of a call and waits for the answer. Cancelling the task ends the request and throws `PNCancelledCategory`.
    ///
    /// - Parameter publishes: whether the call publishes a message, so that the client's metrics record its outcome (rule PK-68).
    func answer<Call: PubNubCall>(
        to call: Call, compresses: Bool = false, publishes: Bool = false
    ) async throws(PNCallError) -> Call.Answer {
        let telemetry = publishes ? telemetry : nil
        let began = ContinuousClock.now
        do throws(PubNubProblem) {
            let request = try source.assemble(call, values: configuration, extra: [], compresses: compresses)
            let answer = try await source.exchange(request).read(by: call)
            telemetry?.noted(.published(.accepted, category: nil, code: nil, roundTrip: ContinuousClock.now - began))
            return answer
        } catch {
            telemetry?.noted(.notPublished(error.failure, after: ContinuousClock.now - began))
            throw PNCallError(error)
        }
    }

    /// Encodes a value of any type as JSON text.
    func json(_ message: some Encodable) throws(PNCallError) -> JSONText {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return JSONText(checked: String(decoding: try encoder.encode(message), as: UTF8.self))
        } catch {
            throw PNCallError(.badArguments("The value cannot be encoded as JSON. Check the method encode(to:) of its type."))
        }
    }
}

/// One request of a task. The request can be cancelled before it is sent, while it is being sent and afterwards.
final class CallTicket: Sendable {
    private enum State {
        case unsent
        case sent(UInt64)
        case cancelled
    }

    private let runner: CallRunner
    private let state = NIOLockedValueBox(State.unsent)

    init(runner: CallRunner) {
        self.runner = runner
    }

    func send(_ request: CallRequest, completion: @escaping CallRunner.Completion) {
        let id = runner.send(request, completion: completion)
        let isCancelled = state.withLockedValue { state in
            if case .cancelled = state { return true }
            state = .sent(id)
            return false
        }
        if isCancelled { runner.cancel(id) }
    }

    func cancel() {
        let before = state.withLockedValue { state in
            defer { state = .cancelled }
            return state
        }
        if case .sent(let id) = before { runner.cancel(id) }
    }
}
