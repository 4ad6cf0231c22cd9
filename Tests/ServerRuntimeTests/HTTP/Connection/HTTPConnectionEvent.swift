import ServerValues

@testable import ServerRuntime

/// The states from which the table starts: the phases, and three kinds of idle.
enum HTTPConnectionState: String, CaseIterable {
    /// Before the first byte.
    case fresh
    /// Between two requests.
    case rested
    /// A piece of a head has arrived.
    case begun
    case reading, upgrading, answering, holding, closing, ended

    var machine: HTTPConnectionMachine {
        var machine = HTTPConnectionMachine(at: .seconds(0))
        switch self {
        case .fresh: break
        case .rested:
            machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
            _ = machine.answered(isLast: false, at: .seconds(0))
        case .begun: _ = machine.gotPiece(at: .seconds(0))
        case .reading:
            machine.gotHead(at: .seconds(0))
            _ = machine.expectBody(length: nil, limit: HTTPConnectionEvent.limit, awaitsContinue: false)
        case .upgrading:
            machine.gotHead(at: .seconds(0))
            machine.expectUpgrade()
        case .answering:
            machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
            machine.answerLater()
        case .holding:
            machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
            machine.hold(at: .seconds(0))
        case .closing: _ = machine.answered(isLast: true, at: .seconds(0))
        case .ended: _ = machine.leave()
        }
        return machine
    }
}

/// Everything that can happen to a connection.
enum HTTPConnectionEvent: String, CaseIterable {
    case piece, plain, head, tooLarge, patient, handshake
    case body, overrun, noRoom, framing, end
    case answerLater, hold, answer, lastAnswer
    /// A sweep after this number of seconds.
    case after3, after10, after30, after75
    /// A sweep while a large body does not move fast enough, and one after 75 s while it does.
    case slowDownload, slowUpload, download75
    case drain, giveWay, leave
    case syntax, overflow, broken
    /// What is read next: received bytes, without and with a parser, and parts of the parser.
    case bytes, fieldBytes, parserBytes, parts
    case backlog

    static let limit = 1_000

    /// Reports the event; returns what the machine wants, or nothing.
    func apply(to machine: inout HTTPConnectionMachine) -> String {
        switch self {
        case .piece: return Self.text(machine.gotPiece(at: .seconds(0)))
        case .plain:
            machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
            return ""
        case .head: return expect(&machine, length: 10)
        case .tooLarge: return expect(&machine, length: Self.limit + 1)
        case .patient: return expect(&machine, awaitsContinue: true)
        case .handshake:
            machine.expectUpgrade()
            return ""
        case .body: return Self.text(machine.gotBody(Self.limit, hasRoom: true))
        case .overrun: return Self.text(machine.gotBody(Self.limit + 1, hasRoom: true))
        case .noRoom: return Self.text(machine.gotBody(1, hasRoom: false))
        case .framing: return Self.text(machine.parsed(HTTPConnectionMachine.maximumFramingBytes + 1, since: machine.mark))
        case .end: return Self.text(machine.gotEnd())
        case .answerLater:
            machine.answerLater()
            return ""
        case .hold:
            machine.hold(at: .seconds(0))
            return ""
        case .answer: return Self.text(machine.answered(isLast: false, at: .seconds(0)))
        case .lastAnswer: return Self.text(machine.answered(isLast: true, at: .seconds(0)))
        case .after3: return sweep(machine, 3)
        case .after10: return sweep(machine, 10)
        case .after30: return sweep(machine, 30)
        case .after75: return sweep(machine, 75)
        case .slowDownload: return sweep(machine, 1, outgoing: .tooSlow)
        case .slowUpload: return sweep(machine, 1, incoming: .tooSlow)
        case .download75: return sweep(machine, 75, outgoing: .moving)
        case .drain: return Self.text(machine.drain())
        case .giveWay: return Self.text(machine.giveWay())
        case .leave: return Self.text(machine.leave())
        case .syntax: return Self.text(machine.parserFailed(.syntax, at: .seconds(0)))
        case .overflow: return Self.text(machine.parserFailed(.overflow, at: .seconds(0)))
        case .broken: return Self.text(machine.parserFailed(.other, at: .seconds(0)))
        case .bytes: return Self.text(machine.nextStep(.init(hasBytes: true)))
        case .fieldBytes: return Self.text(machine.nextStep(.init(hasBytes: true, needsParser: true)))
        case .parserBytes: return Self.text(machine.nextStep(.init(hasBytes: true, hasParser: true)))
        case .parts: return Self.text(machine.nextStep(.init(hasBytes: true, hasParts: true, hasParser: true)))
        case .backlog: return Self.text(machine.updateReading(unreadBytes: 65_537, isWritable: true))
        }
    }

    private func expect(_ machine: inout HTTPConnectionMachine, length: Int? = nil, awaitsContinue: Bool = false) -> String {
        Self.text(machine.expectBody(length: length, limit: Self.limit, awaitsContinue: awaitsContinue))
    }

    private func sweep(
        _ machine: HTTPConnectionMachine, _ seconds: Int, outgoing: HTTPConnectionMachine.Transfer = .none,
        incoming: HTTPConnectionMachine.Transfer = .none
    ) -> String {
        let now = MonotonicInstant.seconds(Int64(seconds))
        return Self.text(machine.sweep(at: now, Self.limits, outgoing: outgoing, incoming: incoming))
    }

    static let limits = HTTPConnectionMachine.TimeLimits(request: .seconds(10), keepAlive: .seconds(75), close: .seconds(3))

    private static func text(_ effect: HTTPConnectionMachine.Effect?) -> String {
        switch effect {
        case nil: ""
        case .refuse(let refusal): "refuse \(refusal)"
        case .sweepExchange(let held, _): "sweepExchange \(held.components.seconds)"
        case .setReading(let isReading): isReading ? "read" : "pause"
        case let effect?: "\(effect)"
        }
    }

    private static func text(_ verdict: HTTPConnectionMachine.BodyVerdict) -> String {
        switch verdict {
        case .ignore: ""
        case .append: "append"
        case .refuse(let refusal): "refuse \(refusal)"
        }
    }

    private static func text(_ step: HTTPConnectionMachine.Step) -> String { step == .stop ? "" : "\(step)" }

    private static func text(_ writing: HTTPConnectionMachine.Writing?) -> String { writing.map { "write \($0)" } ?? "" }
}
