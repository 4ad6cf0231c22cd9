import ConnectionEngine
import NexconnChatSDK

/// The summary of the chat part.
struct NexconnDemoSummary: Sendable {
    let record: NexconnDemoRecord
    let colours: Colours

    var lines: [String] {
        var lines = ["", colours.paint("what had to happen".padded(to: 76) + "did it", .bold)]
        for check in record.checks {
            lines.append(check.what.padded(to: 76) + colours.paint(check.happened ? "yes" : "no", check.happened ? .green : .red))
        }
        lines.append("")
        lines.append(colours.paint("messages".padded(to: 42) + "    sent  received  duplicated    lost", .bold))
        for (name, way) in [("ben to ann", record.toAnn), ("ann to ben", record.toBen)] {
            let numbers = [way.sent.count, way.received.count, way.duplicated, way.lost.count]
            lines.append(name.padded(to: 42) + zip(numbers, [8, 10, 12, 8]).map { right($0, $1) }.joined())
        }
        lines.append("")
        lines.append(
            record.addsUp
                ? colours.paint("It adds up. Nothing was lost, and nothing came twice.", .green)
                : colours.paint("The numbers do not match: see above.", .red))
        return lines
    }

    var result: DemoLine.Result {
        let ways = [record.toAnn, record.toBen]
        return .init(
            addsUp: record.addsUp, sent: ways.map(\.sent.count).reduce(0, +), received: ways.map(\.received.count).reduce(0, +),
            duplicated: ways.map(\.duplicated).reduce(0, +), lost: ways.map(\.lost.count).reduce(0, +), declared: 0,
            problems: record.checks.filter { !$0.happened }.map(\.what))
    }

    private func right(_ number: Int, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
    }
}

extension DemoTimeline {
    /// A line for a status of the chat SDK, with the additional details of this library.
    func status(_ event: ConnectionStatusChangedEvent, of name: String) -> DemoLine {
        let details = event.details
        var rest = details.reason ?? ""
        if let code = details.code { rest += " (\(code))" }
        if let pause = details.retryIn { rest += " Tried again in \(Seconds.text(Duration.seconds(pause))) s." }
        if event.status.isTerminal { rest += " The client does not try again." }
        let colour: Colours.Colour =
            switch event.status {
            case .connected: .green
            case .connecting, .suspend: .yellow
            default: .red
            }
        return line(.now, name, "\(event.status) \(event.status.rawValue)", colour, rest)
    }
}
