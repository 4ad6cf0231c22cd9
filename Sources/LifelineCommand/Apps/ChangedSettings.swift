import OrderedCollections
import WireCoding

/// The settings that `apps set` changes, parsed from arguments such as `limits.connections=5000` (rule AR-30).
struct ChangedSettings: Hashable, Sendable {
    /// The settings as a JSON object with the names that a configuration file uses.
    let value: JSONValue

    init(_ texts: [String]) throws(CommandFailure) {
        var object: OrderedDictionary<String, JSONValue> = [:]
        var seen: Set<String> = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let name = parts.first, let written = parts.last else {
                throw CommandFailure(
                    "\(text.printable) is not a setting with a value. Write NAME=VALUE, such as limits.connections=5000.", .usage)
            }
            guard seen.insert(name).inserted else {
                throw CommandFailure("The setting \(name.printable) is given twice. Give it once.", .usage)
            }
            // A value that is not valid JSON is used as a string.
            let value = (try? JSONValue(parsing: Array(written.utf8))) ?? .string(written)
            let path = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let first = path.first, path.allSatisfy({ !$0.isEmpty }) else {
                throw CommandFailure(
                    "\(text.printable) does not begin with the name of a setting. Write NAME=VALUE, such as "
                        + "limits.connections=5000.", .usage)
            }
            guard path.count == 2, let member = path.last else {
                guard object[first] == nil else { throw Self.both(first) }
                object[first] = value
                continue
            }
            var group: OrderedDictionary<String, JSONValue> = [:]
            if let present = object[first] {
                guard let members = present.object else { throw Self.both(first) }
                group = members
            }
            group[member] = value
            object[first] = .object(group)
        }
        value = .object(object)
    }

    private static func both(_ name: String) -> CommandFailure {
        CommandFailure(
            "The setting \(name.printable) is given as a whole and also by its members. Give it in one of the two forms only.",
            .usage)
    }
}
