import WireCoding

/// An application, as `apps` prints it: a value (rule AR-23).
struct AppsRow: Hashable, Sendable {
    /// The application as the server describes it.
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// The application in the answer to a change, with its secret if the answer has one.
    init(changed answer: JSONValue) {
        var object = answer["application"]?.object ?? [:]
        if let secret = answer["secret"] { object["secret"] = secret }
        self.init(.object(object))
    }

    private func text(_ name: String) -> String { value[name]?.string?.printable ?? "" }

    /// One line of JSON.
    var json: String { value.text }

    private var cells: [String] {
        let secrets = value["secrets"]?.integer ?? 1
        let state = value["hidden"]?.bool == true ? "hidden" : value["enabled"]?.bool == false ? "disabled" : "enabled"
        return [text("service"), text("id"), text("key"), text("source"), state, secrets == 2 ? "two" : "one"]
    }

    private static let head = ["SERVICE", "ID", "KEY", "SOURCE", "STATE", "SECRETS"]

    /// The lines of a table for people.
    static func table(_ rows: [AppsRow]) -> [String] {
        let lines = [head] + rows.map(\.cells)
        let widths = head.indices.map { column in lines.compactMap { $0.element(at: column)?.count }.max() ?? 0 }
        return lines.map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }
            return padded.joined(separator: "  ").trimmingSpaces
        }
    }

    /// The lines for people after a change.
    func lines(_ word: String) -> [String] {
        var lines = ["\(word): \(text("service"))/\(text("id"))"]
        if word == "created" {
            let isPubNub = text("service") == "pubnub"
            if isPubNub { lines.append("subscribe key: \(text("id"))") }
            lines.append("\(isPubNub ? "publish key" : "key"): \(text("key"))")
        }
        if value["secret"] != nil { lines.append("secret: \(text("secret"))  (shown this once)") }
        if let end = value["previousEnds"]?.integer {
            // At most the year 9999, whatever a server answers.
            let seconds = Int64(clamping: min(max(end, 0), 253_402_300_799))
            lines.append("the former secret works until \(TimeOfDay.timestamp(milliseconds: seconds * 1000))")
        }
        if word == "rotated", value["previousEnds"]?.integer == nil {
            lines.append("the former secret works until 'lifeline apps rotate --finish'")
        }
        return lines
    }

    /// Prints the answer to a change.
    static func show(_ answer: JSONValue, _ word: String, json: Bool) {
        let row = AppsRow(changed: answer)
        guard !json else { return StandardOutput.print(row.json) }
        for line in row.lines(word) { StandardOutput.print(line) }
    }
}
