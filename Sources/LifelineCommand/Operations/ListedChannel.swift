import WireCoding

/// A channel with subscribers, as `channels` prints it. Values that the service does not report are nil.
struct ListedChannel: Hashable, Sendable {
    var name: String
    var subscriptions: Int?
    var users: Int?
    /// User ids, sorted.
    var members: [String]?

    init(_ name: String, subscriptions: Int? = nil, users: Int? = nil, members: [String]? = nil) {
        self.name = name
        self.subscriptions = subscriptions
        self.users = users
        self.members = members
    }

    /// The channel as one line of text.
    var text: String {
        let counts = [
            subscriptions.map { "\($0) \($0 == 1 ? "subscription" : "subscriptions")" },
            users.map { "\($0) \($0 == 1 ? "user" : "users")" },
        ].compactMap(\.self)
        let people = members.map { $0.isEmpty ? "" : ": " + $0.joined(separator: ", ") } ?? ""
        return (counts.isEmpty ? name + people : "\(name)  \(counts.joined(separator: ", "))\(people)").printable
    }

    func json(_ event: String) -> String {
        var object = JSONObject()
        object.put("ev", event)
        object.put("ch", name)
        object.put("subscriptions", subscriptions)
        object.put("users", users)
        object.put("members", json: members.map { ShownSetting.strings($0).json(showsSecrets: false) } ?? "null")
        return object.text
    }
}

/// The difference between two lists of channels.
struct ListedChannelChange: Hashable, Sendable {
    enum Kind: String, Sendable { case occupied, vacated, changed }

    var kind: Kind
    var row: ListedChannel

    /// The changes in the order of names, compared by bytes.
    static func changes(from old: [ListedChannel], to new: [ListedChannel]) -> [ListedChannelChange] {
        var before: [[UInt8]: ListedChannel] = [:]
        for row in old { before[Array(row.name.utf8)] = row }
        var changes: [ListedChannelChange] = []
        for row in new {
            guard let other = before.removeValue(forKey: Array(row.name.utf8)) else {
                changes.append(ListedChannelChange(kind: .occupied, row: row))
                continue
            }
            if other != row { changes.append(ListedChannelChange(kind: .changed, row: row)) }
        }
        changes += before.values.map { ListedChannelChange(kind: .vacated, row: ListedChannel($0.name)) }
        return changes.sorted { Array($0.row.name.utf8).lexicographicallyPrecedes(Array($1.row.name.utf8)) }
    }

    var text: String {
        let sign =
            switch kind {
            case .occupied: "+"
            case .vacated: "-"
            case .changed: "~"
            }
        return "\(sign) \(row.text)"
    }
}
