import Testing

@testable import Lifeline

/// Every phase of a message with every input: what the message is afterwards, and what is done.
@Suite struct OutboxTableTests {
    enum Phase: String, CaseIterable { case saving, waiting, paused, marking, sending, refused, unknown, expired }
    enum Input: String, CaseIterable {
        case stored, connected, disconnected, accepted, refusedForGood, refusedForNow, lost, deadline, cancelled, retried, closed
    }

    /// Without ids: nothing is repeated.
    private static let table: [Phase: [Input: (state: String?, words: [String])]] = [
        .saving: [
            .stored: ("sending", []), .connected: ("waiting", []), .disconnected: ("waiting", []),
            .accepted: ("waiting", []), .refusedForGood: ("waiting", []), .refusedForNow: ("waiting", []), .lost: ("waiting", []),
            .deadline: ("waiting", []),
            .cancelled: (nil, ["a cancelled"]), .retried: ("waiting", ["error badRequest"]), .closed: ("waiting", []),
        ],
        .waiting: [
            .stored: ("waiting", []), .connected: ("sending", ["send a"]), .disconnected: ("waiting", []),
            .accepted: ("waiting", []),
            .refusedForGood: ("waiting", []), .refusedForNow: ("waiting", []), .lost: ("waiting", []),
            .deadline: ("expired", ["a expired"]), .cancelled: (nil, ["a cancelled"]),
            .retried: ("waiting", ["error badRequest"]),
            .closed: ("waiting", ["closed"]),
        ],
        .paused: [
            .stored: ("waiting", []), .connected: ("waiting", []), .disconnected: ("waiting", []), .accepted: ("waiting", []),
            .refusedForGood: ("waiting", []), .refusedForNow: ("waiting", []), .lost: ("waiting", []),
            // The pause is over long before.
            .deadline: ("sending", ["send a", "cancel a"]), .cancelled: (nil, ["a cancelled"]),
            .retried: ("waiting", ["error badRequest"]), .closed: ("waiting", ["closed"]),
        ],
        .marking: [
            .stored: ("sending", ["send a"]), .connected: ("sending", []), .disconnected: ("sending", []),
            .accepted: ("sending", []),
            .refusedForGood: ("sending", []), .refusedForNow: ("sending", []), .lost: ("sending", []), .deadline: ("sending", []),
            .cancelled: ("sending", []), .retried: ("sending", ["error badRequest"]), .closed: ("sending", []),
        ],
        .sending: [
            .stored: ("sending", []), .connected: ("sending", []), .disconnected: ("sending", []),
            .accepted: (nil, ["a accepted 7"]), .refusedForGood: ("refused accessDenied", ["a refused accessDenied"]),
            .refusedForNow: ("waiting", []), .lost: ("unknown timeout", ["a unknown timeout"]),
            .deadline: ("sending", ["cancel a"]), .cancelled: ("sending", []), .retried: ("sending", ["error badRequest"]),
            .closed: ("sending", []),
        ],
        .refused: Self.failed("refused accessDenied"),
        .unknown: Self.failed("unknown timeout"),
        .expired: Self.failed("expired"),
    ]

    private static func failed(_ state: String) -> [Input: (state: String?, words: [String])] {
        var row = Dictionary(uniqueKeysWithValues: Input.allCases.map { ($0, (state: Optional(state), words: [String]())) })
        row[.cancelled] = (nil, [])
        row[.retried] = ("sending", ["send a"])
        row[.closed] = (state, ["closed"])
        return row
    }

    private func bench(in phase: Phase) -> OutboxBench {
        var bench = OutboxBench(isConnected: phase != .waiting)
        switch phase {
        case .saving:
            bench.holdsStore = true
            bench.add("a", lifetime: .seconds(10))
        case .waiting: bench.add("a", lifetime: .seconds(10))
        case .paused:
            bench.add("a", lifetime: .seconds(10))
            bench.sent("a", .refused(LifelineError(.init(.overloaded), "Later.")))
        case .marking:
            bench.disconnect()
            bench.add("a", lifetime: .seconds(10))
            bench.holdsStore = true
            bench.connect()
        case .sending: bench.add("a", lifetime: .seconds(10))
        case .refused:
            bench.add("a", lifetime: .seconds(10))
            bench.sent("a", .refused(OutboxBench.error))
        case .unknown:
            bench.add("a", lifetime: .seconds(10))
            bench.sent("a", .unknown(OutboxBench.lost))
        case .expired:
            bench.disconnect()
            bench.add("a", lifetime: .seconds(10))
            bench.advance(by: 10)
            bench.connect()
        }
        _ = bench.take()
        return bench
    }

    private func put(_ input: Input, into bench: inout OutboxBench) {
        switch input {
        case .stored: bench.confirm()
        case .connected: bench.connect()
        case .disconnected: bench.disconnect()
        case .accepted: bench.sent("a", .accepted(id: "7"))
        case .refusedForGood: bench.sent("a", .refused(OutboxBench.error))
        case .refusedForNow: bench.sent("a", .refused(LifelineError(.networkUnavailable, "No route.")))
        case .lost: bench.sent("a", .unknown(OutboxBench.lost))
        case .deadline: bench.advance(by: 60)
        case .cancelled: bench.cancel("a")
        case .retried: if let error = bench.retry("a") { bench.words.append("error \(error.code)") }
        case .closed: bench.close()
        }
    }

    @Test(arguments: Phase.allCases, Input.allCases)
    func `LL-93: what follows is as the table says`(_ phase: Phase, _ input: Input) throws {
        var bench = bench(in: phase)
        put(input, into: &bench)
        let expected = try #require(Self.table[phase]?[input])
        #expect(bench.state("a") == expected.state)
        #expect(bench.take() == expected.words)
        // Nothing is lost, and nothing is counted twice.
        #expect(bench.machine.bytes == bench.machine.items.values.reduce(0) { $0 + $1.bytes })
        #expect(bench.machine.underWay == bench.machine.lines.values.count { $0.current != nil })
    }
}
