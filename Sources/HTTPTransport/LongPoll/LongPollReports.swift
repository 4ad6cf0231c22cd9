import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore

/// Receives the outcomes of an attempt's requests. The protocol is not generic over the session, so the code that makes requests is
/// compiled only once.
protocol LongPollReports: AnyObject, Sendable {
    /// Decodes an answer and reports it. Called on the event loop.
    func answered(_ id: UInt64, head: HTTPAnswerHead, body: ByteBuffer, isPoll: Bool)
    func failed(_ id: UInt64, _ failure: ConnectionFailure)
    func heard()
    /// Reports that the attempt has ended. Nothing is reported after that.
    func closed(_ failure: ConnectionFailure)
    /// Suppresses all further reports. May be called from any thread.
    func silence()
}

/// Decodes answers and passes all outcomes to the driver's report closure.
final class LongPollReporter<Decoder: LongPollDecoder>: LongPollReports {
    typealias Event = TransportEvent<LongPollInbound<Decoder.Answer>>
    typealias Report = @Sendable (Event) -> Void

    /// The closure is wrapped in a struct, because a bare closure in a generic box gets another reabstraction wrapper with every access,
    /// which makes calls slower and slower.
    private struct State {
        var report: Report?
    }

    private let state: NIOLockedValueBox<State>
    private let decoder: NIOLoopBoundBox<Decoder>

    init(decoder: Decoder, eventLoop: any EventLoop, report: @escaping Report) {
        state = NIOLockedValueBox(State(report: report))
        self.decoder = .makeBoxSendingValue(decoder, eventLoop: eventLoop)
    }

    func answered(_ id: UInt64, head: HTTPAnswerHead, body: ByteBuffer, isPoll: Bool) {
        guard let report = state.withLockedValue({ $0 }).report else { return }
        let answer = body.withUnsafeReadableBytes { decoder.value.decode(head, body: $0, isPoll: isPoll) }
        report(.received([LongPollInbound(id: id, result: .success(answer))]))
    }

    func failed(_ id: UInt64, _ failure: ConnectionFailure) {
        state.withLockedValue { $0 }.report?(.received([LongPollInbound(id: id, result: .failure(failure))]))
    }

    func heard() {
        state.withLockedValue { $0 }.report?(.heard)
    }

    func closed(_ failure: ConnectionFailure) {
        let last = state.withLockedValue { state in
            defer { state.report = nil }
            return state
        }
        last.report?(.closed(failure))
    }

    func silence() {
        state.withLockedValue { $0.report = nil }
    }
}
