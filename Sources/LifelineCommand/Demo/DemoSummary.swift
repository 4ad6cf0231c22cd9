/// The lines and the JSON object with the results of one part of the demonstration.
struct DemoSummary: Sendable {
    let journal: DemoJournal
    let colours: Colours

    var lines: [String] {
        var lines = [""]
        if !journal.checks.isEmpty {
            lines.append(colours.paint("what had to happen".padded(to: 76) + "did it", .bold))
            for check in journal.checks {
                let answer = check.happened ? colours.paint("yes", .green) : colours.paint("no", .red)
                lines.append(check.what.padded(to: 76) + answer)
            }
            lines.append("")
        }
        lines.append(colours.paint("events".padded(to: 42) + "    sent  received  duplicated    lost  declared", .bold))
        for route in journal.routes {
            lines.append(row("\(route.from) to \(route.to) on \(route.channel)", journal.count(route)))
        }
        lines.append(row("all", journal.total))
        lines.append("")
        if !journal.outages.isEmpty {
            lines.append(colours.paint("outages".padded(to: 42) + "noticed after  recovered after", .bold))
        }
        for outage in journal.outages {
            let noticed = outage.noticing.map { "\(Seconds.text($0)) s" } ?? "never"
            let recovered = outage.recovering.map { "\(Seconds.text($0)) s" } ?? "never"
            lines.append(outage.fault.padded(to: 42) + right(noticed, 13) + right(recovered, 17))
        }
        if !journal.outages.isEmpty { lines.append("") }
        for problem in journal.problems { lines.append(colours.paint("problem: \(problem)", .red)) }
        lines.append(verdict)
        return lines
    }

    var result: DemoLine.Result {
        let total = journal.total
        return .init(
            addsUp: journal.addsUp, sent: total.sent, received: total.received, duplicated: total.duplicated, lost: total.lost,
            declared: total.declared,
            problems: journal.checks.filter { !$0.happened }.map(\.what) + journal.problems)
    }

    private var verdict: String {
        guard journal.addsUp else {
            let total = journal.total
            var reasons: [String] = []
            if total.lost != total.declared { reasons.append("\(total.lost - total.declared) events were lost in silence") }
            if total.duplicated > 0 { reasons.append("\(total.duplicated) events came twice") }
            if journal.misordered > 0 { reasons.append("\(journal.misordered) events came out of order") }
            if journal.phantoms > 0 { reasons.append("\(journal.phantoms) events came that nobody had sent") }
            if journal.outages.contains(where: { $0.recoveredAt == nil }) { reasons.append("an outage did not end") }
            if journal.outages.contains(where: { ($0.noticing ?? .zero) > journal.detection }) {
                reasons.append("an outage was noticed too late")
            }
            return colours.paint(
                "It does not add up: " + (reasons.isEmpty ? "see above" : reasons.joined(separator: ", ")) + ".", .red)
        }
        let lost = journal.total.lost
        let losses =
            lost == 0
            ? "Nothing was lost."
            : journal.judgesByGaps
                ? "Each of the \(lost) lost events is in a gap that the client \(journal.subject) has reported."
                : "Each of the \(lost) lost events was published during an outage that the client \(journal.subject) had reported."
        return colours.paint("It adds up. \(losses)", .green)
    }

    private func row(_ name: String, _ count: DemoJournal.Count) -> String {
        name.padded(to: 42) + right("\(count.sent)", 8) + right("\(count.received)", 10) + right("\(count.duplicated)", 12)
            + right("\(count.lost)", 8) + right("\(count.declared)", 10)
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
