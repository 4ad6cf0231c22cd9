import ConnectionEngine
import PubNub

/// The summary of the PubNub part.
struct PubNubDemoSummary: Sendable {
    let record: PubNubDemoRecord
    let colours: Colours

    var lines: [String] {
        var lines = ["", colours.paint("what had to happen".padded(to: 76) + "did it", .bold)]
        for check in record.checks {
            lines.append(check.what.padded(to: 76) + colours.paint(check.happened ? "yes" : "no", check.happened ? .green : .red))
        }
        lines.append("")
        lines.append(colours.paint("messages".padded(to: 42) + "    sent  received  duplicated    lost  declared", .bold))
        for (name, way) in record.ways.sorted(by: { $0.key < $1.key }) where !way.sent.isEmpty {
            let lost = way.lost
            let numbers = [
                way.sent.count, way.received.count, way.duplicated, lost.count, lost.count(where: way.declared.contains),
            ]
            lines.append(
                "ben to \(name) on room".padded(to: 42) + zip(numbers, [8, 10, 12, 8, 10]).map { right($0, $1) }.joined())
        }
        lines.append("")
        lines.append(
            record.addsUp
                ? colours.paint("It adds up. Everything that is missing was declared.", .green)
                : colours.paint("It does not add up: see above.", .red))
        return lines
    }

    var result: DemoLine.Result {
        let ways = record.ways.values
        return .init(
            addsUp: record.addsUp, sent: ways.map(\.sent.count).reduce(0, +), received: ways.map(\.received.count).reduce(0, +),
            duplicated: ways.map(\.duplicated).reduce(0, +), lost: ways.map(\.lost.count).reduce(0, +),
            declared: ways.map { way in way.lost.count(where: way.declared.contains) }.reduce(0, +),
            problems: record.checks.filter { !$0.happened }.map(\.what))
    }

    private func right(_ number: Int, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
    }
}

extension DemoTimeline {
    /// The line for a listener's event; nil for messages, which are counted.
    func news(_ news: PubNubDemoNews, of name: String) -> DemoLine? {
        switch news {
        case .message: return nil
        case .presence(let action, let user): return line(.now, name, "sees \(action)", .cyan, user)
        case .status(let status):
            var rest = status.willRetry ? "Will be retried." : ""
            if !status.channels.isEmpty { rest += " Denied: \(status.channels.joined(separator: ", "))." }
            if let channel = status.unopened { rest += " A message of \(channel) could not be opened." }
            return line(.now, name, status.word, status.isError ? .red : .green, rest)
        }
    }
}
