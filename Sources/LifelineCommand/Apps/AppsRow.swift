import WireCoding

/// One application as `lifeline apps` prints it (rule AR-23).
struct AppsRow: Hashable, Sendable {
    /// The application as the server describes it.
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Makes the row from the server's answer to a change. It contains the application's secret if the answer does.
    init(changed answer: JSONValue) {
        var object = answer["application"]?.object ?? [:]
        if let secret = answer["secret"] { object["secret"] = secret }
        self.init(.object(object))
    }

    private func text(_ name: String) -> String { value[name]?.string?.printable ?? "" }

    /// The application as one line of JSON.
    var json: String { value.text }

    private var cells: [String] {
        let secrets = value["secrets"]?.integer ?? 1
        let state = value["hidden"]?.bool == true ? "hidden" : value["enabled"]?.bool == false ? "disabled" : "enabled"
        return [text("service"), text("id"), text("key"), text("source"), state, secrets == 2 ? "two" : "one"]
    }

    private static let head = ["SERVICE", "ID", "KEY", "SOURCE", "STATE", "SECRETS"]

    /// Formats applications as a table with a header: one line of text for each.
    static func table(_ rows: [AppsRow]) -> [String] {
        let lines = [head] + rows.map(\.cells)
        let widths = head.indices.map { column in lines.compactMap { $0.element(at: column)?.count }.max() ?? 0 }
        return lines.map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }
            return padded.joined(separator: "  ").trimmingSpaces
        }
    }

    /// The lines that a command without `--json` prints after a change.
    ///
    /// - Parameter word: the change, such as `created` or `rotated`.
    func lines(_ word: String) -> [String] {
        var lines = ["\(word): \(text("service"))/\(text("id"))"]
        if word == "created" {
            let isPubNub = text("service") == "pubnub"
            if isPubNub { lines.append("subscribe key: \(text("id"))") }
            lines.append("\(isPubNub ? "publish key" : "key"): \(text("key"))")
        }
        if value["secret"] != nil { lines.append("secret: \(text("secret"))  (shown this once)") }
        if let end = value["previousEnds"]?.integer {
            // The end of the former secret's validity is limited to the year 9999, because a server may send any number.
            let seconds = Int64(clamping: min(max(end, 0), 253_402_300_799))
            lines.append("the former secret works until \(TimeOfDay.timestamp(milliseconds: seconds * 1000))")
        }
        if word == "rotated", value["previousEnds"]?.integer == nil {
            lines.append("the former secret works until 'lifeline apps rotate --finish'")
        }
        return lines
    }

    /// Prints the server's answer to a change, as JSON or as text.
    static func show(_ answer: JSONValue, _ word: String, json: Bool) {
        let row = AppsRow(changed: answer)
        guard !json else { return StandardOutput.print(row.json) }
        for line in row.lines(word) { StandardOutput.print(line) }
    }
}
