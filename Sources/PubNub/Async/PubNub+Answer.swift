import ConnectionEngine
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import WireCoding

// The requests of the async functions: without the callback queue, and cancelled with their task (rules PL-75 to PL-77).
extension PubNub {
    /// Makes a call and waits for its answer. Cancelling the task ends the request and throws `PNCancelledCategory`.
    ///
    /// - Parameter publishes: whether the call publishes something, so that its outcome is measured (rule PK-68).
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

    /// A message of any type as JSON text.
    func json(_ message: some Encodable) throws(PNCallError) -> JSONText {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return JSONText(checked: String(decoding: try encoder.encode(message), as: UTF8.self))
        } catch {
            throw PNCallError(.badArguments("The message cannot be written as JSON. Check how its type encodes itself."))
        }
    }
}

/// One request that can be cancelled before, while and after it is sent.
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
