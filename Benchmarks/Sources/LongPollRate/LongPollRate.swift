import ConnectionEngine
import EngineRuntime
import Foundation
import HTTPTransport
import Measuring
import NIOPosix

/// Polls a feeder with nothing but engine and transport, and prints one line of JSON after the last answer: what a poll costs before
/// anybody reads its messages.
///
/// Usage: LongPollRate PORT CHANNEL, with a channel of `PollFeeder`.
@main struct LongPollRate {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            print("usage: LongPollRate PORT CHANNEL")
            exit(2)
        }
        let channel = arguments[2]
        let total = channel.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? 0
        let driver = ConnectionDriver<RateSession>(
            transport: LongPollTransport(decoder: { PositionDecoder() }), jobs: NoJobs(),
            timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
            policy: ConnectionPolicy(probesSilence: false), memory: RateSession.Memory(port: port, channel: channel))
        let counter = Counter(last: RateSession.base + UInt64(total))
        let observation = driver.notices.observe(on: .inline) { counter.heard($0) }
        driver.submit(.connect(within: nil))
        withExtendedLifetime((driver, observation)) { dispatchMain() }
    }
}

/// Counts answers until the last.
final class Counter: @unchecked Sendable {
    // Touched on the transport's event loop only, which takes the place of a lock.
    private let measurement = Measurement(client: "LongPollTransport", measuresLatency: false)
    private let last: UInt64

    init(last: UInt64) {
        self.last = last
    }

    func heard(_ notices: [Notice<RateSession>]) {
        for notice in notices {
            switch notice {
            case .event(let position):
                if !measurement.isRunning { measurement.start() }
                measurement.tick(bytes: 0, sentAt: nil)
                if position < last { continue }
                measurement.report()
                exit(0)
            case .change(let change):
                if let cause = change.cause { print(cause) }
            case .dropped: continue
            }
        }
    }
}

/// Finds the timetoken of an answer and reads nothing else.
struct PositionDecoder: LongPollDecoder {
    func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> UInt64 {
        // {"t":{"t":"
        var position: UInt64 = 0
        for byte in body.dropFirst(11) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            position = position * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return position
    }
}

/// Asks for what comes after the last position, and tells each position.
struct RateSession: LongPollSession {
    static var base: UInt64 { 17_000_000_000_000_000 }

    struct Memory: Sendable {
        var port: Int
        var channel: String
    }

    typealias Decoder = PositionDecoder
    typealias Inbound = LongPollInbound<UInt64>
    typealias Outbound = LongPollOutbound
    typealias Endpoint = HTTPEndpoint
    typealias Command = Never
    typealias Reply = Never
    typealias Event = UInt64
    typealias Job = Never
    typealias JobResult = Never

    private var number: UInt64 = 0

    static func endpoint(for memory: Memory) -> HTTPEndpoint {
        HTTPEndpoint(host: "127.0.0.1", port: memory.port, usesTLS: false)
    }

    init(memory: inout Memory) {}

    mutating func opened(memory: inout Memory, out: inout SessionActions<Self>) {
        out.ready()
        poll(after: 0, memory, &out)
    }

    mutating func received(_ inbound: Inbound, memory: inout Memory, out: inout SessionActions<Self>) {
        switch inbound.result {
        case .success(let position):
            out.emit(position)
            poll(after: position, memory, &out)
        case .failure(let failure): out.fault(failure)
        }
    }

    mutating func perform(_ command: Never, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>) {}
    static func performOffline(_ command: Never, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>) {}

    private mutating func poll(after position: UInt64, _ memory: Memory, _ out: inout SessionActions<Self>) {
        number += 1
        let target =
            "/v2/subscribe/demo/\(memory.channel)/0?tt=\(position)&tr=1&uuid=benchmark&pnsdk=PubNub-Cocoa-Swift%2F4.17.0&heartbeat=300"
        out.send(.poll(HTTPExchange(id: number, target: target, timeout: .seconds(310))))
    }
}

final class NoJobs: JobRunner {
    typealias Session = RateSession

    func start(
        _ job: Never, completion: @escaping @Sendable (Result<Never, ConnectionFailure>) -> Void
    ) -> JobCancellation {}
}
